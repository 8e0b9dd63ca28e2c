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

from replicheck.explorer.states.layout import Layout

MOST_KNOWN = 1 << 12
"""Reordered values that are remembered."""


class _Reordered(frozenset[Any]):
    """A set that is iterated from what is its end elsewhere."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        yield from reversed(list(super().__iter__()))


class ReorderedStates:
    """Makes reordered states, each value of a cell once as long as it is remembered."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._known: dict[int, tuple[Any, Any]] = {}
        """A value and the reordered one, by what tells the value."""

    def of(self, state: Any) -> Any:
        """An equal state whose sets are iterated the other way round, if it has some.

        Else the state itself.
        """
        values = self._layout.values(state)
        found = tuple(map(self._value, values))
        if all(map(is_, found, values)):
            return state
        return self._layout.build(state, found)

    def _value(self, value: Any) -> Any:
        known = self._known.get(id(value))
        if known is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            known = self._known[id(value)] = value, reordered(value)
        return known[1]


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
