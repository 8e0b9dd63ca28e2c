"""The reduced engine: a breadth-first search that leaves out steps that no claim needs.

A search begins as a whole one. Where that has visited so many states that leaving out
steps may be worth its time, reduced passes begin at the initial states. Each selects
steps by what was known when it began, and learns. The first pass that learns nothing is
the search; the others are thrown away. Where a pass leaves out too little, the whole
search goes on from where it was.
Runs to violations and witnesses are made short again, by bounded searches that leave
out nothing.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic

from attrs import evolve, frozen

from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst, judged_levels
from replicheck.explorer.engines.breadth_first.search import LevelSearch
from replicheck.explorer.engines.simulation.shrinking import MOST_STATES, shrink
from replicheck.explorer.errors import ModelError
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.learner import SAMPLE, Learner
from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Property
from replicheck.explorer.reduction.knowledge import KnowledgeSource
from replicheck.explorer.reduction.step_selection import StepSelection
from replicheck.explorer.report import Report, Trace, Violation
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.search.bookkeeping import SearchStopped

REPLACED = "replaced"
"""Why a whole search stopped that a reduced one took the place of."""
FIRST_PASS = 64
"""States of the first pass, about."""
GROWTH = 3
"""So many times as large a pass is allowed to be as the one before."""
ENOUGH_STATES = 5_000
"""States of a pass that tell whether leaving out steps is worth its time."""
MOST_TAKEN = 0.75
"""The part of the steps that a pass may take of states in which all was known."""


@frozen
class ReducedBreadthFirst:
    """Breadth-first over learned tables, with those steps that are enough."""

    threads: int = 0
    sample: int = SAMPLE
    fingerprints: KeyPrecision = KeyPrecision.BITS_64
    reduce_beyond: int = 0
    """A search of at most so many states leaves out nothing."""
    name: str = "breadth-first"

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Search representatives of the model's runs. See `Engine.explore`."""
        require_no_constraints(model)
        return _ReducedSearch(self, model, properties, search).run()


def require_no_constraints(model: Model[S]) -> None:
    """Refuse a model with constraints, which cut runs in two.

    Raises:
        ModelError: if it has one.
    """
    if model.constraints:
        raise ModelError(
            f"the model {model.name} has constraints, and a reduced search takes steps"
            " in another order, beyond which a constraint may cut: search without"
            " --reduce"
        )


def learned_nothing(learned: int, selection: StepSelection) -> bool:
    """Tell whether a pass selected all its steps by what is known after it, too."""
    return learned == 0 and selection.unknown == 0


def leaves_out_too_little(selection: StepSelection, states: int) -> bool:
    """Tell whether a pass of so many states took most of the steps all the same.

    Steps of states in which something was not known could not be left out.
    """
    enabled = selection.enabled - selection.unknown_steps
    taken = selection.taken - selection.unknown_steps
    return states >= ENOUGH_STATES and taken > MOST_TAKEN * enabled


class _WholeSearch(LevelSearch[S]):
    """The search that leaves out nothing, until another one takes its place."""

    def __init__(
        self, *, most: int, replace: Callable[[], bool], **arguments: Any
    ) -> None:
        super().__init__(**arguments)
        self._most: float = most
        self._replace = replace

    def enforce(self) -> None:
        """Where the search has become large, ask once whether it was replaced.

        Raises:
            SearchStopped: if it was.
        """
        super().enforce()
        if self.counts.states + self.size <= self._most:
            return
        self._most = math.inf
        if self._replace():
            raise SearchStopped(REPLACED)
        self.learner.tables.require_room = self.storage.budget.require_room


