"""Storage of a search: in memory, and past the memory budget on the disk.

In memory, the visited set tells what is new. On the disk, it only tells what is new in
the run at work; the merge of `spilled_runs` tells the rest when a level is complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from replicheck.explorer.engine import Limits
from replicheck.explorer.engines.breadth_first.checkpointer import (
    Checkpointer,
    LevelStart,
)
from replicheck.explorer.frontier.levels import NextLevel, empty_level, fresh_level
from replicheck.explorer.frontier.state_keys import StateKeys
from replicheck.explorer.frontier.table_shapes import FULLEST
from replicheck.explorer.frontier.visited_set import VisitedSet
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import Level, U64Array
from replicheck.explorer.native.packed_rows import RowView
from replicheck.explorer.runtime.memory import process_memory
from replicheck.explorer.runtime.memory.buffer_pool import BufferPool
from replicheck.explorer.runtime.thread_pool import ParallelMap
from replicheck.explorer.search.memory_budget import WORTH_MOVING, MemoryBudget
from replicheck.explorer.search.parent_pointers import ParentPointers
from replicheck.explorer.statistics import MemoryUse

if TYPE_CHECKING:
    from replicheck.explorer.engines.breadth_first.checkpoint import Checkpoint
    from replicheck.explorer.engines.breadth_first.spilled_runs import SpilledRuns


class Storage:
    """Visited set, path and level of one search, and its place on the disk if any."""

    def __init__(
        self,
        learner: Learner,
        state_keys: StateKeys,
        checkpointer: Checkpointer | None,
        limits: Limits,
        parallel_map: ParallelMap,
    ) -> None:
        self.checkpointer = checkpointer
        self.visited = VisitedSet(state_keys.count)
        self.path = ParentPointers(())
        self.level = empty_level()
        self.found: NextLevel | None = None
        """What the level at work has found."""
        self.is_whole = True
        """Whether the level at work could be kept in a checkpoint now."""
        self.spilled_runs: SpilledRuns | None = None
        """There once the budget of memory was reached."""
        self.unkept: str | None = None
        """Why no checkpoint is written any more, if that is so."""
        self._is_level_on_disk = False
        self._learner, self._state_keys = learner, state_keys
        self._parallel_map = parallel_map
        self.budget = MemoryBudget(limits)
        self._buffers = BufferPool()
        self._growth = 1.0
        """How many times as large as the level before the last one was."""

    def begin(self, rows: Sequence[tuple[int, ...]], level: Level) -> None:
        """Begin with the level of the initial states.

        Args:
            rows: those of the level.
        """
        self.path = ParentPointers(rows)
        self.level = level
        self.visited.load(level.fingerprints, self._state_keys.of_level(level))

    def go_on(self) -> Checkpoint:
        """Go on from the checkpoint, and return it.

        Raises:
            CheckpointError: if it cannot be used, or is of another model or search.
        """
        # Imported only here, as below: a short search has no checkpoint.
        from replicheck.explorer.engines.breadth_first import checkpoint

        assert self.checkpointer is not None, "there is no folder to go on from"
        keep = self.checkpointer.keep
        kept, archive = checkpoint.read(
            keep.folder, self.checkpointer.model_digest, keep.recipe
        )
        self.checkpointer.archive = archive
        self._learner.adopt(kept.numbering)
        self.path = ParentPointers(kept.starts, archive)
        bits = self._learner.tables.bits_of_all
        self.level = fresh_level(kept.rows, kept.fingerprints, bits)
        words = 1 + self._state_keys.count
        known = int(archive.runs[-1] * 8 * words / FULLEST)
        if self.budget.has_memory(known + self._size):
            for run, keys in archive.keyed_runs():
                self.visited.load(run, keys)
        else:
            self.spilled_runs = self._spill_in(keep.folder)
            self.level = self.spilled_runs.store(self.level)
            self._is_level_on_disk = True
        return kept

    def find(self) -> NextLevel:
        """Allocate the next level, for what the level at work will find."""
        room = int(len(self.level.fingerprints) * self._growth)
        self.found = NextLevel(self._learner.tables, self.level, room, self._buffers)
        return self.found

    def advance(self) -> None:
        """Make what was found the level at work.

        Raises:
            OSError: if the disk is full.
        """
        assert self.found is not None, "nothing was searched for"
        archive = self.path.archive
        if self.spilled_runs is None or archive is None:
            self.is_whole = False
            self._growth = self.found.count / len(self.level.fingerprints)
            level, parents, steps = self.found.finish(self._parallel_map)
        else:
            runs = list(archive.keyed_runs())
            level, parents, steps = self.spilled_runs.merge(
                self.found, self._parallel_map, runs
            )
            self.visited.forget()
        if archive is not None:
            archive.extend(fingerprints=level.fingerprints)
            for keys in self._state_keys.each_of(RowView(level.rows)):
                archive.extend(keys=keys.reshape(-1))
        self.path.add(parents, steps)
        if archive is not None:
            archive.end_run()
        self.found.release()
        self._buffers.give(*self.level.arrays)
        self.level, self.found = level, None
        self._is_level_on_disk = self.spilled_runs is not None
        self.is_whole = True

    def heed(self) -> str | None:
        """Move to the disk what has no room in memory; return the limit that forbids.

        What is learned cannot move: if it alone takes too much, the limit is memory. To
        be called only while nothing is at work on what was found.
        """
        self.budget.look()
        if self._is_short_of_memory:
            if self.checkpointer is None:
                return "memory"
            try:
                self._move_path_to_disk(self.checkpointer)
                if self._is_short_of_memory:
                    self._move_to_disk(self.checkpointer)
            except OSError:
                return "disk"
            self.budget.look()
            if self.budget.is_exceeded:
                return "memory"
        return None if self.budget.has_disk(self._on_disk) else "disk"

    def heed_learning(self) -> str | None:
        """Move to the disk while functions are learned, only if memory runs out."""
        self.budget.look()
        return self.heed() if self.budget.is_exceeded else None

    def memory(self, states: int) -> MemoryUse:
        """Memory use at most, and for each of so many states."""
        self.budget.look()
        peak, states = process_memory.peak_bytes(), max(1, states)
        kept = self.visited.size + self.path.size
        return MemoryUse(
            peak=peak,
            own=self.budget.most,
            base=self.budget.base,
            budget=self.budget.memory,
            on_disk=self.spilled_runs is not None,
            kept_per_state=round(kept / states, 1),
            process_per_state=round(peak / states, 1),
        )

    @property
    def _is_short_of_memory(self) -> bool:
        """Tell whether something must be moved to the disk.

        What was found becomes a level before it is.
        """
        if not self.budget.has_memory(self._size):
            return True
        found = 0 if self.found is None else self.found.finished_size
        if self.budget.is_kept(found):
            return False
        return self.spilled_runs is None or found >= WORTH_MOVING

    def write_checkpoint(self, checkpointer: Checkpointer, start: LevelStart) -> None:
        """Write a checkpoint from which the level at work will be expanded.

        Raises:
            OSError: if the disk is full, or the folder cannot be written.
        """
        from replicheck.explorer.engines.breadth_first.checkpoint import Checkpoint

        checkpointer.begin(self.visited, self.path, self._fresh)
        accesses = [
            (sorted(known.reads), sorted(known.writes))
            for known in self._learner.read_write_sets
        ]
        checkpointer.write(
            Checkpoint(
                start.snapshot,
                self.path.starts,
                self._learner.numbering,
                self.level.rows,
                self.level.fingerprints,
                start.sample,
                start.others,
                accesses,
            )
        )

    def stay_in_memory(self, why: OSError) -> bool:
        """Give the disk up if nothing there is needed; tell whether that was so."""
        checkpointer = self.checkpointer
        if (
            checkpointer is None
            or checkpointer.keep.is_there
            or self.spilled_runs is not None
        ):
            return False
        if self.path.archive is not None:
            self.path.move_back()
        with suppress(OSError):
            checkpointer.remove()
        self.checkpointer, self.unkept = None, str(why)
        return True

    def _move_path_to_disk(self, checkpointer: Checkpointer) -> None:
        """Move the path alone, if that makes a difference: it costs next to nothing."""
        if self.budget.is_path_worth_moving(self.path.size, self._size):
            self.path.move_to_file(checkpointer.make_folder())
            self.budget.look()

    def _move_to_disk(self, checkpointer: Checkpointer) -> None:
        if self.spilled_runs is None:
            checkpointer.begin(self.visited, self.path, self._fresh)
            self.spilled_runs = self._spill_in(checkpointer.keep.folder)
        if self.found is not None:
            self.spilled_runs.put(self.found, self._parallel_map)
            self._buffers.forget()
            self.found.begin_anew()
        self.visited.forget()

    def _spill_in(self, folder: Path) -> SpilledRuns:
        from replicheck.explorer.engines.breadth_first.spilled_runs import SpilledRuns

        return SpilledRuns(folder, self._state_keys)

    def _fresh(self, part: int) -> tuple[U64Array, U64Array] | None:
        """The new states of one part of the visited set: they are visited, too."""
        if self.found is None:
            return None
        if not self._state_keys.count:
            # Without rows, for which the tables may have found no room.
            fingerprints = self.found.fingerprints(part)
            return fingerprints, np.empty((len(fingerprints), 0), np.uint64)
        level = self.found.part(part)
        return level.fingerprints, self._state_keys.of_level(level)

    @property
    def _size(self) -> int:
        """The bytes of memory that all this will take at the level's end."""
        found = self.found
        return (
            self.visited.size
            + self.path.size
            + self._learner.tables.size
            + (0 if self._is_level_on_disk else self.level.size)
            + (0 if found is None else found.size + found.finished_size)
        )

    @property
    def _on_disk(self) -> int:
        """The bytes that all this takes on the disk, a checkpoint included."""
        if self.path.archive is None:
            return self.path.file_size
        taken = self.path.archive.size + self.level.rows.words.nbytes
        if self.spilled_runs is not None:
            taken += self.spilled_runs.size
        if self._is_level_on_disk:
            taken += self.level.size
        return taken
