"""The visited set: the fingerprints of all states found so far, in open hash tables.

There is one table for each part of the fingerprints, so that a table grows alone and
threads never meet in one. Beside each is the table of the keys, if there are any.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from replicheck.explorer.frontier.state_keys import records
from replicheck.explorer.native.kernels.arrays import (
    PART_BITS,
    PARTS,
    PARTS_AT_ONCE,
    Slots,
    U64Array,
)
from replicheck.explorer.native.library import add_all, spread
from replicheck.explorer.native.packing import pack
from replicheck.explorer.runtime.memory.growable_memory import GrowableMemory
from replicheck.explorer.runtime.thread_pool import ParallelMap, map_in_turn

FIRST_SIZE = 64
GROWTH = 2
FULLEST = 0.75
"""Share of the slots that may be taken."""
NEARLY = 0.95
"""Tables that are nearly so full grow with the first: threads share the work."""


class VisitedSet:
    """The tables, with where each is, its size, and how many fingerprints it holds."""

    def __init__(self, words: int = 0) -> None:
        """Begin with nothing; a key has so many words."""
        self.words = words
        self._fingerprints: list[GrowableMemory] = []
        self._keys: list[GrowableMemory] = []
        self.addresses = np.zeros((2, PARTS), np.int64)
        """Where the tables are, and where the keys."""
        self.sizes = np.zeros(PARTS, np.int64)
        self.counts = np.zeros(PARTS, np.int64)
        self.forget()

    def forget(self) -> None:
        """Forget all fingerprints, and give their memory back."""
        self._fingerprints = [GrowableMemory(FIRST_SIZE) for _ in range(PARTS)]
        if self.words:
            self._keys = [GrowableMemory(FIRST_SIZE * self.words) for _ in range(PARTS)]
        self.sizes[:] = FIRST_SIZE
        self.counts[:] = 0
        for part in range(PARTS):
            self._note(part)

    @property
    def slots(self) -> Slots:
        """The tables as kernels get them."""
        return Slots(self.addresses[0], self.sizes, self.counts)

    def make_room(self, more: npt.NDArray[np.int64], parallel_map: ParallelMap) -> None:
        """Make room for more fingerprints of each part."""
        needed = self.counts + more
        if (needed <= FULLEST * self.sizes).all():
            return
        growing = np.flatnonzero(needed > NEARLY * FULLEST * self.sizes)
        before = self.sizes.copy()
        least = (needed / FULLEST).astype(np.int64) + 1
        self.sizes[growing] = np.maximum(GROWTH * before, least)[growing]
        for part in growing.tolist():
            self._grow(part)
        slots, most = pack(self.slots), int(self.counts.max())
        addresses, words = self.addresses[1], self.words

        def spread_parts(first: int) -> None:
            parts = growing[first : first + PARTS_AT_ONCE]
            room = np.empty(most, np.uint64), np.empty(most * words, np.uint64)
            spread(parts, slots, before, addresses, words, *room)

        parallel_map(spread_parts, range(0, len(growing), PARTS_AT_ONCE))

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
            words = keys[low:high].reshape(-1)
            into = self.table(part), self._keys_of(part)
            add_all(fingerprints[low:high], words, *into, self.words)
            self.counts[part] += int(high - low)

    def settled(
        self, part: int, fresh: tuple[U64Array, U64Array] | None
    ) -> tuple[U64Array, U64Array]:
        """Fingerprints of a part without the fresh ones, in ascending order.

        Args:
            fresh: fingerprints, and the key of each; the result is the same.
        """
        table, keys = self.table(part), self._keys_of(part)
        taken = table != 0
        held = records(table[taken], keys.reshape(len(table), self.words)[taken])
        if fresh is not None:
            held = np.setdiff1d(held, records(*fresh), assume_unique=True)
        pairs = np.sort(held).view(np.uint64).reshape(-1, 1 + self.words)
        return pairs[:, 0].copy(), pairs[:, 1:].copy()

    @property
    def size(self) -> int:
        """The bytes that the tables take."""
        return sum(table.size for table in (*self._fingerprints, *self._keys))

    def table(self, part: int) -> U64Array:
        """The slots of a part, 0 where one is empty; see `GrowableMemory`."""
        return self._fingerprints[part].words

    def _keys_of(self, part: int) -> U64Array:
        return self._keys[part].words if self.words else np.empty(0, np.uint64)

    def _grow(self, part: int) -> None:
        size = int(self.sizes[part])
        self._fingerprints[part].grow(size)
        if self.words:
            self._keys[part].grow(size * self.words)
        self._note(part)

    def _note(self, part: int) -> None:
        self.addresses[0, part] = self._fingerprints[part].address
        if self.words:
            self.addresses[1, part] = self._keys[part].address
