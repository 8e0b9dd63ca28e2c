"""What each value of each cell adds to a fingerprint, under each renaming."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from replicheck.explorer.model import Symmetry
from replicheck.explorer.native.kernels.arrays import Indices, U64Array
from replicheck.explorer.states.fingerprint import (
    FIRST_MULTIPLIER,
    GOLDEN,
    SECOND_MULTIPLIER,
)
from replicheck.explorer.states.layout import Layout
from replicheck.explorer.tables.dictionary import Dictionary


class ZobristWords:
    """The array ``words`` of `tables`."""

    def __init__(
        self,
        layout: Layout,
        dictionaries: Sequence[Dictionary],
        symmetries: Sequence[Symmetry],
    ) -> None:
        self.permutations = 1 + len(symmetries)
        self.array: U64Array = np.zeros(0, np.uint64)
        self._first = np.zeros(1 + len(dictionaries), np.int64)
        self._dictionaries = tuple(dict.fromkeys(dictionaries))
        self._columns_of = [
            [column for column, of in enumerate(dictionaries) if of is dictionary]
            for dictionary in self._dictionaries
        ]
        self._filled = [0] * len(self._dictionaries)
        self._columns = _columns(layout, symmetries)

    def lay_out(self, first: npt.NDArray[np.int64]) -> None:
        """Move the words there are to where each column is to begin."""
        before, known = self._first, self._table
        self._first = first
        self.array = np.zeros(int(first[-1]) * self.permutations, np.uint64)
        for columns, filled in zip(self._columns_of, self._filled, strict=True):
            for column in columns:
                old, new = int(before[column]), int(first[column])
                self._table[new : new + filled] = known[old : old + filled]

    def fill(self) -> None:
        """Work out the words of new values."""
        table = self._table
        hashes: list[U64Array] = []
        columns: list[int] = []
        places: list[Indices] = []
        for number, dictionary in enumerate(self._dictionaries):
            low, high = self._filled[number], len(dictionary)
            if low == high:
                continue
            self._filled[number] = high
            for column in self._columns_of[number]:
                start = int(self._first[column])
                hashes.append(dictionary.hashes[low:high])
                columns.append(column)
                places.append(np.arange(start + low, start + high))
        if columns:
            of_values = np.repeat(columns, [len(new) for new in places])
            words = cell_words(np.concatenate(hashes), self._columns[of_values])
            table[np.concatenate(places)] = words

    @property
    def _table(self) -> U64Array:
        """The words of each value, under each renaming."""
        return self.array.reshape(-1, self.permutations)


def _columns(layout: Layout, symmetries: Sequence[Symmetry]) -> U64Array:
    """Return, for each column and renaming, the column that the cell becomes."""
    return np.array(
        [
            [
                column,
                *(
                    layout.columns[
                        type(cell)(cell.field, symmetry.cell(cell.field, cell.index))
                    ]
                    for symmetry in symmetries
                ),
            ]
            for column, cell in enumerate(layout.cells)
        ],
        np.uint64,
    )


def cell_words(hashes: U64Array, columns: U64Array) -> U64Array:
    """Zobrist words of many values: `cell_word`; ``columns`` per last axis."""
    words: U64Array = hashes + np.uint64(GOLDEN) * (columns + np.uint64(1))
    words = (words ^ (words >> np.uint64(30))) * np.uint64(FIRST_MULTIPLIER)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(SECOND_MULTIPLIER)
    return words ^ (words >> np.uint64(31))
