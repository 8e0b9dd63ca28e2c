"""The listing of a run: a line for each result, as test runners print it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from replicheck.cli.results.result import Result
from replicheck.cli.results.run_summary import Assessment
from replicheck.cli.tasks.task import Task
from replicheck.explorer.report import Verdict

WIDE = 60
"""Columns from which on figures have room beside what was found."""
OK = Text("ok", "green")
FAIL = Text("FAIL", "bold red")


def listing(assessments: Sequence[Assessment], width: int) -> Table:
    """A row for each result: its outcome, its name, its verdict, states, seconds.

    The name has the bounds in which entries of one scenario and protocol differ. What
    is not as it should be stands in place of the verdict.
    """
    table = Table.grid(padding=(0, 2, 0, 0), collapse_padding=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    if width >= WIDE:
        table.add_column(justify="right", no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
    names = _names([assessment.result.task for assessment in assessments])
    for assessment, name in zip(assessments, names, strict=True):
        figures = _figures(assessment.result) if width >= WIDE else ()
        table.add_row(
            FAIL if assessment.failures else OK,
            Text(name),
            Text(_found(assessment)),
            *figures,
        )
    return table


def _found(assessment: Assessment) -> str:
    """What is wrong with a result, or else its verdict."""
    if assessment.failures:
        return "; ".join(finding.text for finding in assessment.failures)
    report = assessment.result.report
    if report.verdict is not Verdict.VIOLATED:
        return str(report.verdict.value)
    lengths = [len(violation.trace.states) for violation in report.violations]
    return f"violated @ {min(lengths)}, as expected"


def _figures(result: Result) -> Iterator[str]:
    report = result.report
    yield f"{report.states:,} states"
    yield "cached" if result.is_cached else f"{report.seconds:.1f} s"


def _names(tasks: Sequence[Task]) -> Iterator[str]:
    """The names of tasks, with the bounds and reductions in which tasks differ."""
    alike: defaultdict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        alike[task.scenario.name, task.scenario.protocol].append(task)
    for task in tasks:
        scenario = task.scenario
        options = [
            _options(member) for member in alike[scenario.name, scenario.protocol]
        ]
        shared = set.intersection(*map(set, options))
        own = [option for option in _options(task) if option not in shared]
        yield " ".join((*dict.fromkeys((scenario.name, scenario.protocol)), *own))


def _options(task: Task) -> list[str]:
    bounds = task.scenario.bounds.items()
    return [
        *(f"{name}={value}" for name, value in bounds),
        *(f"reduction={name}" for name in task.scenario.reductions),
    ]
