"""Constancy: whether values are still what they were when they got their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from operator import is_
from typing import Any

from attrs import frozen

from replicheck.explorer.domains import Domain
from replicheck.explorer.fingerprint import Rehasher


@frozen
class Part:
    """An attrs value within a value, and what its fields were.

    All else that a value is made of cannot be changed.
    """

    value: Any
    names: tuple[str, ...]
    fields: tuple[Any, ...]

    @property
    def is_unchanged(self) -> bool:
        """Tell whether the fields are the same objects as before."""
        found = [getattr(self.value, name) for name in self.names]
        return all(map(is_, found, self.fields))


class Constancy:
    """Looks whether values changed: by their hashes, and then by what they hold.

    A value that holds what it held when its hash was right still has that hash.
    """

    def __init__(self) -> None:
        self._hasher = Rehasher()
        self._parts: dict[tuple[int, int], list[Part]] = {}

    def holds(self, domain: Domain, number: int) -> bool:
        """Tell whether a value of a domain is what it was when it was numbered."""
        parts = self._parts.get((id(domain), number))
        if parts is not None and all(part.is_unchanged for part in parts):
            return True
        value = domain.values[number]
        if self._hasher.value(value) != domain.hashes.item(number, 0):
            return False
        self._parts[id(domain), number] = list(self._parts_of(value))
        return True

    def _parts_of(self, value: Any) -> Iterator[Part]:
        if isinstance(value, tuple | frozenset):
            for element in value:
                yield from self._parts_of(element)
            return
        names = self._hasher.fields_of(type(value))
        if names:
            fields = tuple(getattr(value, name) for name in names)
            yield Part(value, names, fields)
            for each in fields:
                yield from self._parts_of(each)
