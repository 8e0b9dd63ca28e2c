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
from replicheck.explorer.states.layout import Cell, Layout
from replicheck.explorer.states.value_parts import has_items
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
        self._places = _places(layout, symmetries)

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
        places: list[Indices] = []
        entries: list[Indices] = []
        are_single = True
        for number, dictionary in enumerate(self._dictionaries):
            low, high = self._filled[number], len(dictionary)
            if low == high:
                continue
            self._filled[number] = high
            values, of_parts = dictionary.parts(low)
            are_single &= not has_items(dictionary.values[0])
            for column in self._columns_of[number]:
                hashes.append(of_parts)
                places.append(np.full(len(values), column))
                entries.append(int(self._first[column]) + values)
        if hashes:
            of_columns = self._places[np.concatenate(places)]
            words = cell_words(np.concatenate(hashes), of_columns)
            at = np.concatenate(entries)
            if are_single:
                table[at] = words
            else:
                np.bitwise_xor.at(table, at, words)

    @property
    def _table(self) -> U64Array:
        """The words of each value, under each renaming."""
        return self.array.reshape(-1, self.permutations)


def _places(layout: Layout, symmetries: Sequence[Symmetry]) -> U64Array:
    """Return, for each column and renaming, the place of the cell that it becomes."""
    columns = layout.plain.columns
    return np.array(
        [
            [
                place,
                *(
                    columns[Cell(cell.field, symmetry.cell(cell.field, cell.index))]
                    for symmetry in symmetries
                ),
            ]
            for place, cell in zip(layout.places, layout.cells, strict=True)
        ],
        np.uint64,
    )


def cell_words(hashes: U64Array, places: U64Array) -> U64Array:
    """Zobrist words of many values: `cell_word`; ``places`` per last axis."""
    words: U64Array = hashes + np.uint64(GOLDEN) * (places + np.uint64(1))
    words = (words ^ (words >> np.uint64(30))) * np.uint64(FIRST_MULTIPLIER)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(SECOND_MULTIPLIER)
    return words ^ (words >> np.uint64(31))
