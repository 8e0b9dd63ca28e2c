"""The results of a run as text: a table, then what there is to say of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.box import SIMPLE
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.reports.text.suite_listing import listing
from replicheck.cli.results.result import NOT_STARTED, Result
from replicheck.cli.results.run_summary import (
    Assessment,
    Group,
    RunSummary,
    groups,
    last_action,
    other_key,
)
from replicheck.cli.tasks.run_request import TextDetail
from replicheck.explorer.report import Trace, Verdict
from replicheck.traces.describer import Describer
from replicheck.traces.story import tell, tell_failure

WIDTH_OF_FILES = 140
"""Columns where the output is no terminal."""
WIDE = 120
"""Columns from which on the bounds have room in the table of results."""

PLAIN: Any = {"highlight": False, "markup": False, "emoji": False}

STYLES = {
    Verdict.HOLDS: "green",
    Verdict.VIOLATED: "red",
    Verdict.INCOMPLETE: "yellow",
    Verdict.ERROR: "magenta",
}


def standard_output() -> Console:
    """The console of standard output."""
    return _wide_in_files(Console(**PLAIN))


def standard_error() -> Console:
    """The console of standard error."""
    return _wide_in_files(Console(stderr=True, **PLAIN))


def _wide_in_files(found: Console) -> Console:
    if not found.is_terminal:
        found.width = WIDTH_OF_FILES
    return found


def print_results(out: Console, summary: RunSummary, detail: TextDetail) -> None:
    """Print the results of a run: of one all there is, of several a line for each.

    What is not as it should be follows the lines, with its counterexamples.
    """
    is_one = len(summary.assessments) == 1
    assessments = [
        assessment
        for assessment in summary.assessments
        if is_one or assessment.result.report.cut != NOT_STARTED
    ]
    failing = [assessment for assessment in assessments if assessment.failures]
    if detail is TextDetail.NONE:
        out.print(listing(failing, out.width))
    elif is_one or detail is TextDetail.ALL:
        _print_tables(out, assessments)
        _print_details(out, assessments, is_one)
    else:
        out.print(listing(assessments, out.width))
        _print_details(out, failing, is_one)


def _print_tables(out: Console, assessments: Sequence[Assessment]) -> None:
    """Print the figures of all results, and what they have in common."""
    table = _table if out.width >= WIDE else _narrow_table
    out.print(table(assessments))
    found = groups([assessment.result for assessment in assessments])
    if len(found) < sum(group.count for group in found):
        out.print(_groups(found))


def _print_details(
    out: Console, assessments: Sequence[Assessment], is_one: bool
) -> None:
    """Print what there is to say of each result, with its counterexamples.

    Of several results, those that are as expected only name what is violated.
    """
    for assessment in assessments:
        out.print()
        has_stories = is_one or assessment.findings
        runs = _stories if has_stories else _mentions
        for line in (*_about(assessment), *runs(assessment.result)):
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
    yield Text(report.verdict.value, STYLES[report.verdict])
    yield f"{report.states:,}"
    yield f"{report.generated:,}"
    yield str(report.depth)
    yield f"{report.seconds:.1f}"
    yield assessment.conclusion


def print_total(out: Console, summary: RunSummary, seconds: float) -> None:
    """Print how many results there are of each kind, after so many seconds."""
    style = "red" if summary.code is not ExitCode.AS_EXPECTED else "green"
    text = f"\n{summary.total}; {seconds:.1f} s"
    saved = [file for result in summary.results for file in result.files.values()]
    folders = sorted({str(file.parent) for file in saved})
    if folders:
        text += f"; counterexamples in {', '.join(folders)}"
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


def _about(assessment: Assessment) -> Iterator[RenderableType]:
    result, report = assessment.result, assessment.result.report
    yield Text(result.task.title, "bold")
    yield Text.assemble(
        "  ", (report.verdict.value, STYLES[report.verdict]), f": {assessment.coverage}"
    )
    for note in assessment.notes:
        yield Text(f"  {note}")
    for finding in assessment.findings:
        yield Text(f"  exit {finding.code.value}: {finding.text}")
    yield Text(f"  repeat: {result.task.command}")


def _mentions(result: Result) -> Iterator[RenderableType]:
    """Yield each violated property, and the file of its run, or the run without one."""
    if any(
        violation.property not in result.files for violation in result.report.violations
    ):
        yield from _stories(result)
        return
    for violation in result.report.violations:
        states = len(violation.trace.states)
        yield Text(f"  violated after {states} states: {violation.property}")
        yield Text(f"    replicheck trace show {result.files[violation.property]}")


def _stories(result: Result) -> Iterator[RenderableType]:
    told: dict[str, Trace[object]] = {}
    for violation in result.report.violations:
        yield ""
        same = [name for name, trace in told.items() if trace == violation.trace]
        if same:
            yield Text(
                f"VIOLATED {violation.property}: by the same run as {same[0]}", "red"
            )
            yield Text(f"Clause: {violation.clause}")
        else:
            sentence = result.task.sentence(violation.property)
            yield _styled(tell(violation, sentence, _describer(result)))
        told[violation.property] = violation.trace
        yield from _saved(result, violation.property)
        yield from _others(result, violation.property)
    failure = result.report.failure
    if failure is not None:
        yield ""
        yield _styled(tell_failure(failure, _describer(result)))
        yield from _saved(result, failure.function)


def _others(result: Result, name: str) -> Iterator[Text]:
    """Yield a line for each run that breaks the same property by another action."""
    for violation in result.report.others:
        if violation.property == name:
            states = len(violation.trace.states)
            yield Text(f"Also by {last_action(violation)}, after {states} states")
            yield from _saved(result, other_key(violation))


def _describer(result: Result) -> Describer | None:
    return result.task.system.describer


def _saved(result: Result, name: str) -> Iterator[Text]:
    if name in result.files:
        yield Text(f"Saved: {result.files[name]}")


def _styled(story: str) -> Text:
    heading, rest = story.split("\n", 1)
    text = Text.assemble((heading, "bold red"), "\n", rest)
    text.highlight_regex(r"(?m)^ *\d+  .*$", "bold")
    return text
