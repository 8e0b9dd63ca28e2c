"""Packed rows: for each column of a level so many bits as its values need.

A queue may have a million values, and most cells have a few. So a level keeps the
numbers of each state in words of 64 bits; kernels unpack a block of states when they
walk it. A field does not go over the end of a word, and one of no bits is always 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from replicheck.explorer.native.bit_runs import bit_places, bit_runs, move_runs
from replicheck.explorer.native.kernels.arrays import (
    FIELD_BITS,
    WORD_BITS,
    Fields,
    Indices,
    PackedRows,
    U64Array,
)

NARROW, WIDE = np.dtype(np.uint16), np.dtype(np.uint32)
MOST_NARROW = 16
"""Bits of the narrower type."""
AT_ONCE = 1 << 8
"""Rows that are packed in one go, so that they fit into the caches."""
PART = (1 << FIELD_BITS) - 1
MOST_KNOWN = 16
"""Fields that are remembered: some levels, one after the other, have the same."""


class HasCapacity(Protocol):
    """The values of some cells, which are numbered."""

    @property
    def capacity(self) -> int:
        """So many values have room."""


def fields_for(sizes: Iterable[int]) -> Fields:
    """The fields of columns with so many values each."""
    return _fields_with(tuple(_widths_for(sizes)))


@lru_cache(MOST_KNOWN)
def _fields_with(widths: Sequence[int]) -> Fields:
    """The fields of columns with so many bits each, which most levels share."""
    fields, taken = np.zeros(len(widths), np.int64), list[int]()
    for column in sorted(range(len(widths)), key=lambda column: -widths[column]):
        width = widths[column]
        fitting = (i for i, used in enumerate(taken) if used + width <= WORD_BITS)
        word = next(fitting, len(taken))
        if word == len(taken):
            taken.append(0)
        fields[column] = ((word << FIELD_BITS) | taken[word]) << FIELD_BITS | width
        taken[word] += width
    fields.flags.writeable = False
    return fields


def _widths_for(sizes: Iterable[int]) -> list[int]:
    """The bits of columns with so many values each."""
    return [max(0, size - 1).bit_length() for size in sizes]


def fields_of(dictionaries: Iterable[Sized]) -> Fields:
    """The fields that fit the values that cells have had so far."""
    return fields_for(map(len, dictionaries))


def room_of(dictionaries: Iterable[HasCapacity]) -> Fields:
    """Fields that fit more values than cells have had, to last for a while."""
    return fields_for(dictionary.capacity for dictionary in dictionaries)


def words_of(fields: Fields) -> int:
    """The words of a row with these fields."""
    return int((fields >> 2 * FIELD_BITS).max(initial=0)) + 1


def pack_rows(rows: npt.NDArray[Any], fields: Fields) -> PackedRows:
    """Rows of plain numbers, packed."""
    word_of, shifts = _places(fields)
    order = np.argsort(word_of, kind="stable")
    used, starts = np.unique(word_of[order], return_index=True)
    words = np.zeros((len(rows), words_of(fields)), np.uint64)
    for first in range(0, len(rows), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        shifted = rows[part, order].astype(np.uint64) << shifts[order]
        words[part, used] = np.bitwise_or.reduceat(shifted, starts, axis=1)
    return PackedRows(words, fields)


def with_room(rows: PackedRows, dictionaries: Iterable[HasCapacity]) -> PackedRows:
    """The rows in fields that fit more values than cells have had."""
    capacities = [dictionary.capacity for dictionary in dictionaries]
    if _widths_for(capacities) == (rows.fields & PART).tolist():
        return rows
    fields = fields_for(capacities)
    runs = moved_fields(rows.fields, fields)
    return PackedRows(move_runs(rows.words, runs, words_of(fields)), fields)


def moved_fields(before: Fields, after: Fields) -> U64Array:
    """Runs, as `bit_runs` has them, from fields to others that are no narrower."""
    widths = before & PART
    column = np.repeat(np.arange(len(before)), widths)
    bit = np.arange(len(column)) - (widths.cumsum() - widths)[column]
    places, to = (_first_bits(fields)[column] + bit for fields in (before, after))
    order = places.argsort()
    return bit_runs(places[order], to[order])


class RowView:
    """The rows of a level as plain numbers, for those states that are asked for."""

    def __init__(self, rows: PackedRows) -> None:
        self._rows = rows
        self._word, self._shift = _places(rows.fields)
        widths = rows.fields & PART
        self._mask = ((1 << widths) - 1).astype(np.uint64)
        fit = widths.max(initial=0) <= MOST_NARROW
        self.dtype = NARROW if fit else WIDE
        """The type of the numbers."""

    def __len__(self) -> int:
        """The number of states."""
        return len(self._rows.words)

    def __getitem__(self, which: Any) -> npt.NDArray[Any]:
        """Rows by an index, a slice, or an array of indices or marks."""
        words = self._rows.words[which]
        several = np.atleast_2d(words)
        numbers = np.empty((len(several), len(self._mask)), self.dtype)
        for first in range(0, len(several), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            numbers[part] = several[part, self._word] >> self._shift & self._mask
        return numbers.reshape(*words.shape[:-1], len(self._mask))


def _first_bits(fields: Fields) -> Indices:
    """The place of the lowest bit of each field; see `bit_places`."""
    words, shifts = _places(fields)
    return bit_places(words, shifts.astype(np.int64))


def _places(fields: Fields) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    """The word of each field, and its shift."""
    shifts = fields >> FIELD_BITS & PART
    return fields >> 2 * FIELD_BITS, shifts.astype(np.uint64)
