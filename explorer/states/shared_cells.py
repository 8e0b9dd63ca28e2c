"""Sharing: two states in which equal cells are the same objects.

Whether two equal values are one object is no part of a state. A step property may ask
``after.x is before.x`` all the same, since of the two states it gets to see, equal
cells are always one object.
"""

from __future__ import annotations

from functools import cache
from operator import is_
from typing import Any

import attrs


def shared(before: Any, after: Any) -> Any:
    """The state after a step, whose equal cells are the objects before it."""
    if type(before) is not type(after):
        return after
    changes = {}
    kind: Any = type(before)
    for name in _fields(kind):
        old = getattr(after, name)
        new = _shared(getattr(before, name), old)
        if new is not old:
            changes[name] = new
    return attrs.evolve(after, **changes) if changes else after


def _shared(before: Any, after: Any) -> Any:
    """The value after, or before if equal; of a family element by element."""
    if before is after or type(before) is not type(after):
        return after
    if isinstance(after, tuple) and len(before) == len(after):
        elements = tuple(
            [
                new if new is old else _shared(old, new)
                for old, new in zip(before, after, strict=True)
            ]
        )
        if all(map(is_, elements, before)):
            return before
        return after if all(map(is_, elements, after)) else elements
    return before if before == after else after


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """The fields of a state's class that are cells or families of them."""
    if not attrs.has(kind):
        return ()
    return tuple(field.name for field in attrs.fields(kind) if field.eq)
