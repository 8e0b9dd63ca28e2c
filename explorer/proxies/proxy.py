"""Proxies: what all have in common, and the values that they stand for."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import cache
from types import NoneType
from typing import Any, NoReturn, Self, SupportsIndex

import attrs

from replicheck.explorer.proxies.calls import Call, Distinction, Keywords
from replicheck.explorer.states.exact_equality import are_unmistakable, distinction

SIMPLE = frozenset({bool, bytes, float, int, NoneType, str})
"""Classes of values in which there is no other value."""


class Proxy:
    """Stands for a value; what Python does with the value as such, it does with it.

    Names of its own end in an underscore, lest they hide attributes of the value.
    """

    __slots__ = ()
    is_state_ = False

    @property
    def has_set_(self) -> bool:
        """Whether it stands for a set, or for a family of sets."""
        return hasattr(self.__class__, "MEMBERS")

    def __eq__(self, other: object) -> bool:
        return bool(unwrap(self) == unwrap(other))

    def __hash__(self) -> int:
        return hash(unwrap(self))

    def __bool__(self) -> bool:
        return bool(unwrap(self))

    def __len__(self) -> int:
        return len(unwrap(self))

    def __iter__(self) -> Iterator[Any]:
        return iter(unwrap(self))

    def __contains__(self, item: object) -> bool:
        return item in unwrap(self)

    def __getitem__(self, key: Any) -> Any:
        return unwrap(self)[key]

    def __repr__(self) -> str:
        return repr(unwrap(self))

    def __str__(self) -> str:
        return str(unwrap(self))

    def __format__(self, specification: str) -> str:
        return format(unwrap(self), specification)

    def __copy__(self) -> Self:
        """The proxy itself, as of a number: what stands for it never changes."""
        return self

    def __deepcopy__(self, copied: object) -> Self:
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return unwrap(self).__reduce_ex__(protocol)


class FieldsProxy(Proxy):
    """Stands for a value of which `vars` tells the fields."""

    __slots__ = ()

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        return {**unwrap(self).__dict__}


class ValueProxy(FieldsProxy):
    """Stands for a value of one class, whose attributes are asked for."""

    __slots__ = ()
    value_type_: type
    asked_: Callable[[Call], Any]
    """What the value answers to a call: a method of the subclasses."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.asked_((name, ()))

    @property
    def __class__(self) -> type:
        return self.value_type_

    @__class__.setter
    def __class__(self, value: object) -> NoReturn:
        raise TypeError("a cell is frozen")


def unwrap(value: Any) -> Any:
    """The value for which a proxy or an operation stands; else the value given."""
    return value.whole_ if issubclass(type(value), Proxy) else value


def unwrap_deep(value: Any) -> Any:
    """A value without proxies in it, also within tuples and frozen values."""
    kind: Any = type(value)
    if kind in SIMPLE:
        return value
    if issubclass(kind, Proxy):
        return value.whole_
    if issubclass(kind, tuple | frozenset):
        if SIMPLE.issuperset(map(type, value)):
            return value
        elements = [unwrap_deep(element) for element in value]
        is_same = all(map(operator.is_, elements, value))
        # A named tuple is made by a method of its own.
        return value if is_same else getattr(kind, "_make", kind)(elements)
    held = [getattr(value, name, None) for name in _fields_of(kind)]
    if SIMPLE.issuperset(map(type, held)):
        return value
    plain = [unwrap_deep(part) for part in held]
    if all(map(operator.is_, plain, held)):
        return value
    # To make it anew would convert once more what its class converts.
    made = copy(value)
    for name, before, after in zip(_fields_of(kind), held, plain, strict=True):
        if after is not before:
            object.__setattr__(made, name, after)
    return made


@cache
def _fields_of(kind: Any) -> tuple[str, ...]:
    """The names of the fields of a frozen value."""
    return tuple(e.name for e in attrs.fields(kind)) if attrs.has(kind) else ()


def unwrap_arguments(
    arguments: tuple[Any, ...], named: Mapping[str, Any] | None = None
) -> tuple[Any, ...]:
    """Arguments without proxies, those that are named behind the others."""
    if named:
        arguments = (*arguments, Keywords(tuple(sorted(named.items()))))
    if are_unmistakable(arguments):
        return arguments
    plain = tuple(map(unwrap_deep, arguments))
    mark = distinction(plain)
    return plain if mark is None else (*plain, Distinction(mark))
