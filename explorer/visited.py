"""The visited set: the fingerprints of all states found so far, in open hash tables.

There is one table for each part of the fingerprints, so that a table grows alone and
threads never meet in one.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from replicheck.explorer.arrays import PART_BITS, PARTS
from replicheck.explorer.machine_code import rehash

Words = npt.NDArray[np.uint64]

FIRST_SIZE = 64
GROWTH = 1.5
FULLEST = 0.8
"""Share of the slots that may be taken."""


class Visited:
    """The tables, with how many fingerprints each holds."""

    def __init__(self) -> None:
        self.tables: list[Words] = []
        self.counts: list[int] = []
        self.forget()

    def forget(self) -> None:
        """Forget all fingerprints, and give their memory back."""
        self.tables = [np.zeros(FIRST_SIZE, np.uint64) for _ in range(PARTS)]
        self.counts = [0] * PARTS

    def make_room(self, part: int, more: int) -> Words:
        """Return the table of a part, with room for more fingerprints."""
        table = self.tables[part]
        needed = self.counts[part] + more
        if needed > FULLEST * len(table):
            size = max(int(len(table) * GROWTH), int(needed / FULLEST) + 1)
            larger = np.zeros(size, np.uint64)
            rehash(table, larger)
            self.tables[part] = table = larger
        return table

    def add_all(self, prints: Iterable[int]) -> None:
        """Add fingerprints one by one, without telling which are new."""
        for printed in prints:
            part = printed >> (64 - PART_BITS)
            table = self.make_room(part, 1)
            slot = ((printed & 0xFFFFFFFF) * len(table)) >> 32
            while int(table[slot]) not in (0, printed):
                slot = (slot + 1) % len(table)
            self.counts[part] += int(table[slot]) == 0
            table[slot] = printed

    def load(self, run: Words) -> None:
        """Add fingerprints in ascending order, none of which is there yet."""
        lowest = np.arange(PARTS + 1, dtype=object) << (64 - PART_BITS)
        ends = [*np.searchsorted(run, lowest[:-1].astype(np.uint64)), len(run)]
        for part, (low, high) in enumerate(pairwise(ends)):
            rehash(run[low:high], self.make_room(part, high - low))
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
