"""Value numbering: which value of a cell has which number, in every process.

Within a process a learner numbers values as it meets them. In files a value has its
**global** number, the same everywhere. New values get theirs when a level is complete,
in the order of their content hashes. Until then, a process writes a new value as
``offset + i``: the ``i``-th of those that it reports, ``offset`` being how many
global numbers there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.engines.partitioned.store.blocks import Array
from replicheck.explorer.native.kernels.arrays import Fields, PackedRows
from replicheck.explorer.native.library import renumber
from replicheck.explorer.native.packed_rows import NARROW, WIDE, fields_for, words_of
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.sequences.prefix_table import SentValues

Numbers = npt.NDArray[np.int64]
UNNUMBERED = -1

Values = tuple[SentValues, ...]
"""For each distinct dictionary, in the order of the columns, some values."""


class _DictionaryNumbering:
    """Numbering of one dictionary.

    ``locals[i]`` is the local number of global number ``i``.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self.locals: Numbers = np.empty(0, np.int64)
        self._globals: Numbers = np.empty(0, np.int64)

    @property
    def globals(self) -> Numbers:
        """For each local number the global one, or UNNUMBERED."""
        more = len(self.dictionary) - len(self._globals)
        if more:
            unnumbered = np.full(more, UNNUMBERED)
            self._globals = np.concatenate([self._globals, unnumbered])
        return self._globals

    @property
    def unnumbered(self) -> Numbers:
        """The local numbers without a global one, in ascending order."""
        return np.flatnonzero(self.globals == UNNUMBERED)

    @property
    def reported(self) -> Numbers:
        """For each local number the global one, or that with which it is reported."""
        found, unnumbered = self.globals.copy(), self.unnumbered
        found[unnumbered] = len(self.locals) + np.arange(len(unnumbered))
        return found

    def add(self, numbers: Numbers) -> None:
        """Give each of some local numbers the next global one, if it has none."""
        _, firsts = np.unique(numbers, return_index=True)
        distinct = numbers[np.sort(firsts)]
        new = distinct[self.globals[distinct] == UNNUMBERED]
        self.globals[new] = len(self.locals) + np.arange(len(new))
        self.locals = np.concatenate([self.locals, new])


