"""Results: a task with what the engine reported of it, and how far it got."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from attrs import field, frozen

from replicheck.cli.tasks.task import Task
from replicheck.explorer.report import Outcome, Report, Verdict, outcomes_of
from replicheck.explorer.statistics import Coverage, GuardCoverage
from replicheck.traces.printable_text import printable_line

INTERRUPTED = "interrupted"
NOT_STARTED = "not started"

S = TypeVar("S")


def require_uninterrupted(report: Report[S]) -> Report[S]:
    """The report of a search that came to its own end.

    Raises:
        KeyboardInterrupt: once more, if it ended the search.
    """
    if report.cut == INTERRUPTED:
        raise KeyboardInterrupt
    return report


@frozen
class Result:
    """What came of a task. ``problem`` says how the model breaks the contract, if so.

    ``files`` holds where the trace of each violated property was saved; ``unsaved``
    says why one could not be.
    """

    task: Task
    report: Report[Any]
    problem: str = ""
    files: Mapping[str, Path] = field(factory=dict)
    unsaved: str = ""
    together: int = 1
    """For so many tasks the states were visited at once."""
    is_cached: bool = False
    """Whether an earlier run found it."""

    @property
    def found_nothing(self) -> bool:
        """Tell whether there is no violation and no failure, so no run to either."""
        return not self.report.violations and self.report.failure is None

    def show_command(self, name: str) -> str:
        """The command that shows the run of a property that was saved."""
        code = chain.from_iterable(self.task.system.own_code)
        words = ["replicheck", "trace", "show", str(self.files[name]), *code]
        return printable_line(shlex.join(words))

    @property
    def exhausted(self) -> bool:
        """Tell whether every reachable state was visited and expanded.

        Only such a search decides that a property holds or a witness is not reached.
        """
        report = self.report
        if report.verdict is Verdict.HOLDS:
            return True
        if report.statistics.liveness is not None:
            return True
        if report.verdict is Verdict.VIOLATED and self._went_on:
            return report.cut is None and not self.cuts
        return bool(set(report.outcomes.values()) & {Outcome.HOLDS, Outcome.UNREACHED})

    @property
    def _went_on(self) -> bool:
        return self.task.scenario.stop == "exhausted"

    @property
    def coverage(self) -> Coverage:
        """Coverage of premises and guards; of nothing if nothing was counted."""
        return self.report.statistics.coverage or Coverage({})

    @property
    def guards(self) -> GuardCoverage:
        """Guards of the actions; none if the engine counts none."""
        return self.coverage.guards or GuardCoverage()

    @property
    def vacuous(self) -> list[str]:
        """Vacuous properties, whose premise never held, if exhausted."""
        if not self.exhausted:
            return []
        return [name for name, held in self.coverage.premises.items() if not held]

    @property
    def cuts(self) -> dict[str, int]:
        """Number of states that each constraint kept from being expanded, if any."""
        counts = self.report.constrained.items()
        return {name: count for name, count in counts if count}

    @property
    def is_constrained(self) -> bool:
        """Tell whether all is visited but for what lies beyond constraints."""
        report = self.report
        if not self.cuts or report.cut is not None:
            return False
        if report.verdict is Verdict.VIOLATED:
            is_undecided = Outcome.UNDECIDED in report.outcomes.values()
            keeps_going = self.task.scenario.stop == "decided" and is_undecided
            return self._went_on or keeps_going
        return report.verdict is Verdict.INCOMPLETE

    @property
    def unexpanded(self) -> int:
        """Number of states of the last level not expanded, constraints aside."""
        if self.exhausted or self.is_constrained or not self.report.levels:
            return 0
        return self.report.levels[-1]

    @property
    def was_interrupted(self) -> bool:
        """Tell whether the user ended it, or it never began."""
        return self.report.cut in (INTERRUPTED, NOT_STARTED)

    def with_outcome(self, outcome: Outcome) -> list[str]:
        """Names of the properties with an outcome."""
        return [k for k, found in self.report.outcomes.items() if found is outcome]

    @property
    def dead_actions(self) -> list[str]:
        """The actions that no state enabled; unknown unless exhausted."""
        counts = self.report.actions.items()
        return [name for name, count in counts if self.exhausted and not count.enabled]


def empty_report(task: Task, verdict: Verdict, cut: str | None = None) -> Report[Any]:
    """The report of a search that visited nothing."""
    return Report(
        model=task.scenario.model,
        verdict=verdict,
        levels=(),
        actions={},
        outcomes=outcomes_of(task.properties, {}, {}, exhausted=False),
        cut=cut,
        engine=task.engine,
    )
