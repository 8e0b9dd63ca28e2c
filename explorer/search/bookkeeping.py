"""The course of a search by levels: how far it is, when it must end, what it reports.

It is the same for one machine and for many: it depends on what was noted and counted,
not on where the states are.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Generic

import numpy as np
from attrs import evolve, frozen

from replicheck.explorer.engine import Progress, Search
from replicheck.explorer.frontier.chunk_walker import Expansion
from replicheck.explorer.instances import instances
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.learning.read_write_sets import ReadWriteSet, dependencies
from replicheck.explorer.model import S
from replicheck.explorer.report import (
    ActionCount,
    Failure,
    Report,
    Violation,
    in_order,
    outcomes_of,
    verdict_of,
)
from replicheck.explorer.runtime.memory import process_memory
from replicheck.explorer.search.guard_coverage import (
    Sample,
    SampleContent,
    checked_guards,
)
from replicheck.explorer.search.property_status import (
    Decision,
    PropertyStatus,
    TraceSource,
)
from replicheck.explorer.statistics import Coverage, Statistics


class SearchStopped(Exception):
    """A limit or the user ended the search before every state was expanded."""


@frozen
class SearchSnapshot:
    """How far a search is: its levels so far and what they came to.

    ``levels`` includes the one that is to be expanded next; ``generated`` and
    ``enabled`` are per instance and do not. ``cuts`` says how many states each
    constraint cut, ``held`` which properties have a premise that held.
    """

    levels: Sequence[int]
    generated: Sequence[int]
    enabled: Sequence[int]
    cuts: Mapping[str, int]
    held: Sequence[str]
    decisions: Sequence[Decision]
    seconds: float


class SearchCounts:
    """The states of each level, and the steps of each instance."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self.levels: list[int] = []
        """How many states each level has, that at work included."""
        self._generated = np.zeros(len(learner.functions), np.int64)
        self._enabled = np.zeros(len(learner.functions), np.int64)
        self._cuts: Counter[str] = Counter()

    @property
    def states(self) -> int:
        """The number of states."""
        return sum(self.levels)

    @property
    def generated(self) -> int:
        """The number of steps."""
        return int(self._generated.sum())

    @property
    def is_whole(self) -> bool:
        """Tell whether no constraint cut a state."""
        return not self._cuts

    def add(self, expansion: Expansion, cuts: Counter[str]) -> None:
        """Count the steps of a level, and the states of it that constraints cut."""
        self._cuts += cuts
        self._generated += expansion.generated
        self._enabled += expansion.enabled

    def restore(self, done: SearchSnapshot) -> None:
        """Go on where a search was, before the level that it was to expand next."""
        self.levels = list(done.levels[:-1])
        self._generated[:] = done.generated
        self._enabled[:] = done.enabled
        self._cuts = Counter(done.cuts)

    def snapshot(
        self, complete: int, level: int, decisions: Sequence[Decision], seconds: float
    ) -> SearchSnapshot:
        """Snapshot: how far the search is.

        Args:
            complete: how many levels have been expanded.
            level: how many states are to be expanded next.
        """
        return SearchSnapshot(
            [*self.levels[:complete], level],
            self._generated.tolist(),
            self._enabled.tolist(),
            dict(self._cuts),
            self._learner.premises.names_held,
            tuple(decisions),
            seconds,
        )

    @property
    def constrained(self) -> Mapping[str, int]:
        """Number of states that each constraint cut."""
        names = [constraint.__name__ for constraint in self._learner.model.constraints]
        return {name: self._cuts[name] for name in names}

    @property
    def actions(self) -> dict[str, ActionCount]:
        """The counts of each action over all its parameters."""
        model: Any = self._learner.model
        known = instances(model.actions, model.domains)
        counts = {action.name: ActionCount() for action in known}
        for number, function in enumerate(self._learner.functions):
            if function.role is Role.ACTION:
                name = function.instance.name
                so_far = counts[name]
                counts[name] = ActionCount(
                    so_far.generated + int(self._generated[number]),
                    so_far.enabled + int(self._enabled[number]),
                )
        return counts