class ValueNumbering:
    """Numbering of all dictionaries, as far as this process knows it."""

    def __init__(self, dictionaries: Sequence[Dictionary]) -> None:
        distinct = list(dict.fromkeys(dictionaries))
        self._numberings = [_DictionaryNumbering(dictionary) for dictionary in distinct]
        self.of_column: Numbers = np.array(
            [distinct.index(dictionary) for dictionary in dictionaries], np.int64
        )
        """Number of the dictionary of each column."""
        self._all_change = np.zeros(len(dictionaries), np.int64)

    def add(self, values: Values) -> None:
        """Give each value of each dictionary the next global number, if it has none."""
        for numbering, of_family in zip(self._numberings, values, strict=True):
            numbering.add(numbering.dictionary.numbers_of(of_family))

    def meet(self, values: Values) -> None:
        """Have values of each dictionary, without a global number for new ones."""
        for numbering, of_family in zip(self._numberings, values, strict=True):
            numbering.dictionary.numbers_of(of_family)

    @property
    def unnumbered(self) -> Values:
        """The values without a global number, in the order of local ones."""
        return tuple(
            numbering.dictionary.values_of(numbering.unnumbered)
            for numbering in self._numberings
        )

    def in_order(self, reports: Sequence[Values]) -> Values:
        """Sort unnumbered values of all reports into the global order, each once."""
        return tuple(
            self._of_dictionary(numbering, [report[n] for report in reports])
            for n, numbering in enumerate(self._numberings)
        )

    def _of_dictionary(
        self,
        numbering: _DictionaryNumbering,
        reports: Sequence[SentValues],
    ) -> SentValues:
        known = numbering.dictionary
        numbers = [known.numbers_of(values) for values in reports]
        found = np.unique(np.concatenate([np.empty(0, np.int64), *numbers]))
        new = found[numbering.globals[found] == UNNUMBERED]
        return known.values_of(new[np.argsort(known.hashes[new, 0])])

    @property
    def counts(self) -> list[int]:
        """Count of the global numbers of each dictionary."""
        return [len(numbering.locals) for numbering in self._numberings]

    @property
    def fields(self) -> Fields:
        """Fields of rows that have global numbers alone."""
        return self._fields_for(self.counts)

    @property
    def values(self) -> list[tuple[str, Sequence[Any]]]:
        """The name of each dictionary, and its values by their global numbers."""
        return [
            (
                numbering.dictionary.name,
                [numbering.dictionary.values[local] for local in numbering.locals],
            )
            for numbering in self._numberings
        ]

    def to_local(self, rows: Array, dtype: npt.DTypeLike) -> Array:
        """Rows of global numbers in local ones."""
        first, numbers = self._joined_locals
        return numbers[first + rows].astype(dtype)

    def to_global(self, rows: Array) -> Array:
        """Rows of local numbers in global ones, unnumbered values as reported."""
        first, numbers = self._joined_reported
        narrow = max(self._sizes) <= 1 << 16
        return numbers[first + rows].astype(NARROW if narrow else WIDE)

    def packed_local(self, rows: PackedRows, fields: Fields) -> PackedRows:
        """Packed rows of global numbers in local ones."""
        return _renumbered(rows, self._all_change, *self._joined_locals, fields)

    def packed_global(self, rows: PackedRows) -> PackedRows:
        """Packed rows of local numbers in global ones, as `to_global` does."""
        fields = self._fields_for(self._sizes)
        return _renumbered(rows, self._all_change, *self._joined_reported, fields)

    def numbers_of(self, values: Values) -> list[Numbers]:
        """The global number of each value, by dictionary."""
        return [
            numbering.globals[numbering.dictionary.numbers_of(of_family)]
            for numbering, of_family in zip(self._numberings, values, strict=True)
        ]

    @property
    def _sizes(self) -> list[int]:
        """Count of the values of each dictionary."""
        return [len(numbering.dictionary) for numbering in self._numberings]

    def _fields_for(self, sizes: Sequence[int]) -> Fields:
        """Fields of rows, where dictionaries have so many values."""
        return fields_for(sizes[number] for number in self.of_column.tolist())

    @property
    def _joined_locals(self) -> tuple[Numbers, Numbers]:
        return self._joined([numbering.locals for numbering in self._numberings])

    @property
    def _joined_reported(self) -> tuple[Numbers, Numbers]:
        return self._joined([numbering.reported for numbering in self._numberings])

    def _joined(self, tables: Sequence[Numbers]) -> tuple[Numbers, Numbers]:
        """Tables of all dictionaries as one, and where that of each column begins."""
        starts = np.cumsum([0, *(len(table) for table in tables)])
        return starts[self.of_column], np.concatenate(tables)


def renumbered(
    rows: PackedRows,
    of_column: Numbers,
    offsets: Sequence[int],
    numbers: Sequence[Numbers],
    fields: Fields,
) -> PackedRows:
    """Rows as a process wrote them, in global numbers.

    Args:
        of_column: the number of the dictionary of each column.
        offsets: how many global numbers each dictionary had then.
        numbers: the global number of each value that was reported as unnumbered.
        fields: those of the result.
    """
    if (rows.fields == fields).all() and not any(len(values) for values in numbers):
        return rows
    starts = np.cumsum([0, *(len(values) for values in numbers)])
    joined = np.concatenate([np.empty(0, np.int64), *numbers])
    offsets_of_columns = np.array(offsets, np.int64)[of_column]
    return _renumbered(rows, offsets_of_columns, starts[of_column], joined, fields)


def _renumbered(
    rows: PackedRows, offsets: Numbers, first: Numbers, numbers: Numbers, fields: Fields
) -> PackedRows:
    words = np.empty((len(rows.words), words_of(fields)), np.uint64)
    found = PackedRows(words, fields)
    renumber(rows, offsets, first, numbers, found)
    return found
