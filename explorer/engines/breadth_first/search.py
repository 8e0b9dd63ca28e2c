"""One breadth-first search.

Level by level: the states of a level are expanded in chunks, each by one thread; what
the tables do not know is learned in between; the candidates are put into the visited
set part by part, each by one thread. Everything that is counted or chosen depends on
the fingerprints alone, so the threads leave no mark on the report.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic

import numpy as np
from attrs import evolve

from replicheck.explorer.engine import CheckpointSettings, Search
from replicheck.explorer.engines.breadth_first.checkpointer import (
    Checkpointer,
    LevelStart,
)
from replicheck.explorer.engines.breadth_first.limit_watch import LimitWatch
from replicheck.explorer.engines.breadth_first.other_violations import (
    ExpandedRows,
    OtherViolations,
)
from replicheck.explorer.engines.breadth_first.storage import Storage
from replicheck.explorer.frontier.expander import Expander, StepSelector
from replicheck.explorer.frontier.levels import first_level
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model, S
from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.native.packed_rows import RowView, fields_of
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.search.bookkeeping import Bookkeeping, SearchStopped
from replicheck.explorer.search.guard_coverage import count_cuts
from replicheck.explorer.search.level_loop import RESUMABLE, Ending
from replicheck.explorer.search.property_status import LevelInMemory, PropertyStatus
from replicheck.explorer.statistics import (
    BreadthFirstStatistics,
    FunctionRuns,
    Statistics,
)


class LevelSearch(Generic[S]):
    """Breadth-first search of one model: the level at work, and how to go on."""

    def __init__(
        self,
        model: Model[S],
        properties: Sequence[Property],
        search: Search,
        threads: ThreadPool,
        learner: Learner,
        fingerprints: KeyPrecision,
        keep: CheckpointSettings | None,
        selector: StepSelector | None = None,
    ) -> None:
        self.threads, self.learner = threads, learner
        self.between_levels: Callable[[int], None] = lambda states: None
        """Is called before each level; may raise to end the search."""
        self._fingerprints = fingerprints
        self.expander = Expander(learner, threads, fingerprints, selector=selector)
        self.status = PropertyStatus(model, properties, learner, search.stop)
        self.bookkeeping = Bookkeeping(learner, self.status, search, "breadth-first")
        self.counts = self.bookkeeping.counts
        self.checkpointer: Checkpointer | None = None
        if keep is not None:
            self.checkpointer = Checkpointer(keep, learner, properties, fingerprints)
        state_keys = self.expander.state_keys
        self.storage = Storage(
            learner, state_keys, self.checkpointer, search.limits, threads.map
        )
        self.limit_watch = LimitWatch(self.bookkeeping, self.storage)
        self.expander.chunk_walker.while_learning = self.limit_watch.report_learning
        learner.tables.require_room = self.storage.budget.require_room
        self.other_violations = OtherViolations(self.status)
        self._level_start: LevelStart | None = None
        """There unless the search is between two levels."""

    def begin(self) -> None:
        """Make the initial states the first level."""
        self._acquire_folder()
        starts = [self.learner.row(state) for state in self.learner.starts]
        of_starts = self.learner.fingerprints(np.array(starts))
        by_fingerprint = dict(sorted(zip(of_starts, starts, strict=True), reverse=True))
        fingerprints = sorted(by_fingerprint)
        rows = [by_fingerprint[fingerprint] for fingerprint in fingerprints]
        bits = self.learner.tables.bits_of_all
        fields = fields_of(self.learner.dictionaries)
        self.storage.begin(rows, first_level(rows, fingerprints, bits, fields))
        self._start_level()

    def go_on(self) -> None:
        """Make the states of the checkpoint the next level."""
        # Imported only here: most searches begin at the initial states.
        from replicheck.explorer.engines.breadth_first import resumption

        self._acquire_folder()
        kept = self.storage.go_on()
        level = len(kept.snapshot.levels) - 1
        resumption.require_same_states(self.learner, self.storage, level)
        self.bookkeeping.restore(kept.snapshot, self.storage.path, kept.sample)
        self.other_violations.restore(kept.others, self.storage.path)
        for known, (reads, writes) in zip(
            self.learner.read_write_sets, kept.accesses, strict=True
        ):
            known.reads.update(reads)
            known.writes.update(writes)
        self._start_level()

    def _acquire_folder(self) -> None:
        if self.checkpointer is not None:
            self.checkpointer.acquire_folder()

    def close(self) -> None:
        """Give back threads and files, however the search ended."""
        self.threads.close()
        if self.checkpointer is not None:
            self.checkpointer.close()

    def _start_level(self) -> None:
        """Take note of what a checkpoint of the level at work is to hold.

        A search that ends in the middle of a level goes on from its beginning.
        """
        self._level_start = LevelStart(
            self.bookkeeping.snapshot(len(self.counts.levels), self.size),
            self.bookkeeping.sample.content,
            self.other_violations.snapshot,
        )

    def report(self, ending: Ending[S]) -> Report[S]:
        """Report of the search, now that it has ended; keep what it can go on from."""
        stopped_by = ending.stopped_by
        report = self.bookkeeping.report(
            stopped_by, ending.failure, self._statistics(), self.other_violations.found
        )
        self._end(stopped_by)
        return report

    @property
    def size(self) -> int:
        """Number of states of the level at work."""
        return len(self.storage.level.fingerprints)

    @property
    def judged_level(self) -> LevelInMemory:
        """The level at work, by its fingerprints."""
        storage = self.storage
        return LevelInMemory(
            storage.path, len(self.counts.levels) - 1, storage.level.fingerprints
        )

    def sampled_states(self, count: int) -> list[S]:
        """Decode so many states at most, spread over the level at work."""
        rows, size = RowView(self.storage.level.rows), self.size
        places = sorted({size * number // count for number in range(count)})
        return [self.learner.state(rows[place].tolist()) for place in places]

    def enforce(self) -> None:
        """Do what is due between two levels, such as to write a checkpoint."""
        self.between_levels(self.counts.states)
        if self.checkpointer is not None and self.checkpointer.is_due:
            self._write_checkpoint_or_stop(self.checkpointer)

    def abandon_level(self) -> None:
        """Write no checkpoint of the level at work unless it is on disk as a whole."""
        self.storage.is_whole &= self.storage.path.archive is not None

    def expand(self, limit: str | None) -> ExpandedRows:
        """Expand the level; where it reaches a limit, only judge its states."""
        status, storage = self.status, self.storage
        constraint_notes = self._judge_constraints()
        wanted = status.wanted(Role.PROPERTY, *(() if limit else (Role.ACTION,)))
        judged = status.wanted(Role.PROPERTY)
        found = None if limit else storage.find()
        if found is not None:
            found.bits = self.expander.bits_after(
                len(storage.level.fingerprints), lambda: storage.level, wanted, judged
            )
        expansion = self.expander.expand(
            storage.level,
            wanted,
            judged,
            self.limit_watch.report_progress,
            None if found is None else (found, storage.visited),
            find_stuck=limit is None and status.asks_for_deadlocks,
        )
        if self.learner.is_thorough:
            # Imported only here, as they are rarely needed.
            from replicheck.explorer.learning.checks.cross_check import recheck

            recheck(self.learner, self.learner.symmetries, storage.level)
        return ExpandedRows(expansion, constraint_notes, RowView(storage.level.rows))

    def advance(self, expanded: ExpandedRows) -> None:
        """Make what was found the level at work, and count what was expanded.

        Raises:
            SearchStopped: if the disk is full.
        """
        level, rows = self.storage.level, RowView(self.storage.level.rows)
        self.bookkeeping.sample.add(rows, level.fingerprints, level.constrained)
        cuts: Counter[str] = Counter()
        if expanded.constraint_notes is not None:
            cuts = count_cuts(self.learner, rows[level.constrained != 0])
        started = time.perf_counter()
        start, self._level_start = self._level_start, None
        try:
            self.storage.advance()
        except OSError as error:
            self._level_start = start
            raise SearchStopped("disk") from error
        if self.learner.show_elements():
            self.storage.level.disabled[:] = 0
        self.expander.effort.frontier += time.perf_counter() - started
        self.counts.add(expanded.expansion, cuts)
        self._start_level()

    def _judge_constraints(self) -> U64Array | None:
        """Mark the states of the level that a constraint keeps from being expanded."""
        wanted = self.status.wanted(Role.CONSTRAINT)
        if not wanted.any():
            return None
        level = self.storage.level
        level.constrained[:] = 0
        return self.expander.expand(
            level, wanted, wanted, self.limit_watch.report_progress
        ).notes

    def _write_checkpoint_or_stop(self, checkpointer: Checkpointer) -> None:
        """Write a checkpoint; without the first one the search goes on in memory."""
        try:
            self._write_checkpoint(checkpointer)
        except OSError as error:
            if not self.storage.stay_in_memory(error):
                raise SearchStopped("disk") from error
            self.checkpointer = None

    def _write_checkpoint(self, checkpointer: Checkpointer) -> None:
        """Write a checkpoint from which the level at work will be expanded."""
        assert self._level_start is not None, "the search is at a level"
        start, seconds = self._level_start, self.bookkeeping.seconds
        snapshot = evolve(start.snapshot, seconds=seconds)
        self.storage.write_checkpoint(checkpointer, start._replace(snapshot=snapshot))

    def _end(self, stopped_by: str | None) -> None:
        """Leave a checkpoint if it makes sense to go on, and none otherwise."""
        if self.checkpointer is None:
            return
        may_go_on = stopped_by in RESUMABLE
        if may_go_on and self.storage.is_whole and self._level_start is not None:
            with suppress(OSError, MemoryError):
                self._write_checkpoint(self.checkpointer)
        if may_go_on and self.checkpointer.keep.is_there:
            self.checkpointer.close()
        else:
            self.checkpointer.remove()

    def _statistics(self) -> Statistics:
        return Statistics(
            breadth_first=self._own_statistics(),
            memory=self.storage.memory(self.counts.states),
            collisions=self._fingerprints.collisions(self.counts.states),
        )

    def _own_statistics(self) -> BreadthFirstStatistics:
        effort, tables = self.expander.effort, self.learner.tables
        return BreadthFirstStatistics(
            threads=[round(seconds, 3) for seconds in self.threads.seconds],
            walking=effort.walking,
            learning=effort.learning,
            inserting=effort.inserting,
            frontier=effort.frontier,
            walks=effort.walks,
            leaves=tables.trees.leaf_count,
            visited=self.storage.visited.size,
            path=self.storage.path.size,
            tables=tables.size,
            unkept=self.storage.unkept,
            fingerprints=self._fingerprints.value,
            functions=self._functions(),
            split=self.learner.layout.elements,
        )

    def _functions(self) -> dict[str, FunctionRuns]:
        """Learning effort by function: runs in Python, seconds, reads."""
        efforts = sorted(self.learner.effort.items())
        return {name: effort.statistics for name, effort in efforts}