class Bookkeeping(Generic[S]):
    """What a search has found and counted so far, and how long it has taken."""

    def __init__(
        self,
        learner: Learner,
        status: PropertyStatus[S],
        search: Search,
        engine: str,
    ) -> None:
        self.learner, self.status, self.search = learner, status, search
        self.engine = engine
        self.counts = SearchCounts(learner)
        self.sample = Sample()
        self.exhausted = False
        self.started = time.monotonic()
        """When the search began; an engine that begins anew says when it first did."""
        self._seconds_before = 0.0

    @property
    def seconds(self) -> float:
        """Seconds that the search has taken, in all attempts together."""
        return self._seconds_before + time.monotonic() - self.started

    def restore(
        self,
        done: SearchSnapshot,
        path: TraceSource,
        sample: SampleContent,
    ) -> None:
        """Go on where a search was, before the level that it was to expand next.

        Args:
            sample: that of `guard_coverage`.
        """
        self.sample.restore(sample)
        self.counts.restore(done)
        self.learner.premises.note_held(done.held)
        self.status.restore(done.decisions, path)
        self._seconds_before = done.seconds

    def snapshot(self, complete: int, level: int) -> SearchSnapshot:
        """Snapshot: how far the search is. See `SearchCounts.snapshot`."""
        decisions = self.status.decisions
        return self.counts.snapshot(complete, level, decisions, self.seconds)

    def limit(self) -> str | None:
        """The limit that the level at work reaches, if any."""
        limits, levels = self.search.limits, self.counts.levels
        if limits.depth is not None and len(levels) >= limits.depth:
            return "depth"
        if limits.states is not None and self.counts.states >= limits.states:
            return "states"
        return None

    def report_progress(self, frontier: int) -> None:
        """Let the watch see the search, and heed the limit on time.

        Args:
            frontier: how many states of the level at work are not expanded yet.
        """
        self.search.watch(
            Progress(
                depth=len(self.counts.levels),
                states=self.counts.states,
                generated=self.counts.generated,
                frontier=frontier,
                seconds=self.seconds,
                memory=process_memory.resident_bytes(),
                levels=tuple(self.counts.levels),
            )
        )
        self.enforce_seconds()

    def enforce_seconds(self) -> None:
        """End the search if it has taken its time.

        Raises:
            SearchStopped: then.
        """
        limit = self.search.limits.seconds
        if limit is not None and time.monotonic() - self.started > limit:
            raise SearchStopped("seconds")

    def report(
        self,
        cut: str | None,
        failure: Failure[S] | None,
        statistics: Statistics,
        other_violations: Sequence[Violation[S]] = (),
    ) -> Report[S]:
        """The report, with the engine's own statistics beside those of all."""
        found, counts = self.status, self.counts
        return Report(
            model=self.learner.model.name,
            verdict=verdict_of(found.violations, cut, counts.constrained, failure),
            levels=tuple(counts.levels),
            actions=counts.actions,
            outcomes=outcomes_of(
                found.properties, found.violations, found.reached, self.exhausted
            ),
            violations=in_order(found.properties, found.violations),
            reached=found.reached,
            failure=failure,
            cut=cut,
            constrained=counts.constrained,
            engine=self.engine,
            seconds=self.seconds,
            others=tuple(other_violations),
            statistics=evolve(
                statistics,
                dependencies=learned_dependencies(self.learner),
                values=value_counts(self.learner),
                coverage=self._coverage(),
            ),
        )

    def _coverage(self) -> Coverage:
        """Coverage: which claims had their premise fulfilled, and what was asked.

        Raises:
            ModelError: if an instance was left out that is enabled in a sampled state.
        """
        return Coverage(
            premises=dict(self.learner.premises.held),
            guards=checked_guards(self.learner, self.sample),
        )


def value_counts(learner: Learner) -> dict[str, int]:
    """Number of values by family of cells; sets that are split are not counted."""
    fields = {cell.field for cell in learner.layout.cells}
    return {of.name: len(of) for of in learner.dictionaries if of.name in fields}


def learned_dependencies(learner: Learner) -> dict[str, dict[str, list[str]]]:
    """The cells that each action reads and writes, as far as it was learned."""
    nothing = [
        (instance.name, ReadWriteSet())
        for instance in instances(learner.model.actions, learner.model.domains)
    ]
    function = [
        (function.instance.name, accesses)
        for function, accesses in zip(
            learner.functions, learner.read_write_sets, strict=True
        )
        if function.role is Role.ACTION
    ]
    return dependencies(learner.layout.cells, [*nothing, *function])
