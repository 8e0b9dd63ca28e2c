"""Searches of several tasks: once for those that share their states, if not cached.

The report of a common search is taken apart again: each task gets the one that its own
search would have given, or none where the two would differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from attrs import evolve

from replicheck.cli.results.result import Result, empty_report
from replicheck.cli.runs.result_cache import ResultCache
from replicheck.cli.tasks.engine_settings import Counting
from replicheck.cli.tasks.engines import engine_of, start
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engine import CheckpointSettings, Watch, unwatched
from replicheck.explorer.errors import ModelError
from replicheck.explorer.report import Outcome, Report, Verdict, verdict_of
from replicheck.explorer.statistics import Statistics

DECIDED = (Outcome.VIOLATED, Outcome.REACHED)


class SearchesAhead(Protocol):
    """Reports of searches that are done ahead, in other processes."""

    def report(self, number: int, watch: Watch) -> Report[Any] | None:
        """The report of a search; None if the caller has to search."""

    def close(self) -> None:
        """End what is still searched."""


BeginAhead = Callable[[Mapping[int, Task]], SearchesAhead | None]
"""Begins to search tasks ahead, by their numbers; None if that is not worth it."""


def no_checkpoint(number: int, task: Task) -> None:
    """Keep no checkpoint."""


class Searches:
    """The searches of several tasks, each done when its result is asked for.

    ``keep`` says where the checkpoint of a search is that begins with a task.
    ``begin_ahead`` has others search what is left when the first search is done.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        cache: ResultCache,
        watch: Watch = unwatched,
        keep: Callable[[int, Task], CheckpointSettings | None] = no_checkpoint,
        known: Mapping[int, Result] | None = None,
        begin_ahead: BeginAhead | None = None,
    ) -> None:
        self.tasks, self.cache, self.watch, self.keep = tasks, cache, watch, keep
        self.found = dict(known or {})
        """The results so far, by the number of the task."""
        self._keeps: dict[int, CheckpointSettings] = {}
        self._begin_ahead = begin_ahead
        self._ahead: SearchesAhead | None = None

    def result(self, number: int) -> Result:
        """The result of a task.

        Raises:
            CheckpointError: if the checkpoint of its search cannot be used.
        """
        if not self._is_found(number):
            self._search(number, self._members(number))
        if number not in self.found:
            self._search(number, [number])
        return self.found[number]

    def may_go_on(self, number: int) -> bool:
        """Tell whether the search that gave a result left a checkpoint."""
        return number in self._keeps and self._keeps[number].is_there

    def close(self) -> None:
        """End the searches that are done ahead."""
        if self._ahead is not None:
            self._ahead.close()

    def _is_found(self, number: int) -> bool:
        """Tell whether there is a result, if need be in the cache."""
        if number not in self.found:
            cached = self.cache.find(self.tasks[number])
            if cached is not None:
                self.found[number] = Result(self.tasks[number], cached, is_cached=True)
        return number in self.found

    def _members(self, number: int) -> list[int]:
        """Numbers of the tasks without a result that visit the same states."""
        return [
            member
            for member in range(number, len(self.tasks))
            if share_states(self.tasks[number], self.tasks[member])
            and not self._is_found(member)
        ]

    def _tasks_ahead(self) -> dict[int, Task]:
        """What is left to search from the start, by the numbers of the first tasks."""
        ahead: dict[int, Task] = {}
        placed: set[int] = set()
        for number in range(len(self.tasks)):
            if number in placed or self._is_found(number):
                continue
            members = self._members(number)
            placed.update(members)
            common = join_tasks([self.tasks[member] for member in members])
            keep = self.keep(number, common)
            if keep is None or not keep.is_there:
                ahead[number] = common
        return ahead

    def _report(
        self, number: int, common: Task, keep: CheckpointSettings | None
    ) -> Report[Any]:
        """The report of a search: one that was done ahead, or of a search now.

        Raises:
            ModelError: if the model breaks the contract.
        """
        if self._ahead is not None:
            report = self._ahead.report(number, self.watch)
            if report is not None:
                return report
        explore = start(engine_of(common, keep), keep)
        properties = (*common.properties, *common.run_claims)
        return explore(common.model, properties, common.search(self.watch))

    def _search(self, number: int, members: Sequence[int]) -> None:
        """Search once for several tasks; keep the results that are their own."""
        common = join_tasks([self.tasks[member] for member in members])
        keep = self.keep(number, common)
        try:
            searched = Result(common, self._report(number, common, keep))
        except ModelError as error:
            empty = empty_report(common, Verdict.ERROR)
            searched = Result(common, empty, problem=str(error))
        for member in members:
            own = _own(searched, self.tasks[member], len(members))
            if own is None:
                continue
            self.found[member] = own
            self.cache.keep(own.task, own.report)
            if keep is not None:
                self._keeps[member] = keep
        if self._begin_ahead is not None:
            # Now, as what the first search imported and compiled is there for all.
            self._ahead = self._begin_ahead(self._tasks_ahead())
            self._begin_ahead = None


