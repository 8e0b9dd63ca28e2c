"""The breadth-first engine: the naive search at the speed of compiled loops."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from attrs import frozen

from replicheck.explorer.engine import CheckpointSettings, Search
from replicheck.explorer.engines.breadth_first.other_violations import ExpandedRows
from replicheck.explorer.engines.breadth_first.search import LevelSearch
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.encoding_watch import (
    CROWDED,
    FIRST_STATES,
    encoding_watch,
    until_found,
)
from replicheck.explorer.learning.learner import SAMPLE, Learner
from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.search.level_loop import JudgedLevels
from replicheck.explorer.states.encoding import AT_FIRST, EncodedOtherwise, Encoding
from replicheck.explorer.states.symmetry import Reduction, renamings_of

Attempt = Callable[[Encoding], AbstractContextManager[LevelSearch[S]]]
"""Begins a search in which sets have so many columns, by field."""


@frozen
class BreadthFirst:
    """Breadth-first over learned tables, one machine, several threads."""

    threads: int = 0
    """How many; 0 is one for each core."""
    sample: int = SAMPLE
    """One run of a model's function in so many is repeated and compared.

    1 is all; then some states of each level are checked against plain ones, too.
    """
    reduction: Reduction = Reduction.NONE
    fingerprints: KeyPrecision = KeyPrecision.BITS_64
    keep: CheckpointSettings | None = None
    """Where to keep checkpoints and what memory has no room for, if anywhere."""
    crowded: int = CROWDED
    """A set with so many values is split, if that spares something."""
    name: str = "breadth-first"

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Search the model's states level by level. See `Engine.explore`."""
        return self._explore(partial(self._search, model, properties, search), AT_FIRST)

    def resume(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Go on from the checkpoint; the report is that of one uninterrupted search.

        A limit on seconds counts from here.

        Raises:
            CheckpointError: if it cannot be used, or is of another model or search.
            ModelError: if the model breaks the contract.
        """
        attempt = partial(self._search, model, properties, search)
        try:
            with attempt(AT_FIRST) as level_search:
                return resumed(level_search, self.crowded)
        except EncodedOtherwise as kept:
            encoding = kept.encoding
        try:
            with attempt(encoding) as level_search:
                return resumed(level_search, self.crowded)
        except EncodedOtherwise as other:
            return self._explore(attempt, encoding | other.encoding)

    def _explore(self, attempt: Attempt[S], encoding: Encoding) -> Report[S]:
        """Search from the beginning, each time that sets are to be split otherwise.

        Args:
            encoding: that of the first attempt.
        """
        started = time.monotonic()

        def whole(encoding: Encoding) -> Report[S]:
            with attempt(encoding) as level_search:
                level_search.bookkeeping.started = started
                learner = level_search.learner
                level_search.between_levels = encoding_watch(learner, self.crowded)
                return _whole(level_search)

        return until_found(whole, encoding)

    @contextmanager
    def _search(
        self,
        model: Model[S],
        properties: Sequence[Property],
        search: Search,
        encoding: Encoding = AT_FIRST,
    ) -> Iterator[LevelSearch[S]]:
        renamings = renamings_of(model, self.reduction)
        learner = Learner(model, properties, renamings, self.sample, encoding)
        level_search = LevelSearch(
            model,
            properties,
            search,
            ThreadPool(self.threads or os.cpu_count() or 1),
            learner,
            self.fingerprints,
            self.keep,
        )
        level_search.expander.chunk_walker.allow_plain_runs()
        try:
            yield level_search
        finally:
            level_search.close()


def resumed(level_search: LevelSearch[S], crowded: int) -> Report[S]:
    """The report of a search that goes on from its checkpoint.

    Args:
        crowded: a set with so many values is split, as long as that loses little.

    Raises:
        EncodedOtherwise: if sets of the checkpoint have other columns, or too few.
    """
    try:
        level_search.go_on()
    except OSError as error:
        raise CheckpointError(
            f"the checkpoint cannot be gone on from: {error}. Free space on its disk,"
            " and resume again"
        ) from error
    if level_search.counts.states < FIRST_STATES:
        level_search.between_levels = encoding_watch(level_search.learner, crowded)
    return level_search.report(judged_levels(level_search).search())


def judged_levels(level_search: LevelSearch[S]) -> JudgedLevels[S, ExpandedRows]:
    """The levels of a search, each judged when it was expanded."""
    bookkeeping, listener = level_search.bookkeeping, level_search.other_violations
    return JudgedLevels(bookkeeping, level_search, listener)


def _whole(level_search: LevelSearch[S]) -> Report[S]:
    """The report of a search from the beginning.

    Raises:
        EncodedOtherwise: if sets are to be split otherwise; no checkpoint is left then.
    """
    try:
        level_search.begin()
        return level_search.report(judged_levels(level_search).search())
    except EncodedOtherwise:
        if level_search.checkpointer is not None:
            level_search.checkpointer.remove()
        raise
