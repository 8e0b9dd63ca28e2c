"""Whether values that are known were changed in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from operator import is_
from typing import Any

from replicheck.explorer.states.fingerprint import Rehasher
from replicheck.explorer.tables.dictionary import Dictionary

Part = tuple[Any, tuple[str, ...], tuple[Any, ...]]
"""An attrs value within a value, its fields, and what was in them.

All else that a value is made of cannot be changed.
"""


class InPlaceMutationCheck:
    """Looks whether values changed: by their hashes, and then by what they hold.

    A value that holds what it held when its hash was right still has that hash.
    """

    def __init__(self) -> None:
        self._hasher = Rehasher()
        self._parts: dict[tuple[int, int], list[Part]] = {}

    def holds(self, dictionary: Dictionary, number: int) -> bool:
        """Tell whether a value of a dictionary is what it was when it was numbered."""
        parts = self._parts.get((id(dictionary), number))
        if parts is not None and _are_unchanged(parts):
            return True
        value = dictionary.values[number]
        if self._hasher.value(value) != dictionary.hashes.item(number, 0):
            return False
        self._parts[id(dictionary), number] = list(self._parts_of(value))
        return True

    def _parts_of(self, value: Any) -> Iterator[Part]:
        if isinstance(value, tuple | frozenset):
            for element in value:
                yield from self._parts_of(element)
            return
        names = self._hasher.fields_of(type(value))
        if names:
            fields = tuple(getattr(value, name) for name in names)
            yield value, names, fields
            for field in fields:
                yield from self._parts_of(field)


def _are_unchanged(parts: Iterable[Part]) -> bool:
    """Tell whether the fields have the same objects as before."""
    for value, names, fields in parts:
        if not all(map(is_, map(getattr, repeat(value), names), fields)):
            return False
    return True
