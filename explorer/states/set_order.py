"""Reordering: equal values whose sets are iterated the other way round.

Sets have no order, yet Python iterates each in one, which may be another in the next
process. A function that answers otherwise for a reordered state depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from operator import is_
from typing import Any

import attrs


class _Reordered(frozenset[Any]):
    """A set that is iterated from what is its end elsewhere."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        yield from reversed(list(super().__iter__()))


def reordered(value: Any) -> Any:
    """An equal value; the value itself where no set in it has two items."""
    if isinstance(value, frozenset):
        items = [reordered(item) for item in value]
        unchanged = len(items) < 2 and all(map(is_, items, value))
        return value if unchanged else _Reordered(items)
    if isinstance(value, tuple):
        elements = tuple(reordered(element) for element in value)
        unchanged = all(a is b for a, b in zip(elements, value, strict=True))
        return value if unchanged else elements
    if attrs.has(type(value)):
        return _with_reordered_fields(value)
    return value


def _with_reordered_fields(value: Any) -> Any:
    changes = {}
    for field in attrs.fields(type(value)):
        old = getattr(value, field.name)
        new = reordered(old) if field.eq else old
        if new is not old:
            changes[field.name] = new
    if not changes:
        return value
    other = copy(value)
    for name, new in changes.items():
        object.__setattr__(other, name, new)
    return other
