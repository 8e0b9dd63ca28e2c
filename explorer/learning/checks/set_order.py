"""Reordering: equal values whose sets are iterated the other way round.

Sets have no order, yet Python iterates each in one, which may be another in the next
process. A function that answers otherwise for a reordered state depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from operator import is_
from typing import Any

import attrs

from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.state_encoder import StateEncoder

MOST_KNOWN = 1 << 12
"""Reordered values that are remembered, and those for which it is known by number."""


class _Reordered(frozenset[Any]):
    """A set that is iterated from what is its end elsewhere."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        yield from reversed(list(super().__iter__()))


class ReorderedStates:
    """Makes reordered states, each value of a cell once as long as it is remembered."""

    def __init__(self, encoder: StateEncoder) -> None:
        self._encoder, self._layout = encoder, encoder.layout.plain
        self._is_split = self._layout is not encoder.layout
        self._known: dict[int, tuple[Any, Any]] = {}
        """A value and the reordered one, by what tells the value."""
        self._have_order: dict[tuple[Dictionary, int], bool] = {}

    def of(self, row: Sequence[int], read: Iterable[int]) -> Any | None:
        """The state of a row with its sets reordered.

        Args:
            read: the columns that a function reads, which alone can tell it the order.

        Returns:
            None if none of these has a set of two items.
        """
        if not (self._is_split or any(self._has_order(c, row[c]) for c in read)):
            return None
        state = self._encoder.state(row)
        values = self._layout.values(state)
        found = tuple(map(self._value, values))
        if all(map(is_, found, values)):
            return None
        return self._layout.build(state, found)

    def _has_order(self, column: int, number: int) -> bool:
        """Tell whether a value has a set that can be iterated in two orders."""
        dictionary = self._encoder.dictionaries[column]
        has_order = self._have_order.get((dictionary, number))
        if has_order is None:
            if len(self._have_order) >= MOST_KNOWN:
                self._have_order.clear()
            value = dictionary.values[number]
            has_order = reordered(value) is not value
            self._have_order[dictionary, number] = has_order
        return has_order

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
