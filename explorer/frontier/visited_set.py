"""The visited set: the fingerprints of all states found so far, in hash tables.

There is one table for each part of the fingerprints, so that a table grows alone and
threads never meet in one. A small table is open, with whole fingerprints, and beside it
is the table of the keys, if there are any. A large one without keys has buckets, in
which a fingerprint takes 6 to 7 bytes; see `kernels.visited.bucket_table`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.frontier import table_shapes
from replicheck.explorer.frontier.state_keys import records
from replicheck.explorer.frontier.table_shapes import (
    MOST_ROOM,
    NEARLY,
    PARTS_AT_ONCE,
    Shape,
    filled,
    grown,
    parts_at_once,
    shape_for,
    unpacked,
)
from replicheck.explorer.native.kernels.arrays import (
    PART_BITS,
    PARTS,
    WORD_BITS,
    Slots,
    U64Array,
)
from replicheck.explorer.native.library import add_all, spread
from replicheck.explorer.native.packing import pack
from replicheck.explorer.runtime.memory.growable_memory import GrowableMemory
from replicheck.explorer.runtime.thread_pool import ParallelMap, map_in_turn


class VisitedSet:
    """The tables, with where each is, its shape, and how many fingerprints it holds."""

    def __init__(self, words: int = 0) -> None:
        """Begin with nothing; a key has so many words."""
        self.words = words
        self._fingerprints: list[GrowableMemory] = []
        self._keys: list[GrowableMemory] = []
        self.addresses = np.zeros((2, PARTS), np.int64)
        """Where the tables are, and where the keys."""
        self.sizes = np.zeros(PARTS, np.int64)
        self.widths = np.zeros(PARTS, np.int64)
        self.counts = np.zeros(PARTS, np.int64)
        self._rooms = np.zeros(PARTS)
        """How many fingerprints each table may hold."""
        self.homeless = np.zeros(PARTS, np.uint64)
        """For each part a fingerprint that counts, but has no place, or 0."""
        self.forget()

    def forget(self) -> None:
        """Forget all fingerprints, and give their memory back."""
        size = table_shapes.FIRST_SIZE
        self._fingerprints = [GrowableMemory(size) for _ in range(PARTS)]
        if self.words:
            self._keys = [GrowableMemory(size * self.words) for _ in range(PARTS)]
        self.counts[:] = 0
        self.homeless[:] = 0
        for part in range(PARTS):
            self._note(part, Shape(WORD_BITS, size))

    @property
    def slots(self) -> Slots:
        """The tables as kernels get them."""
        return Slots(
            self.addresses[0], self.sizes, self.widths, self.counts, self.homeless
        )

    def shape(self, part: int) -> Shape:
        """The shape of a part's table."""
        return Shape(int(self.widths[part]), int(self.sizes[part]))

    def make_room(self, more: npt.NDArray[np.int64], parallel_map: ParallelMap) -> None:
        """Make room for more fingerprints of each part."""
        needed = self.counts + more
        if (needed <= self._rooms).all():
            return
        growing = np.flatnonzero(needed > NEARLY * self._rooms)
        self._grow(growing, needed, parallel_map)

    def house_all(self, parallel_map: ParallelMap) -> None:
        """Have larger tables where a fingerprint has no place, and give it one."""
        self._grow(np.flatnonzero(self.homeless), self.counts, parallel_map)

    def load(self, fingerprints: U64Array, keys: U64Array) -> None:
        """Add fingerprints in ascending order, none of which is there yet.

        Args:
            keys: ``keys[i]`` is that of ``fingerprints[i]``.
        """
        lowest = np.arange(PARTS + 1, dtype=object) << (64 - PART_BITS)
        ends = [
            *np.searchsorted(fingerprints, lowest[:-1].astype(np.uint64)),
            len(fingerprints),
        ]
        self.make_room(np.diff(np.array(ends)), map_in_turn)
        for part, (low, high) in enumerate(pairwise(ends)):
            if low == high:
                continue
            if self.widths[part] != WORD_BITS:
                self._load_buckets(part, fingerprints[low:high])
                continue
            words = keys[low:high].reshape(-1)
            into = self._fingerprints[part].words, self._keys_of(part)
            add_all(fingerprints[low:high], words, *into, self.words)
            self.counts[part] += int(high - low)

    def settled(
        self, part: int, fresh: tuple[U64Array, U64Array] | None
    ) -> tuple[U64Array, U64Array]:
        """Fingerprints of a part without the fresh ones, in ascending order.

        Args:
            fresh: fingerprints, and the key of each; the result is the same.
        """
        held = self._held(part)
        if fresh is not None:
            held = np.setdiff1d(held, records(*fresh), assume_unique=True)
        pairs = np.sort(held).view(np.uint64).reshape(-1, 1 + self.words)
        return pairs[:, 0].copy(), pairs[:, 1:].copy()

    @property
    def size(self) -> int:
        """The bytes that the tables take."""
        return sum(table.size for table in (*self._fingerprints, *self._keys))

    def table(self, part: int) -> U64Array:
        """The words of a part's table; see `GrowableMemory`."""
        return self._fingerprints[part].words

    def _held(self, part: int) -> npt.NDArray[Any]:
        """The fingerprints of a part, with their keys."""
        if not self.words:
            return self._unpacked(part, np.empty(self.counts[part], np.uint64))
        table, keys = self.table(part), self._keys_of(part)
        taken = table != 0
        return records(table[taken], keys.reshape(len(table), self.words)[taken])

    def _grow(
        self,
        growing: npt.NDArray[np.intp],
        needed: npt.NDArray[np.int64],
        parallel_map: ParallelMap,
    ) -> None:
        """Have larger tables of some parts, with room for so many fingerprints."""
        before = self.sizes.copy()
        open_ones, others = [], []
        for part in growing.tolist():
            new = grown(self.shape(part), int(needed[part]), bucketed=not self.words)
            if new.width == WORD_BITS:
                self._resize(part, new)
                open_ones.append(part)
            else:
                others.append((part, new))
        self._spread(np.array(open_ones, np.intp), before, parallel_map)

        def rebuild(first: int) -> None:
            parts = others[first : first + PARTS_AT_ONCE]
            most = max(int(self.counts[part]) for part, _ in parts)
            spare = np.empty(most, np.uint64)
            for part, shape in parts:
                self._rebuild(part, shape, spare)

        parallel_map(rebuild, range(0, len(others), PARTS_AT_ONCE))

    def _spread(
        self,
        growing: npt.NDArray[np.intp],
        before: npt.NDArray[np.int64],
        parallel_map: ParallelMap,
    ) -> None:
        """Bring the fingerprints of open tables, which have grown, to new slots."""
        slots, most = pack(self.slots), int(self.counts.max())
        addresses, words = self.addresses[1], self.words
        at_once = parts_at_once(int(self.counts.sum()))

        def spread_parts(first: int) -> None:
            parts = growing[first : first + at_once]
            room = np.empty(most, np.uint64), np.empty(most * words, np.uint64)
            spread(parts, slots, before, addresses, words, *room)

        parallel_map(spread_parts, range(0, len(growing), at_once))

    def _rebuild(self, part: int, shape: Shape, spare: U64Array) -> None:
        """Move a part's fingerprints to a table of buckets, by way of spare room."""
        fingerprints = self._unpacked(part, spare)
        self._clear(part, shape)
        self._fill(part, fingerprints)
        while self.homeless[part]:
            room = shape.growth * shape.room
            is_spread = room < MOST_ROOM * len(fingerprints)
            shape = shape_for(room, bucketed=is_spread)
            self._clear(part, shape)
            self._fill(part, fingerprints)

    def _load_buckets(self, part: int, fingerprints: U64Array) -> None:
        done = 0
        while done < len(fingerprints):
            added = self._fill(part, fingerprints[done:])
            done += added
            self.counts[part] += added
            if self.homeless[part]:
                self.house_all(map_in_turn)

    def _unpacked(self, part: int, into: U64Array) -> U64Array:
        """The fingerprints of a part without keys, at the beginning of an array."""
        count = unpacked(part, self.table(part), self.shape(part), into)
        if self.homeless[part]:
            into[count] = self.homeless[part]
            count += 1
        return into[:count]

    def _clear(self, part: int, shape: Shape) -> None:
        self._resize(part, shape)
        self.table(part)[:] = 0
        self.homeless[part] = 0

    def _fill(self, part: int, fingerprints: U64Array) -> int:
        homeless = self.homeless[part : part + 1]
        return filled(self.table(part), self.shape(part), fingerprints, homeless)

    def _keys_of(self, part: int) -> U64Array:
        return self._keys[part].words if self.words else np.empty(0, np.uint64)

    def _resize(self, part: int, shape: Shape) -> None:
        self._fingerprints[part].grow(shape.words)
        if self.words:
            self._keys[part].grow(shape.size * self.words)
        self._note(part, shape)

    def _note(self, part: int, shape: Shape) -> None:
        self.widths[part], self.sizes[part] = shape
        self._rooms[part] = shape.room
        self.addresses[0, part] = self._fingerprints[part].address
        if self.words:
            self.addresses[1, part] = self._keys[part].address
