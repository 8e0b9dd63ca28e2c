"""A worker: one process with its own tables, which expands and merges buckets."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from attrs import evolve

from replicheck.explorer.engine import Limits
from replicheck.explorer.engines.partitioned.exchange.messages import (
    Bucket,
    Expand,
    Expanded,
    Merge,
    Merged,
    MergedAll,
    Part,
    Result,
    SampledStates,
    SearchSpec,
    Task,
    Written,
)
from replicheck.explorer.engines.partitioned.store.blocks import (
    WHICH_BITS,
    Array,
    Block,
    block_slice,
    bucket_slices,
    indices_of,
    packed,
    unpacked,
)
from replicheck.explorer.engines.partitioned.store.store import (
    Piece,
    PieceFile,
    Store,
    folder_of,
)
from replicheck.explorer.engines.partitioned.worker.common_knowledge import (
    CommonKnowledge,
    learner_of,
)
from replicheck.explorer.engines.partitioned.worker.merge import Merger
from replicheck.explorer.engines.partitioned.worker.parquet import ParquetStates
from replicheck.explorer.engines.partitioned.worker.pass_selection import PassSelection
from replicheck.explorer.engines.partitioned.worker.recent_states import RecentStates
from replicheck.explorer.frontier.chunk_walker import Expansion
from replicheck.explorer.frontier.expander import Expander, StepSelector
from replicheck.explorer.frontier.levels import NextLevel
from replicheck.explorer.learning.checks.cross_check import recheck
from replicheck.explorer.native.disabled_bits import bits_at
from replicheck.explorer.native.kernels.arrays import (
    Fields,
    Level,
    PackedRows,
    U64Array,
)
from replicheck.explorer.native.packed_rows import RowView, fields_of
from replicheck.explorer.reduction.step_selection import SelectionCounts
from replicheck.explorer.runtime.memory import process_memory
from replicheck.explorer.runtime.memory.buffer_pool import BufferPool
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.search.guard_coverage import SAMPLED, count_cuts
from replicheck.explorer.search.memory_budget import MemoryBudget

FEW = (64, 1024)
"""States that a process looks at before a level, if it has missed the one before."""


class Worker:
    """The tables of one process, kept from task to task and from level to level."""

    def __init__(self, spec: SearchSpec, store: Store) -> None:
        self.spec, self.store = spec, store
        self.learner = learner_of(spec)
        self.common = CommonKnowledge(self.learner, store)
        self.numbering = self.common.numbering
        self.threads = ThreadPool(1)
        self.while_working: Callable[[], None] = lambda: None
        """Is called now and then while a task is done; may raise to end it."""
        self.budget = MemoryBudget(Limits())
        self._selection: PassSelection | None = None
        self.expander = self._new_expander()
        self.state_keys = self.expander.state_keys
        self._recent = RecentStates(self.state_keys.count)
        self.learner.tables.require_room = self.budget.require_room
        self._buffers = BufferPool()
        self._growth = 1.0
        """How many states the last expanded state led to, on average."""
        self._last = -1
        """The last level of which it expanded states."""
        self.states = None
        if spec.states is not None:
            self.states = ParquetStates(spec.states, self.learner.layout.cells)

    def _new_expander(self, selector: StepSelector | None = None) -> Expander:
        expander = Expander(
            self.learner, self.threads, self.spec.fingerprints, selector=selector
        )
        expander.chunk_walker.while_learning = self._look
        return expander

    def _look(self, done: int = 0) -> None:
        self.budget.require_memory()
        self.while_working()

    def do(self, task: Task) -> Result:
        """Do a task and return its result.

        Raises:
            CheckpointError: if a file is not as it was written.
            ModelError: if the model breaks the contract.
        """
        return self.expand(task) if isinstance(task, Expand) else self._merge(task)

    def _merge(self, task: Merge) -> MergedAll:
        """Merge some buckets into the next level."""
        started = time.process_time()
        merger = Merger(self.store, task, self.numbering.of_column)
        merged = [self._merge_bucket(merger, bucket) for bucket in task.buckets]
        merger.write()
        return MergedAll(
            merged, time.process_time() - started, process_memory.peak_bytes()
        )

    def _merge_bucket(self, merger: Merger, bucket: Bucket) -> Merged:
        merged, block = merger.merged(bucket)
        if self.states is None or block is None:
            return merged
        rows = RowView(PackedRows(block.rows, merger.task.fields))[:]
        place = merger.task.level, bucket.bucket
        name = self.states.write(*place, rows, block.fingerprints)
        return evolve(merged, parquet=name)

    def expand(self, task: Expand) -> Expanded:
        """Walk the states of some buckets and write what they lead to.

        Raises:
            CheckpointError: if a file is not as it was written.
            ModelError: if the model breaks the contract.
        """
        started = time.process_time()
        self.common.catch_up(task.known, task.level)
        selected = self._select_steps(task)
        level = self.assemble(task.parts)
        if task.level in self.common.levels_with_new_elements:
            level.disabled[:] = 0
        constraint_notes, cuts = None, Counter[str]()
        if task.constraints.any():
            constraint_notes = self._walk(level, task.constraints).notes
            cut = RowView(level.rows)[level.constrained != 0]
            cuts = count_cuts(self.learner, cut)
        if task.level > self._last + 1:
            self._look_around(level, task)
        self._last = task.level
        found = known = None
        if task.finds:
            room = int(self._growth * len(level.fingerprints))
            found = NextLevel(self.learner.tables, level, room, self._buffers)
            found.bits = bits_at(task.places)
            known = self._recent.lend((task.level, task.parts[0].start))
        expansion = self.expander.expand(
            level,
            task.wanted,
            task.judged,
            self._look,
            None if found is None or known is None else (found, known),
            find_stuck=task.finds_stuck,
        )
        if self.learner.is_thorough:
            recheck(self.learner, self.learner.symmetries, level)
        written: Sequence[Written] = ()
        if found is not None and known is not None:
            written = self._write(task, found)
            if self._selection is None:
                self._recent.keep(known)
        seconds = time.process_time() - started
        sampled = self._sampled(level, task.sampled)
        return Expanded(
            expansion,
            constraint_notes,
            cuts,
            sampled,
            selected,
            written,
            self.common.update,
            seconds,
            process_memory.peak_bytes(),
        )

    def _select_steps(self, task: Expand) -> SelectionCounts:
        """Have a pass leave out steps; return what counts them in this task of it."""
        if task.visited is None:
            return SelectionCounts()
        if self._selection is None:
            self._selection = PassSelection(self.learner, self.store, task.optional)
            self.expander = self._new_expander(self._selection.steps)
        return self._selection.begin(task.visited)

    def _sampled(self, level: Level, bound: int) -> SampledStates:
        """The states of a level that may be in the sample."""
        count = int(np.searchsorted(level.fingerprints, np.uint64(bound), side="right"))
        few = slice(min(count, 2 * SAMPLED))
        rows = self.numbering.to_global(RowView(level.rows)[few])
        return SampledStates(
            rows, level.fingerprints[few].copy(), level.constrained[few].copy()
        )

    def _look_around(self, level: Level, task: Expand) -> None:
        """Ask what a few states of a level ask, lest all of them wait for it.

        Answers of single values are not broadcast. A worker that knows every path but
        no answer would stop at each question in all states of a chunk.
        """
        for few in FEW:
            every = max(1, len(level.fingerprints) // few)
            some = level.with_arrays(array[::every].copy() for array in level.arrays)
            self.expander.expand(some, task.wanted, task.judged, self._look)

    def _walk(self, level: Level, wanted: U64Array) -> Expansion:
        return self.expander.expand(level, wanted, wanted, self._look)

    def assemble(self, parts: Sequence[Part]) -> Level:
        """Buckets as one level, in local numbers."""
        states = [self._arrays(part.states) for part in parts]
        fingerprints = [self._arrays(part.fingerprints)[0] for part in parts]
        fields, places, *_ = states[0]
        _, _, words, disabled = (
            np.concatenate(arrays) for arrays in zip(*states, strict=True)
        )
        rows = PackedRows(words, fields)
        return Level(
            rows=self.numbering.packed_local(
                rows, fields_of(self.learner.dictionaries)
            ),
            fingerprints=np.concatenate(fingerprints),
            disabled=disabled,
            constrained=np.zeros(len(disabled), np.uint8),
            bits=bits_at(places),
        )

    def _arrays(self, piece: Piece) -> list[Array]:
        return unpacked(self.store.read(piece), piece.name)

    def _write(self, task: Expand, found: NextLevel) -> list[Written]:
        """Write what was found, bucket by bucket, into one file."""
        self._growth = found.count / sum(part.count for part in task.parts)
        level, parents, steps = found.finish(self.threads.map)
        found.release()
        first, last = task.parts[0], task.parts[-1]
        end = last.start + last.count
        codes = [number << WHICH_BITS | which for number, which in self.learner.steps]
        rows = self.numbering.packed_global(level.rows)
        block = Block(
            rows.words,
            level.fingerprints,
            self.state_keys.all_of(RowView(level.rows)),
            level.disabled,
            indices_of(parents, first.start, end),
            np.array(codes or [0], np.uint32)[steps],
        )
        written = self.write(task.level, rows.fields, block)
        self._buffers.give(*level.arrays)
        return written

    def write(self, level: int, fields: Fields, block: Block) -> list[Written]:
        """Write states, bucket by bucket, into one file in the folder of a level.

        Args:
            fields: those of the rows.

        Raises:
            OSError: if the store cannot be written.
        """
        piece_file = PieceFile(folder_of(level), "found")
        written = []
        for bucket, low, high in bucket_slices(block.fingerprints, self.spec.buckets):
            piece = piece_file.add(packed((fields, *block_slice(block, low, high))))
            written.append(Written(bucket, piece, high - low))
        if written:
            self.store.write_scratch(piece_file.name, piece_file.content)
        return written
