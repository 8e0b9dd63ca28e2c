"""The reduced engine in tasks: the passes of `engine`, each a partitioned search.

The processes of a pass know what the passes before have learned. Each selects steps by
what it knows at its first level, and reads which states are visited from the store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic

from attrs import evolve, frozen

from replicheck.explorer.engine import Search
from replicheck.explorer.engines.partitioned.driver import Driver
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.engines.partitioned.exchange.known_file import (
    KnownFile,
    read_known_file,
)
from replicheck.explorer.engines.partitioned.exchange.messages import Expand
from replicheck.explorer.engines.partitioned.search import (
    ExpandedBuckets,
    PartitionedSearch,
)
from replicheck.explorer.engines.partitioned.worker.worker import Worker
from replicheck.explorer.engines.reduced.passes import (
    Pass,
    Passes,
    require_no_constraints,
)
from replicheck.explorer.learning.encoding_watch import until_found
from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Property
from replicheck.explorer.reduction.step_selection import SelectionCounts
from replicheck.explorer.report import Report
from replicheck.explorer.search.level_loop import Ending
from replicheck.explorer.states.encoding import Encoding

COST = 256
"""So many states are expanded in the time in which a pass expands one, about."""


@frozen
class ReducedPartitioned:
    """The search of an engine in tasks, with those steps that are enough.

    ``engine`` keeps no checkpoint and no states. A search of at most ``reduce_beyond``
    states leaves out nothing. The runs that are found are made short with so many
    ``threads``.
    """

    engine: Partitioned
    reduce_beyond: int = 0
    threads: int = 0

    @property
    def name(self) -> str:
        """Name of the engine in reports."""
        return self.engine.name

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Search representatives of the model's runs. See `Engine.explore`."""
        require_no_constraints(model)
        started = time.monotonic()
        first, left = self.engine.first_encoding(model, properties, search, started)

        def reduced(encoding: Encoding) -> Report[S]:
            searched = _ReducedPartitionedSearch(
                self, model, properties, left, encoding, started
            )
            return searched.run()

        return until_found(reduced, first)


@frozen(eq=False)
class _Known:
    """What has become known to all processes of a search, and which premises held.

    A premise is looked at only where a path is learned.
    """

    files: Sequence[KnownFile] = ()
    premises: frozenset[str] = frozenset()

    @classmethod
    def of(cls, driver: Driver) -> _Known:
        """What is known in the search of a driver.

        Raises:
            CheckpointError: if a file is not as it was written.
        """
        worker = driver.worker
        files = [
            read_known_file(worker.store.read(piece), piece.name)
            for piece in driver.levels.known
        ]
        return cls(files, frozenset(worker.learner.premises.names_held))

    def give(self, worker: Worker) -> None:
        """Have a worker that knows nothing know this."""
        worker.common.take_over(self.files)
        worker.learner.premises.note_held(self.premises)


class _WholePartitionedSearch(PartitionedSearch[S]):
    """The search that leaves out nothing, until passes take its place.

    ``tell`` is told what is known before they begin.
    """

    def __init__(
        self,
        driver: Driver,
        search: Search,
        name: str,
        *,
        passes: Passes[S],
        tell: Callable[[_Known], None],
    ) -> None:
        super().__init__(driver, search, name)
        self._passes, self._tell = passes, tell

    def enforce(self) -> None:
        """Where the search has become large, have passes take its place, if they can.

        Raises:
            SearchStopped: if they do.
        """
        super().enforce()
        if self._passes.are_due(self.counts.states + self.size):
            self._tell(_Known.of(self.driver))
            self._passes.take_its_place(self.status.reached)


class _PassSearch(PartitionedSearch[S]):
    """One pass, which begins with what others have learned.

    It may miss the claims that are optional.
    """

    def __init__(
        self,
        driver: Driver,
        search: Search,
        name: str,
        *,
        known: _Known,
        optional: frozenset[str],
    ) -> None:
        super().__init__(driver, search, name)
        self._optional = optional
        self.selected = SelectionCounts()
        self.learned = 0
        self.is_vain = False
        """Whether a process learns by itself what others read in another order."""
        self.known = known
        """All that is known at its beginning, then at its end."""
        known.give(driver.worker)

    def expand(self, limit: str | None) -> ExpandedBuckets:
        """Have the buckets of the level expanded, and count. See `LevelEngine`."""
        expanded = super().expand(limit)
        for report in expanded.reports:
            self.selected.add(report.selected)
            self.learned += len(report.update.paths)
            self.is_vain |= report.update.learns_alone
        return expanded

    def report(self, ending: Ending[S]) -> Report[S]:
        """Report of the pass; what it knows is kept, since its files are removed."""
        self.known = _Known.of(self.driver)
        return super().report(ending)

    def _task(self, limit: str | None) -> Expand:
        visited = [
            [run.piece for run in bucket.runs] for bucket in self.driver.level.buckets
        ]
        return evolve(super()._task(limit), visited=visited, optional=self._optional)


class _ReducedPartitionedSearch(Generic[S]):
    """A whole search, and the passes that may take its place."""

    def __init__(
        self,
        engine: ReducedPartitioned,
        model: Model[S],
        properties: Sequence[Property],
        search: Search,
        encoding: Encoding,
        started: float,
    ) -> None:
        self._engine, self._model, self._properties = engine, model, properties
        self._encoding = encoding
        self._known = _Known()
        self._passes = Passes(
            model,
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
            EncodedOtherwise: if sets have too few columns.
        """
        whole: Callable[[Driver, Search, str], PartitionedSearch[S]] = partial(
            _WholePartitionedSearch, passes=self._passes, tell=self._hear
        )
        report = self._engine.engine.explore_as(
            whole, self._model, self._properties, self._passes.whole, self._encoding
        )
        return self._passes.report(report)

    def _hear(self, known: _Known) -> None:
        self._known = known

    def _pass(self, search: Search, optional: frozenset[str]) -> Pass[S]:
        """Run a pass with what is known now, which may miss optional claims."""
        begun: list[_PassSearch[S]] = []

        def one(driver: Driver, search: Search, name: str) -> _PassSearch[S]:
            begun.append(
                _PassSearch(driver, search, name, known=self._known, optional=optional)
            )
            return begun[-1]

        engine = evolve(self._engine.engine, cost=COST)
        report = engine.explore_as(
            one, self._model, self._properties, search, self._encoding
        )
        (done,) = begun
        self._known = done.known
        is_decided = done.status.are_enough
        return Pass(report, done.selected, done.learned, is_decided, done.is_vain)
