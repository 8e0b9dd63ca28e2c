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
from replicheck.explorer.native.library import pack_renumbered, unpack_renumbered
from replicheck.explorer.native.packed_rows import NARROW, WIDE, words_of
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.tables.dictionary import Dictionary

Numbers = npt.NDArray[np.int64]
UNNUMBERED = -1

Values = tuple[tuple[Any, ...], ...]
"""For each distinct dictionary, in the order of the columns, some values."""


class _DictionaryNumbering:
    """Numbering of one dictionary."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self.locals: list[int] = []
        """For each global number the local one."""
        self.globals: list[int] = []
        """For each local number the global one, or UNNUMBERED."""

    def add(self, value: Any) -> None:
        local = self.dictionary.number(value)
        self.fit()
        if self.globals[local] == UNNUMBERED:
            self.globals[local] = len(self.locals)
            self.locals.append(local)

    def fit(self) -> None:
        self.globals += [UNNUMBERED] * (len(self.dictionary) - len(self.globals))

    @property
    def unnumbered(self) -> list[int]:
        self.fit()
        return [
            local for local, known in enumerate(self.globals) if known == UNNUMBERED
        ]


class ValueNumbering:
    """Numbering of all dictionaries, as far as this process knows it."""

    def __init__(self, dictionaries: Sequence[Dictionary]) -> None:
        distinct = list(dict.fromkeys(dictionaries))
        self._numberings = [_DictionaryNumbering(dictionary) for dictionary in distinct]
        self._of_column = [distinct.index(dictionary) for dictionary in dictionaries]
        self._second = Hasher(seed=1)

    def add(self, values: Values) -> None:
        """Give each value of each dictionary the next global number, if it has none."""
        for numbers, of_family in zip(self._numberings, values, strict=True):
            for value in of_family:
                numbers.add(value)

    def meet(self, values: Values) -> None:
        """Have values of each dictionary, without a global number for new ones."""
        for numbers, of_family in zip(self._numberings, values, strict=True):
            for value in of_family:
                numbers.dictionary.number(value)

    @property
    def unnumbered(self) -> Values:
        """The values without a global number, in the order of local ones."""
        return tuple(
            tuple(numbers.dictionary.values[local] for local in numbers.unnumbered)
            for numbers in self._numberings
        )

    def in_order(self, reports: Sequence[Values]) -> Values:
        """Sort unnumbered values of all reports into the global order, each once."""
        return tuple(
            self._of_domain(
                numbers, [values for report in reports for values in report[n]]
            )
            for n, numbers in enumerate(self._numberings)
        )

    def _of_domain(
        self, numbering: _DictionaryNumbering, values: Sequence[Any]
    ) -> tuple[Any, ...]:
        numbers = {numbering.dictionary.number(value) for value in values}
        numbering.fit()
        known = numbering.dictionary
        new = [number for number in numbers if numbering.globals[number] == UNNUMBERED]
        new.sort(
            key=lambda local: (
                int(known.hashes[local, 0]),
                self._second.value(known.values[local]),
            )
        )
        return tuple(known.values[local] for local in new)

    @property
    def counts(self) -> list[int]:
        """Count of the global numbers of each dictionary."""
        return [len(numbering.locals) for numbering in self._numberings]

    @property
    def values(self) -> list[tuple[str, list[Any]]]:
        """The name of each dictionary, and its values by their global numbers."""
        return [
            (
                numbers.dictionary.name,
                [numbers.dictionary.values[local] for local in numbers.locals],
            )
            for numbers in self._numberings
        ]

    @property
    def of_column(self) -> list[int]:
        """Number of the dictionary of each column."""
        return self._of_column

    def to_local(self, rows: Array, dtype: npt.DTypeLike) -> Array:
        """Rows of global numbers in local ones."""
        first, numbers = self._locals()
        return numbers[first + rows].astype(dtype)

    def pack_in_local(self, rows: Array, fields: Fields) -> PackedRows:
        """Rows of global numbers, packed in local ones."""
        words = np.empty((len(rows), words_of(fields)), np.uint64)
        packed = PackedRows(words, fields)
        pack_renumbered(rows, *self._locals(), packed)
        return packed

    def to_global(self, rows: Array) -> Array:
        """Rows of local numbers in global ones, unnumbered values as reported."""
        first, numbers, dtype = self._globals()
        return numbers[first + rows].astype(dtype)

    def unpack_in_global(self, rows: PackedRows) -> Array:
        """Packed rows of local numbers as `to_global` gives them."""
        first, numbers, dtype = self._globals()
        unpacked = np.empty((len(rows.words), len(rows.fields)), dtype)
        unpack_renumbered(rows, first, numbers, unpacked)
        return unpacked

    def numbers_of(self, values: Values) -> list[Numbers]:
        """The global number of each value, by dictionary."""
        return [
            np.array(
                [a.globals[a.dictionary.number(value)] for value in of_family], np.int64
            )
            for a, of_family in zip(self._numberings, values, strict=True)
        ]

    def _locals(self) -> tuple[Numbers, Numbers]:
        """Local numbers as `_joined` gives them, by global ones."""
        return self._joined([np.array(each.locals) for each in self._numberings])

    def _globals(self) -> tuple[Numbers, Numbers, np.dtype[Any]]:
        """Global numbers as `_joined` gives them, and a type that they fit into.

        A value without one has the number that it is reported with.
        """
        tables = []
        for numbers in self._numberings:
            numbers.fit()
            table = np.array(numbers.globals)
            unnumbered = np.flatnonzero(table == UNNUMBERED)
            table[unnumbered] = len(numbers.locals) + np.arange(len(unnumbered))
            tables.append(table)
        widest = max(len(table) for table in tables)
        return *self._joined(tables), NARROW if widest <= 1 << 16 else WIDE

    def _joined(self, tables: Sequence[npt.NDArray[Any]]) -> tuple[Numbers, Numbers]:
        """Tables of all dictionaries as one, and where that of each column begins."""
        starts = np.cumsum([0, *(len(table) for table in tables)])
        return starts[self._of_column], np.concatenate(tables).astype(np.int64)


def renumbered(
    rows: Array,
    of_column: Sequence[int],
    offsets: Sequence[int],
    numbers: Sequence[Numbers],
    dtype: npt.DTypeLike,
) -> Array:
    """Rows as a process wrote them, in global numbers.

    Args:
        offsets: how many global numbers each dictionary had then.
        numbers: the global number of each value that was reported as unnumbered.
    """
    if not any(len(of_family) for of_family in numbers):
        return rows.astype(dtype, copy=False)
    found = rows.astype(dtype)
    for column, dictionary in enumerate(of_column):
        if len(numbers[dictionary]):
            unnumbered = np.flatnonzero(rows[:, column] >= offsets[dictionary])
            indices = rows[unnumbered, column].astype(np.int64) - offsets[dictionary]
            found[unnumbered, column] = numbers[dictionary][indices]
    return found
