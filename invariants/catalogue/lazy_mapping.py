"""Mappings and sequences whose values are made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeVar, overload

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


class InOrder(Sequence[V]):
    """Values in their order, each with what makes it; to count them costs nothing."""

    def __init__(self, makers: Iterable[Callable[[], V]]) -> None:
        self._makers = [cache(maker) for maker in makers]

    @overload
    def __getitem__(self, index: int) -> V: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[V, ...]: ...
    def __getitem__(self, index: int | slice) -> V | tuple[V, ...]:
        """The value at an index, made now if it was not before, or those of a slice."""
        if isinstance(index, slice):
            return tuple([maker() for maker in self._makers[index]])
        return self._makers[index]()

    def __len__(self) -> int:
        """The number of values."""
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
