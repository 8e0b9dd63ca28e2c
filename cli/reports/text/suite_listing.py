"""The listing of a run: a line for each result, as test runners print it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from replicheck.cli.results.result_text import not_judged
from replicheck.cli.results.run_summary import Assessment
from replicheck.cli.tasks.task import Task
from replicheck.explorer.report import Verdict

WIDE = 100
"""Columns from which on a line says that a violation is expected."""
NARROW = 60
"""Columns below which a line has no figures."""
MARGIN = " " * 6
"""Columns of the outcome, which the lines below it keep free."""
MANY = 100
"""Results from which on those of one scenario share a line."""
SECONDS = len("99.9 s")
FIGURES = len("999,999 states") + 2 + SECONDS
"""Columns of the figures, more being taken where they need it."""
LONGEST_TEXT = {
    True: len("violated @ 99, as expected"),
    False: len("violated @ 99"),
}
"""Columns of what was found, in wide lines and in others."""


class SuiteListing:
    """The line of each result, printed as soon as the result is final.

    A name has the bounds in which entries of one scenario and protocol differ. In a run
    of many results, those of one scenario that stand side by side share a line if all
    are as expected.
    """

    def __init__(self, out: Console, tasks: Sequence[Task]) -> None:
        self._out = out
        self._names = list(_names(tasks))
        self._scenarios = [task.scenario.name for task in tasks]
        self._group: list[tuple[str, Assessment]] = []
        self._text_width = LONGEST_TEXT[out.width >= WIDE]
        room = out.width - len(MARGIN) - 2 - self._text_width - 2 - FIGURES
        self._name_width = max(1, min(room, max(map(len, self._names), default=0)))

    def add(self, number: int, assessment: Assessment) -> None:
        """Print the result of a task, or keep it until those beside it are there."""
        self._group.append((self._names[number], assessment))
        scenario, *following = self._scenarios[number : number + 2]
        if len(self._scenarios) < MANY or following != [scenario]:
            self.flush()

    def flush(self) -> None:
        """Print the results that are kept."""
        group, self._group = self._group, []
        assessments = [assessment for _, assessment in group]
        if len(group) > 1 and not any(member.failures for member in assessments):
            scenario = assessments[0].result.task.scenario.name
            name = f"{scenario}, {len(group)} entries"
            self._print(name, _found_in_group(assessments), assessments)
            return
        for name, assessment in group:
            self._print(name, self._found(assessment), [assessment])

    def _found(self, assessment: Assessment) -> str:
        report = assessment.result.report
        if report.verdict is not Verdict.VIOLATED:
            return str(report.verdict.value)
        lengths = [len(violation.trace.states) for violation in report.violations]
        found = f"violated @ {min(lengths)}"
        is_short = assessment.failures or self._out.width < WIDE
        return found if is_short else f"{found}, as expected"

    def _print(self, name: str, found: str, assessments: Sequence[Assessment]) -> None:
        """Print the line of results, and below it what is wrong with them."""
        failures = [
            finding.text for member in assessments for finding in member.failures
        ]
        outcome = Text("FAIL", "bold red") if failures else Text("ok", "green")
        if self._out.width < NARROW:
            lines = _wrapped(f"{name}: {found}", self._out.width - len(MARGIN))
        else:
            lines = _wrapped(name, self._name_width)
            last = lines.pop() if len(lines[-1]) <= self._name_width else ""
            room = self._text_width + FIGURES - len(found)
            row = f"{found}  {_figures(assessments):>{room}}"
            lines.append(f"{last:<{self._name_width}}  {row}")
        notes = [note for member in assessments for note in not_judged(member.result)]
        for text in (*failures, *notes):
            lines.extend(_wrapped(text, self._out.width - len(MARGIN)))
        outcome.pad_right(len(MARGIN) - len(outcome))
        body = f"\n{MARGIN}".join(lines)
        self._out.print(Text.assemble(outcome, body), soft_wrap=True)


def _found_in_group(assessments: Sequence[Assessment]) -> str:
    """How many results have each verdict."""
    verdicts = Counter(member.result.report.verdict for member in assessments)
    words = {Verdict.HOLDS: "hold"} if verdicts[Verdict.HOLDS] > 1 else {}
    kinds = [
        f"{count} {words.get(verdict, verdict.value)}"
        for verdict, count in sorted(verdicts.items(), key=lambda item: item[0].value)
    ]
    return ", ".join(kinds)


def _figures(assessments: Sequence[Assessment]) -> str:
    reports = [assessment.result.report for assessment in assessments]
    states = f"{sum(report.states for report in reports):,} states"
    is_cached = all(assessment.result.is_cached for assessment in assessments)
    seconds = sum(report.seconds for report in reports)
    time = "cached" if is_cached else f"{seconds:.1f} s"
    return f"{states}  {time:>{SECONDS}}"


def _wrapped(text: str, width: int) -> list[str]:
    """Text in lines that break between words."""
    return wrap(text, max(width, 1), break_long_words=False, break_on_hyphens=False)


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
