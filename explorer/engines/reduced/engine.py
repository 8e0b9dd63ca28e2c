"""The reduced engine: a breadth-first search that leaves out steps that no claim needs.

A search begins as a whole one. Where that has visited so many states that leaving out
steps may be worth its time, reduced passes begin. Where these leave out too little, the
whole search goes on from where it was. Runs to violations and witnesses are made short
again, by bounded searches that leave out nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any, Generic

from attrs import frozen

from replicheck.explorer.engine import Search
from replicheck.explorer.engines.breadth_first.engine import judged_levels
from replicheck.explorer.engines.breadth_first.search import LevelSearch
from replicheck.explorer.engines.reduced.passes import (
    Pass,
    Passes,
    require_no_constraints,
)
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.encoding_watch import (
    CROWDED,
    encoding_watch,
    until_found,
)
from replicheck.explorer.learning.learner import SAMPLE, Learner
from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Property
from replicheck.explorer.reduction.knowledge import KnowledgeSource
from replicheck.explorer.reduction.step_selection import StepSelection
from replicheck.explorer.reduction.visited_levels import VisitedLevels
from replicheck.explorer.report import Report
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.states.encoding import AT_FIRST, Encoding


@frozen
class ReducedBreadthFirst:
    """Breadth-first over learned tables, with those steps that are enough."""

    threads: int = 0
    sample: int = SAMPLE
    fingerprints: KeyPrecision = KeyPrecision.BITS_64
    reduce_beyond: int = 0
    """A search of at most so many states leaves out nothing."""
    crowded: int = CROWDED
    """A set with so many values is split, if that spares something."""
    name: str = "breadth-first"

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Search representatives of the model's runs. See `Engine.explore`."""
        require_no_constraints(model)
        started = time.monotonic()

        def reduced(encoding: Encoding) -> Report[S]:
            learner = Learner(model, properties, (), self.sample, encoding)
            return _ReducedSearch(self, learner, properties, search, started).run()

        return until_found(reduced, AT_FIRST)


class _WholeSearch(LevelSearch[S]):
    """The search that leaves out nothing, until passes take its place."""

    def __init__(self, *, passes: Passes[S], **arguments: Any) -> None:
        super().__init__(**arguments)
        self._passes = passes

    def enforce(self) -> None:
        """Where the search has become large, have passes take its place, if they can.

        Raises:
            SearchStopped: if they do.
        """
        super().enforce()
        if self._passes.are_due(self.counts.states + self.size):
            self._passes.take_its_place(self.status.reached)
            self.learner.tables.require_room = self.storage.budget.require_room


class _ReducedSearch(Generic[S]):
    """A whole search, and the passes that may take its place."""

    def __init__(
        self,
        engine: ReducedBreadthFirst,
        learner: Learner,
        properties: Sequence[Property],
        search: Search,
        started: float,
    ) -> None:
        self._engine, self._learner, self._properties = engine, learner, properties
        self._model: Model[S] = learner.model
        self._look_at_encoding = encoding_watch(learner, engine.crowded)
        for state in self._learner.starts:
            self._learner.row(state)
        self._source = KnowledgeSource(self._learner)
        self._learned = 0
        """So many leaves were learned in the pass at work."""
        self._learner.on_learned = self._count
        self._passes = Passes(
            self._model,
            properties,
            search,
            engine.reduce_beyond,
            engine.threads,
            self._pass,
        )
        self._passes.started = started

    def run(self) -> Report[S]:
        """Search; return the report of the whole search, or of the last pass.

        Raises:
            EncodedOtherwise: if sets are to be split otherwise.
        """
        passes = self._passes
        whole: _WholeSearch[S] = _WholeSearch(
            **self._arguments(passes.whole), passes=passes
        )
        return passes.report(self._report(whole))

    def _pass(self, search: Search, optional: frozenset[str]) -> Pass[S]:
        """Run a pass with what is known now, which may miss optional claims."""
        self._learned = 0
        self._learner.show_elements()
        knowledge = self._source.knowledge(optional)
        selection = StepSelection(self._learner, knowledge, VisitedLevels())
        level_search: LevelSearch[S] = LevelSearch(
            **self._arguments(search), selector=selection
        )
        report = self._report(level_search)
        is_decided = level_search.status.are_enough
        return Pass(report, selection.counts, self._learned, is_decided)

    def _count(self, instance: int, run: object) -> None:
        self._learned += 1

    def _arguments(self, search: Search) -> dict[str, Any]:
        """What a search begins with, but for a selection of steps."""
        return {
            "model": self._model,
            "properties": self._properties,
            "search": search,
            "threads": ThreadPool(self._engine.threads or os.cpu_count() or 1),
            "learner": self._learner,
            "fingerprints": self._engine.fingerprints,
            "keep": None,
        }

    def _report(self, level_search: LevelSearch[S]) -> Report[S]:
        """Search, and report."""
        level_search.between_levels = self._look_at_encoding
        try:
            level_search.begin()
            return level_search.report(judged_levels(level_search).search())
        finally:
            level_search.close()