class _ReducedSearch(Generic[S]):
    """A whole search, and the passes that may take its place."""

    def __init__(
        self,
        engine: ReducedBreadthFirst,
        model: Model[S],
        properties: Sequence[Property],
        search: Search,
    ) -> None:
        self._engine, self._model, self._properties = engine, model, properties
        self._search = search
        self._learner = Learner(model, properties, (), engine.sample)
        for state in self._learner.starts:
            self._learner.row(state)
        self._started = time.monotonic()
        self._learned = 0
        """So many leaves were learned in the pass at work."""
        self._learner.on_learned = self._count
        self._reduced: Report[S] | None = None

    def run(self) -> Report[S]:
        """Search; return the report of the whole search, or of the last pass."""
        most, limit = self._engine.reduce_beyond, self._search.limits.states
        whole: _WholeSearch[S] = _WholeSearch(
            **self._arguments(limit),
            most=most if limit is None else min(most, limit - 1),
            replace=self._is_reduced,
        )
        report = self._report(whole)
        return self._timed(report, 0) if self._reduced is None else self._reduced

    def _is_reduced(self) -> bool:
        """Search pass by pass; tell whether the last one is the search."""
        source = KnowledgeSource(self._learner)
        most = FIRST_PASS
        while True:
            selection = StepSelection(self._learner, source.knowledge())
            limit = self._search.limits.states
            level_search = self._pass(
                selection, most if limit is None else min(most, limit)
            )
            report = self._report(level_search)
            is_short = report.cut == "states" and not self._is_limit(report.states)
            is_over = report.cut or report.failure or level_search.status.are_enough
            if not is_short and (is_over or learned_nothing(self._learned, selection)):
                left_out = selection.enabled - selection.taken
                self._reduced = self._finished(report, left_out)
                return True
            if leaves_out_too_little(selection, report.states):
                return False
            if is_short:
                most *= GROWTH

    def _finished(self, report: Report[S], left_out: int) -> Report[S]:
        """The report of a reduced search, with short runs."""
        return self._timed(
            evolve(
                report,
                violations=tuple(map(self._shortened, report.violations)),
                reached=self._short_runs(report.reached),
            ),
            left_out,
        )

    def _timed(self, report: Report[S], left_out: int) -> Report[S]:
        """A report with the steps that were left out, and the time of all passes."""
        return evolve(
            report,
            statistics=evolve(report.statistics, left_out=left_out),
            seconds=time.monotonic() - self._started,
        )

    def _shortened(self, violation: Violation[S]) -> Violation[S]:
        """A violation of the same property by a run that is not longer."""
        claim = next(c for c in self._properties if c.name == violation.property)
        return shrink(self._model, claim, violation, self._engine.threads)

    def _short_runs(self, reached: Mapping[str, Trace[S]]) -> dict[str, Trace[S]]:
        """For each witness the shorter one of two runs, its own and a search's."""
        most = max((len(trace.steps) for trace in reached.values()), default=0)
        if most == 0:
            return dict(reached)
        witnesses = [claim for claim in self._properties if claim.name in reached]
        search = Search(Limits(states=MOST_STATES, depth=most), Stop.DECIDED)
        engine = BreadthFirst(self._engine.threads)
        found = engine.explore(self._model, witnesses, search).reached
        return {
            name: min(trace, found.get(name, trace), key=lambda run: len(run.steps))
            for name, trace in reached.items()
        }

    def _count(self, instance: int, run: object) -> None:
        self._learned += 1

    def _is_limit(self, states: int) -> bool:
        """Whether so many states are as many as the search may visit."""
        limit = self._search.limits.states
        return limit is not None and states >= limit

    def _pass(self, selection: StepSelection, states: int) -> LevelSearch[S]:
        """Prepare a pass of so many states."""
        self._learned = 0
        return LevelSearch(**self._arguments(states), selector=selection)

    def _arguments(self, states: int | None) -> dict[str, Any]:
        """What a search of so many states begins with, but for a selection of steps."""
        limits = self._search.limits
        seconds = limits.seconds
        if seconds is not None:
            seconds = max(0.0, seconds - (time.monotonic() - self._started))
        limits = evolve(limits, states=states, seconds=seconds)
        return {
            "model": self._model,
            "properties": self._properties,
            "search": evolve(self._search, limits=limits),
            "threads": ThreadPool(self._engine.threads or os.cpu_count() or 1),
            "learner": self._learner,
            "fingerprints": self._engine.fingerprints,
            "keep": None,
        }

    def _report(self, level_search: LevelSearch[S]) -> Report[S]:
        """Search, and report."""
        try:
            level_search.begin()
            return level_search.report(judged_levels(level_search).search())
        finally:
            level_search.close()
