"""The visited set: the fingerprints of all states found so far, in open hash tables.

There is one table for each part of the fingerprints, so that a table grows alone and
threads never meet in one. Beside each is the table of the identities, if there are any.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from replicheck.explorer.arrays import PART_BITS, PARTS, Slots, Words
from replicheck.explorer.identities import records
from replicheck.explorer.machine_code import rehash, rehash_identified
from replicheck.explorer.threads import Each, in_turn

FIRST_SIZE = 64
GROWTH = 2
FULLEST = 0.75
"""Share of the slots that may be taken."""


class Visited:
    """The tables, with where each is, its size, and how many fingerprints it holds."""

    def __init__(self, words: int = 0) -> None:
        """Begin with nothing; an identity has so many words."""
        self.words = words
        self.tables: list[Words] = []
        self.identities: list[Words] = []
        self.addresses = np.zeros((2, PARTS), np.int64)
        """Where the tables are, and where the identities."""
        self.sizes = np.zeros(PARTS, np.int64)
        self.counts = np.zeros(PARTS, np.int64)
        self.forget()

    def forget(self) -> None:
        """Forget all fingerprints, and give their memory back."""
        empty = [self._table(FIRST_SIZE) for _ in range(PARTS)]
        self.tables = [table for table, _ in empty]
        self.identities = [identities for _, identities in empty]
        self.counts[:] = 0
        for part in range(PARTS):
            self._note(part)

    @property
    def slots(self) -> Slots:
        """Return the tables as kernels get them."""
        return Slots(self.addresses[0], self.sizes, self.counts)

    def make_room(self, more: npt.NDArray[np.int64], each: Each) -> None:
        """Make room for more fingerprints of each part."""
        needed = self.counts + more

        def grow(part: int) -> None:
            old, identities = self.tables[part], self.identities[part]
            least = int(needed[part] / FULLEST) + 1
            larger = self._table(max(GROWTH * len(old), least))
            self._move(old, identities, *larger)
            self.tables[part], self.identities[part] = larger
            self._note(part)

        each(grow, np.flatnonzero(needed > FULLEST * self.sizes).tolist())

    def load(self, prints: Words, identities: Words) -> None:
        """Add fingerprints in ascending order, none of which is there yet.

        Args:
            identities: ``identities[i]`` is that of ``prints[i]``.
        """
        lowest = np.arange(PARTS + 1, dtype=object) << (64 - PART_BITS)
        ends = [*np.searchsorted(prints, lowest[:-1].astype(np.uint64)), len(prints)]
        self.make_room(np.diff(np.array(ends)), in_turn)
        for part, (low, high) in enumerate(pairwise(ends)):
            words = identities[low:high].reshape(-1)
            into = self.tables[part], self.identities[part]
            self._move(prints[low:high], words, *into)
            self.counts[part] += int(high - low)

    def settled(
        self, part: int, fresh: tuple[Words, Words] | None
    ) -> tuple[Words, Words]:
        """Return what a part holds but the fresh, in ascending order.

        Args:
            fresh: fingerprints, and the identity of each; the result is the same.
        """
        table, identities = self.tables[part], self.identities[part]
        taken = table != 0
        held = records(table[taken], identities.reshape(len(table), self.words)[taken])
        if fresh is not None:
            held = np.setdiff1d(held, records(*fresh), assume_unique=True)
        pairs = np.sort(held).view(np.uint64).reshape(-1, 1 + self.words)
        return pairs[:, 0].copy(), pairs[:, 1:].copy()

    @property
    def size(self) -> int:
        """Return the bytes that the tables take."""
        return sum(each.nbytes for each in (*self.tables, *self.identities))

    def _table(self, size: int) -> tuple[Words, Words]:
        return np.zeros(size, np.uint64), np.zeros(size * self.words, np.uint64)

    def _move(
        self, old: Words, old_identities: Words, new: Words, new_identities: Words
    ) -> None:
        """Move fingerprints into a table that has none of them."""
        if self.words:
            rehash_identified(old, old_identities, new, new_identities, self.words)
        else:
            rehash(old, new)

    def _note(self, part: int) -> None:
        for number, table in enumerate((self.tables[part], self.identities[part])):
            self.addresses[number, part] = table.__array_interface__["data"][0]
        self.sizes[part] = len(self.tables[part])
