"""The results of a run as text: a table, then what there is to say of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Any

from rich.box import SIMPLE
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.console.output import reserved_output
from replicheck.cli.results.result import NOT_STARTED
from replicheck.cli.results.run_summary import Assessment, Group, RunSummary, groups
from replicheck.cli.tasks.run_request import TextDetail
from replicheck.explorer.report import Verdict
from replicheck.traces.printable_text import printable, printable_path
from replicheck.traces.run_text import WIDTH_OF_FILES, RunDetail, TextForm

WIDE = 120
"""Columns from which on the bounds have room in the table of results."""

LONGEST_LINE = 1_000_000
"""Columns of a line where the output is no terminal: lines stay whole."""
MOST_ITEMS = 6
"""Of a list in a note, unless everything is to be printed."""

PLAIN: Any = {"highlight": False, "markup": False, "emoji": False}

STYLES = {
    Verdict.HOLDS: "green",
    Verdict.VIOLATED: "red",
    Verdict.INCOMPLETE: "yellow",
    Verdict.ERROR: "magenta",
}


def standard_output() -> Console:
    """The console of standard output."""
    return _wide_in_files(Console(file=reserved_output(), **PLAIN))


def standard_error() -> Console:
    """The console of standard error."""
    return _wide_in_files(Console(stderr=True, **PLAIN))


def _wide_in_files(found: Console) -> Console:
    if not found.is_terminal:
        found.width = WIDTH_OF_FILES
    return found


def print_indented(out: Console, lines: Iterable[str]) -> None:
    """Print lines; on a terminal the long ones break between words, with an indent."""
    for line in lines:
        text = printable(line)
        if out.is_terminal and len(text) > out.width:
            margin = len(text) - len(text.lstrip())
            text = _wrapped(text, out.width, " " * (margin + 4))
        out.print(text, soft_wrap=True)


def print_results(
    out: Console, summary: RunSummary, detail: TextDetail, runs: RunDetail
) -> None:
    """Print what there is to say of the results of one result, or of those that fail.

    It follows the line of each, with its counterexamples, of whose steps ``runs`` says
    how much.
    """
    if detail is TextDetail.NONE:
        return
    form = TextForm(runs, out.width)
    is_one = len(summary.assessments) == 1
    shown = [
        assessment
        for assessment in summary.assessments
        if is_one or assessment.result.report.cut != NOT_STARTED
    ]
    if is_one or detail is TextDetail.ALL:
        _print_tables(out, shown)
    else:
        shown = [assessment for assessment in shown if assessment.failures]
    _print_details(out, shown, detail, form)
    if shown and not is_one:
        out.print()


def _print_tables(out: Console, assessments: Sequence[Assessment]) -> None:
    """Print the figures of all results, and what they have in common."""
    table = _table if out.width >= WIDE else _narrow_table
    out.print(table(assessments))
    found = groups([assessment.result for assessment in assessments])
    if len(found) < sum(group.count for group in found):
        out.print(_groups(found))


def _print_details(
    out: Console,
    assessments: Sequence[Assessment],
    detail: TextDetail,
    form: TextForm,
) -> None:
    """Print what there is to say of each result, with its counterexamples.

    Of several results, those that are as expected only name what is violated.
    """
    columns = out.width if out.is_terminal else LONGEST_LINE
    for assessment in assessments:
        out.print()
        for line in _about(assessment, detail, columns):
            out.print(line, soft_wrap=True)
        if assessment.result.found_nothing:
            continue
        # Imported only here: most results have no run to print.
        from replicheck.cli.reports.text import counterexample_lines

        if len(assessments) == 1 or assessment.findings:
            lines = counterexample_lines.counterexample_lines(assessment, form)
        else:
            lines = counterexample_lines.violation_names(assessment.result, form)
        for line in lines:
            out.print(line, soft_wrap=True)


def _table(assessments: Iterable[Assessment]) -> Table:
    table = Table()
    for heading in ("scenario", "protocol", "bounds"):
        table.add_column(heading, overflow="fold")
    _add_figures(table)
    for assessment in assessments:
        task, figures = assessment.result.task, _figures(assessment)
        bounds = Text(task.bounds_in_short)
        table.add_row(task.scenario.name, task.scenario.protocol, bounds, *figures)
    return table


def _narrow_table(assessments: Iterable[Assessment]) -> Table:
    """The table without the bounds, which each result is headed with anyway."""
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("scenario, protocol", overflow="fold")
    _add_figures(table)
    for assessment in assessments:
        scenario = assessment.result.task.scenario
        table.add_row(f"{scenario.name}, {scenario.protocol}", *_figures(assessment))
    return table


def _add_figures(table: Table) -> None:
    table.add_column("verdict", no_wrap=True)
    for heading in ("states", "generated", "depth", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("outcome", no_wrap=True)


def _figures(assessment: Assessment) -> Iterator[RenderableType]:
    report = assessment.result.report
    yield Text(report.verdict.value, _style(assessment))
    yield f"{report.states:,}"
    yield f"{report.generated:,}"
    yield str(report.depth)
    yield f"{report.seconds:.1f}"
    yield assessment.conclusion


def print_total(out: Console, summary: RunSummary, seconds: float) -> None:
    """Print how many results there are of each kind, after so many seconds."""
    style = "red" if summary.code is not ExitCode.AS_EXPECTED else "green"
    text = f"{summary.total}; {seconds:.1f} s"
    if summary.vacuous:
        text += f"; {summary.vacuous} properties vacuously true (-v names them)"
    saved = [file for result in summary.results for file in result.files.values()]
    folders = sorted({printable_path(file.parent) for file in saved})
    if folders:
        text += f"; counterexamples in {', '.join(folders)}"
    if out.is_terminal:
        text = _wrapped(text, out.width)
    out.print(Text(text, style), soft_wrap=True)


def _groups(found: Iterable[Group]) -> Table:
    table = Table()
    for heading in ("violated", "by the last action"):
        table.add_column(heading, overflow="fold")
    for heading in ("times", "shortest"):
        table.add_column(heading, justify="right")
    table.add_column("in", overflow="fold")
    for group in found:
        scenario = group.result.task.scenario
        table.add_row(
            group.property,
            group.action,
            str(group.count),
            str(len(group.shortest.trace.states)),
            f"{scenario.name}, {scenario.protocol}",
        )
    return table


def _style(assessment: Assessment) -> str:
    """Colour of a verdict: that of what is expected is green."""
    verdict = assessment.result.report.verdict
    is_expected = verdict is Verdict.VIOLATED and not assessment.failures
    return "green" if is_expected else STYLES[verdict]


def _about(
    assessment: Assessment, detail: TextDetail, width: int
) -> Iterator[RenderableType]:
    """Yield what a search covered, with its notes and findings, and its command."""
    result, report = assessment.result, assessment.result.report
    title = result.task.title
    if len(title) > width:
        title = re.sub(r",(?=\S)", ", ", title)
    yield Text(_wrapped(title, width), "bold")
    yield Text.assemble(
        "  ", (report.verdict.value, _style(assessment)), f": {assessment.coverage}"
    )
    for note in assessment.notes:
        shown = note if detail is TextDetail.ALL else _shortened(note)
        yield Text(_wrapped(f"  {shown}", width))
    for finding in assessment.findings:
        code = f"exit {finding.code.value}"
        told = code if finding in assessment.failures else "accepted"
        yield Text(_wrapped(f"  {told}: {finding.text}", width))
    yield Text(f"  reproduce: {result.task.command}")


def _shortened(note: str) -> str:
    """A note with the first items of its list, if that is long."""
    items = note.split(", ")
    if len(items) <= MOST_ITEMS:
        return note
    shown = ", ".join(items[:MOST_ITEMS])
    return f"{shown}, and {len(items) - MOST_ITEMS} more (-v names them)"


def _wrapped(text: str, width: int, indent: str = "    ") -> str:
    """Text in lines that break between words."""
    lines = wrap(
        text,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)
