"""Levels: the states that are being expanded, and those that are being found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.frontier.table_shapes import parts_at_once
from replicheck.explorer.native.disabled_bits import (
    bits_of_all,
    moved_bits,
    sets_of_bits,
    width_of,
)
from replicheck.explorer.native.kernels.arrays import (
    PARTS,
    DisabledBits,
    Fields,
    Found,
    Level,
    PackedRows,
    U64Array,
)
from replicheck.explorer.native.library import gather
from replicheck.explorer.native.packed_rows import (
    fields_for,
    fields_of,
    moved_fields,
    pack_rows,
    words_of,
)
from replicheck.explorer.native.packing import pack
from replicheck.explorer.runtime.memory.buffer_pool import BufferPool
from replicheck.explorer.runtime.thread_pool import ParallelMap, map_in_turn
from replicheck.explorer.tables.tables import Tables

FIRST_ROOM = 64
GROWTH = 1.5
SPARE = 1.1
DIGITS = 1 << 11
"""What a pass of `gather` sorts by has so many values at most."""
PRINT = WORD = 8
PARENT = STEP = 4
CUT = 1
"""Bytes of what `NextLevel.finished_size` counts beside the rows."""


def first_level(
    rows: Sequence[Sequence[int]],
    fingerprints: Sequence[int],
    bits: DisabledBits,
    fields: Fields,
) -> Level:
    """The level of the initial states, in the order of their fingerprints."""
    order = sorted(range(len(rows)), key=lambda state: fingerprints[state])
    numbers = np.array([rows[state] for state in order])
    return fresh_level(
        pack_rows(numbers, fields),
        np.array([fingerprints[state] for state in order], np.uint64),
        bits,
    )


def fresh_level(
    rows: PackedRows, fingerprints: npt.NDArray[np.uint64], bits: DisabledBits
) -> Level:
    """A level of states of which nothing else is known."""
    count = len(fingerprints)
    return Level(
        rows=rows,
        fingerprints=fingerprints,
        disabled=np.zeros((count, width_of(bits)), np.uint64),
        constrained=np.zeros(count, np.uint8),
        bits=bits,
    )


def empty_level() -> Level:
    """A level of no state, whatever the model."""
    rows = pack_rows(np.empty((0, 0), np.uint16), fields_for(()))
    return fresh_level(rows, np.empty(0, np.uint64), bits_of_all(0))


def take_level(
    pool: BufferPool, count: int, bits: DisabledBits, fields: Fields
) -> Level:
    """Take a level with room for so many states from a pool, its content undefined."""
    return Level(
        rows=PackedRows(pool.take((count, words_of(fields)), np.uint64), fields),
        fingerprints=pool.take((count,), np.uint64),
        disabled=pool.take((count, width_of(bits)), np.uint64),
        constrained=pool.take((count,), np.uint8),
        bits=bits,
    )


class NextLevel:
    """What the expansion of a level finds, part by part, in `found`."""

    def __init__(
        self, tables: Tables, before: Level, room: int, buffers: BufferPool
    ) -> None:
        """Expect so many states in all, about equally many of each part.

        Args:
            before: the level that is expanded.
        """
        self._tables, self._before, self._buffers = tables, before, buffers
        self.bits = before.bits
        """Those of the new states; they may be chosen before any is found."""
        self._room = max(FIRST_ROOM, int(SPARE * room) // PARTS)
        self.found = self._arrays()

    @property
    def count(self) -> int:
        """The number of new states."""
        return int(self.found.counts.sum())

    @property
    def size(self) -> int:
        """The bytes that the new states take, as they are found."""
        fingerprints, sources, indices, _ = self.found
        return self.count * (
            fingerprints.itemsize + sources.itemsize + indices.itemsize
        )

    @property
    def finished_size(self) -> int:
        """The bytes that the new states will take as a level, with the way."""
        row = words_of(self._fields) * WORD
        rest = PRINT + width_of(self.bits) * WORD + CUT + PARENT + STEP
        return self.count * (row + rest)

    def part(self, part: int) -> Level:
        """The new states of a part."""
        found, taken = self.found, self._taken(part)
        alone = Found(
            found.fingerprints[taken],
            found.sources[taken],
            found.indices[taken],
            found.counts[part : part + 1],
        )
        count, fields = len(alone.fingerprints), self._fields
        rows = PackedRows(np.empty((count, words_of(fields)), np.uint64), fields)
        level = fresh_level(rows, np.empty(count, np.uint64), self.bits)
        self._gather(alone, level, map_in_turn)
        return level

    def fingerprints(self, part: int) -> U64Array:
        """The fingerprints of the new states of a part, in no order."""
        return self.found.fingerprints[self._taken(part)]

    @property
    def is_full(self) -> bool:
        """Whether there is no room for one more state of some part."""
        return int(self.found.counts.max()) == self._room

    def make_room(self) -> None:
        """Make room for more states of each part."""
        old, before, most = self.found, self._room, int(self.found.counts.max())
        self._room = int(before * GROWTH) + 1
        self.found = self._arrays()._replace(counts=old.counts)
        for name in ("fingerprints", "sources", "indices"):
            source: npt.NDArray[Any] = getattr(old, name)
            target: npt.NDArray[Any] = getattr(self.found, name)
            kept = source.reshape(PARTS, before)[:, :most]
            target.reshape(PARTS, self._room)[:, :most] = kept
        self._buffers.give(*old)

    def finish(
        self, parallel_map: ParallelMap
    ) -> tuple[Level, npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """The level, sorted, with the parent and the step of each state.

        There is nothing found any more then.
        """
        level = take_level(self._buffers, self.count, self.bits, self._fields)
        parents, steps = self._gather(self.found, level, parallel_map)
        self.found.counts[:] = 0
        return level, parents, steps

    def begin_anew(self) -> None:
        """Have other arrays, of untouched memory; nothing is found."""
        self.found = self._arrays()

    def release(self) -> None:
        """Give the arrays back; nothing can be found any more."""
        self._buffers.give(*self.found)

    def _taken(self, part: int) -> slice:
        start = part * self._room
        return slice(start, start + int(self.found.counts[part]))

    @property
    def _fields(self) -> Fields:
        return fields_of(self._tables.dictionaries)

    def _gather(
        self, found: Found, level: Level, parallel_map: ParallelMap
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Write what was found to a level; return the parents and the steps."""
        count = len(level.fingerprints)
        parents, steps = np.empty(count, np.uint32), np.empty(count, np.uint32)
        most = int(found.counts.max())
        arrays, before = self._tables.arrays(), self._before
        arguments = (
            *(found, arrays, before, level),
            moved_fields(before.rows.fields, level.rows.fields),
            moved_bits(before.bits, level.bits),
            sets_of_bits(level.bits, arrays.readers),
            *(parents, steps),
        )
        packed = [pack(argument) for argument in arguments]
        at_once = parts_at_once(count)

        def move(part: int) -> None:
            order, spare = np.empty((2, most), np.uint32)
            starts = np.empty(DIGITS + 1, np.int64)
            end = min(part + at_once, len(found.counts))
            gather(part, end, *packed, order, spare, starts)

        parallel_map(move, range(0, len(found.counts), at_once))
        return parents, steps

    def _arrays(self) -> Found:
        count, take = PARTS * self._room, self._buffers.take
        return Found(
            fingerprints=take((count,), np.uint64),
            sources=take((count,), np.uint32),
            indices=take((count,), np.int32),
            counts=np.zeros(PARTS, np.int64),
        )