def _own(searched: Result, task: Task, members: int) -> Result | None:
    """The part of a task in the result of a search for several."""
    if members == 1:
        return evolve(searched, task=task)
    report = part_of(searched.report, task)
    return None if report is None else Result(task, report, together=members)


def share_states(first: Task, second: Task) -> bool:
    """Tell whether two tasks visit the same states in the same way.

    What a reduced search may leave out depends on its properties.
    """
    if first.settings.counting is Counting.REDUCED:
        return first is second
    return _space(first) == _space(second)


def join_tasks(tasks: Sequence[Task]) -> Task:
    """One task with the properties of all, which share their states."""
    first = tasks[0].scenario
    union: dict[str, Any] = {
        kind: tuple(
            dict.fromkeys(
                name for task in tasks for name in getattr(task.scenario, kind)
            )
        )
        for kind in ("invariants", "steps", "witnesses", "liveness")
    }
    return evolve(tasks[0], scenario=evolve(first, **union))


def part_of(report: Report[Any], task: Task) -> Report[Any] | None:
    """The part of a common report that is about a task, if its own would agree."""
    if report.verdict is Verdict.ERROR:
        return None
    outcomes = {name: report.outcomes[name] for name in task.scenario.properties}
    if not _would_end_alike(report, outcomes, task):
        return None
    violations = {
        violation.property: violation
        for violation in report.violations
        if violation.property in outcomes
    }
    reached = report.reached.items()
    return evolve(
        report,
        verdict=verdict_of(violations, report.cut, report.constrained, report.failure),
        outcomes=outcomes,
        violations=tuple(violations.values()),
        reached={name: trace for name, trace in reached if name in outcomes},
        others=tuple(x for x in report.others if x.property in outcomes),
        statistics=_statistics(report.statistics, task),
    )


def _would_end_alike(
    report: Report[Any], outcomes: Mapping[str, Outcome], task: Task
) -> bool:
    """Tell whether the task's own search would visit neither more nor less."""
    if task.scenario.stop == "exhausted":
        return True
    is_violated = Outcome.VIOLATED in outcomes.values()
    if task.scenario.stop == "first-violation":
        return is_violated or not report.violations
    ended_early = report.verdict is Verdict.VIOLATED and report.cut is None
    is_whole = not ended_early or _visited_all_states(report)
    is_decided = all(outcome in DECIDED for outcome in outcomes.values())
    return is_whole and not (is_violated and is_decided)


def _visited_all_states(report: Report[Any]) -> bool:
    return bool({Outcome.HOLDS, Outcome.UNREACHED} & set(report.outcomes.values()))


def _statistics(statistics: Statistics, task: Task) -> Statistics:
    """The statistics with the premises of the task's own properties."""
    coverage = statistics.coverage
    if coverage is None:
        return statistics
    names = task.scenario.properties
    own = {name: held for name, held in coverage.premises.items() if name in names}
    return evolve(statistics, coverage=evolve(coverage, premises=own))


def _space(task: Task) -> tuple[object, ...]:
    scenario = task.scenario
    return (
        scenario.model,
        scenario.protocol,
        scenario.reductions,
        tuple(scenario.bounds.items()),
        scenario.initial,
        scenario.setup,
        scenario.stop,
        scenario.limits,
        task.judges_runs,
        task.engine,
        task.settings,
    )
