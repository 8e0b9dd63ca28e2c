"""Dictionary encoding: the values that cells have had so far, as small numbers.

All cells of a family share a dictionary. A value keeps its number for the whole search;
numbers depend on the order of discovery, hashes do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.errors import ModelError
from replicheck.explorer.model import Symmetry
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.states.layout import Layout

Words = npt.NDArray[np.uint64]

FIRST_CAPACITY = 16
GROWTH = 2


class Dictionary:
    """The values of one family of cells.

    ``hashes[i, p]`` is the stable hash of value ``i`` under renaming ``p``; 0 is none.
    """

    def __init__(
        self, name: str, hasher: Hasher, symmetries: Sequence[Symmetry]
    ) -> None:
        self.name = name
        self.values: list[Any] = []
        self.capacity = FIRST_CAPACITY
        self.hashes: Words = np.zeros((FIRST_CAPACITY, 1 + len(symmetries)), np.uint64)
        self._hasher = hasher
        self._symmetries = symmetries
        self._numbers: dict[Any, int] = {}

    def __len__(self) -> int:
        return len(self.values)

    def number(self, value: Any) -> int:
        """Return the number of a value, a new one if it is new.

        Raises:
            ModelError: if the value has no canonical form, or if it is of another class
                than the values before it.
        """
        key = (type(value), value)
        new = len(self.values)
        number = self._numbers.setdefault(key, new)
        if number != new:
            return number
        if self.values and self._class_of(value) is not self._class_of(self.values[0]):
            raise ModelError(
                f"the cell `{self.name}` was a {type(self.values[0]).__name__} and is"
                f" now {value!r}: a cell keeps its class"
            )
        self._refuse_equal(value)
        if number == self.capacity:
            self.capacity *= GROWTH
            grown = np.zeros((self.capacity, self.hashes.shape[1]), np.uint64)
            grown[:number] = self.hashes
            self.hashes = grown
        self.hashes[number, 0] = self._hasher.new_value(value)
        for column, symmetry in enumerate(self._symmetries, start=1):
            self.hashes[number, column] = self._hasher.value(symmetry.value(value))
        self.values.append(value)
        return number

    def _refuse_equal(self, value: Any) -> None:
        """Refuse a truth value that equals a known number, or the reverse."""
        other = bool if type(value) is int else int
        if type(value) in (int, bool) and (other, value) in self._numbers:
            one, two = int(value), bool(value)
            raise ModelError(
                f"the cell `{self.name}` is both {one} and {two}, which are equal in"
                " Python and yet two values: write one of them everywhere"
            )

    @staticmethod
    def _class_of(value: Any) -> type | None:
        """Return the class where it matters: values that are read by attribute."""
        return type(value) if hasattr(type(value), "__attrs_attrs__") else None


def dictionaries_of(
    layout: Layout, hasher: Hasher, symmetries: Sequence[Symmetry]
) -> tuple[Dictionary, ...]:
    """Return the dictionary of each cell, shared within a family."""
    by_field: dict[str, Dictionary] = {}
    return tuple(
        by_field.setdefault(cell.field, Dictionary(cell.field, hasher, symmetries))
        for cell in layout.cells
    )
