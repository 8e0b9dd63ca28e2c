"""The visited set: the fingerprints of all states found so far, in open hash tables.

There is one table for each part of the fingerprints, so that a table grows alone and
threads never meet in one.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from replicheck.explorer.arrays import PART_BITS, PARTS, Slots
from replicheck.explorer.machine_code import rehash
from replicheck.explorer.threads import Each, in_turn

Words = npt.NDArray[np.uint64]

FIRST_SIZE = 64
GROWTH = 1.5
FULLEST = 0.8
"""Share of the slots that may be taken."""


class Visited:
    """The tables, with where each is, its size, and how many fingerprints it holds."""

    def __init__(self) -> None:
        self.tables: list[Words] = []
        self.addresses = np.zeros(PARTS, np.int64)
        self.sizes = np.zeros(PARTS, np.int64)
        self.counts = np.zeros(PARTS, np.int64)
        self.forget()

    def forget(self) -> None:
        """Forget all fingerprints, and give their memory back."""
        self.tables = [np.zeros(FIRST_SIZE, np.uint64) for _ in range(PARTS)]
        self.counts[:] = 0
        for part in range(PARTS):
            self._note(part)

    @property
    def slots(self) -> Slots:
        """Return the tables as kernels get them."""
        return Slots(self.addresses, self.sizes, self.counts)

    def make_room(self, more: npt.NDArray[np.int64], each: Each) -> None:
        """Make room for more fingerprints of each part."""
        needed = self.counts + more

        def grow(part: int) -> None:
            table = self.tables[part]
            least = int(needed[part] / FULLEST) + 1
            larger = np.zeros(max(int(len(table) * GROWTH), least), np.uint64)
            rehash(table, larger)
            self.tables[part] = larger
            self._note(part)

        each(grow, np.flatnonzero(needed > FULLEST * self.sizes).tolist())

    def add_all(self, prints: Iterable[int]) -> None:
        """Add fingerprints one by one, without telling which are new."""
        for printed in prints:
            part = printed >> (64 - PART_BITS)
            self.make_room(_one_of(part), in_turn)
            table = self.tables[part]
            slot = ((printed & 0xFFFFFFFF) * len(table)) >> 32
            while int(table[slot]) not in (0, printed):
                slot = (slot + 1) % len(table)
            self.counts[part] += int(table[slot]) == 0
            table[slot] = printed

    def load(self, run: Words) -> None:
        """Add fingerprints in ascending order, none of which is there yet."""
        lowest = np.arange(PARTS + 1, dtype=object) << (64 - PART_BITS)
        ends = [*np.searchsorted(run, lowest[:-1].astype(np.uint64)), len(run)]
        self.make_room(np.diff(np.array(ends)), in_turn)
        for part, (low, high) in enumerate(pairwise(ends)):
            rehash(run[low:high], self.tables[part])
            self.counts[part] += int(high - low)

    def settled(self, part: int, fresh: Words | None) -> Words:
        """Return the fingerprints of a part but the fresh ones, in ascending order."""
        table = self.tables[part]
        prints = np.sort(table[table != 0])
        if fresh is None:
            return prints
        return np.setdiff1d(prints, fresh, assume_unique=True)

    @property
    def size(self) -> int:
        """Return the bytes that the tables take."""
        return sum(table.nbytes for table in self.tables)

    def _note(self, part: int) -> None:
        table = self.tables[part]
        self.addresses[part] = table.__array_interface__["data"][0]
        self.sizes[part] = len(table)


def _one_of(part: int) -> npt.NDArray[np.int64]:
    more = np.zeros(PARTS, np.int64)
    more[part] = 1
    return more
