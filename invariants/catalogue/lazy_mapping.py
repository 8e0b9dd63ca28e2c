"""Mappings whose values are made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeVar

V = TypeVar("V")


class Lazily(Mapping[str, V]):
    """Values by name, each with what makes it; the names cost nothing."""

    def __init__(self, makers: Mapping[str, Callable[[], V]]) -> None:
        """Keep the makers; more may be added to them later."""
        self._makers = makers
        self._values: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:
        """The value of a name, made now if it was not before."""
        if name not in self._values:
            self._values[name] = self._makers[name]()
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        """Tell whether there is such a value, without making it."""
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._makers)

    def __len__(self) -> int:
        """The number of names."""
        return len(self._makers)


class Deferred(Mapping[str, V]):
    """Values by name, all made at once when one is first asked for."""

    def __init__(self, make: Callable[[], Mapping[str, V]]) -> None:
        self._make = cache(make)

    def __getitem__(self, name: str) -> V:
        """A value."""
        return self._make()[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._make())

    def __len__(self) -> int:
        """The number of names."""
        return len(self._make())
