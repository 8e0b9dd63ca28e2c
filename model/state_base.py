"""The base of every state: frozen, and written cell by cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import attrs


def put(family: tuple[Any, ...], index: tuple[int, ...], value: Any) -> tuple[Any, ...]:
    """The family with one element, nested by ``index``, replaced."""
    first, *rest = index
    if not 0 <= first < len(family):
        raise IndexError(f"index {first} of a family of {len(family)} cells")
    if rest:
        element = put(family[first], tuple(rest), value)
    elif isinstance(value, Mapping):
        element = put_all(family[first], value)
    else:
        element = value
    return (*family[:first], element, *family[first + 1 :])


def put_all(family: tuple[Any, ...], changes: Mapping[Any, Any]) -> tuple[Any, ...]:
    """The family with some elements replaced, each by its index."""
    for index, value in changes.items():
        path = index if isinstance(index, tuple) else (index,)
        family = put(family, path, value)
    return family


@attrs.frozen
class Cells:
    """A state. Fields are cells; tuples are families of cells, one for each element.

    A field with ``eq=False`` is a constant of the instance, such as its bounds.
    """

    def evolve(self, **cells: Any) -> Self:
        """The state with other values in the named cells.

        Args:
            cells: a value for a plain field; for a family a mapping from index to
                value. Where families are nested the index is a tuple; or it leads to
                a family, whose cells get a tuple of values, or a mapping for some.
        """
        changes = {}
        for name, new in cells.items():
            old = getattr(self, name)
            if not isinstance(old, tuple):
                changes[name] = new
                continue
            if not isinstance(new, Mapping):
                raise TypeError(f"`{name}` is a family: give {{index: value}}")
            changes[name] = put_all(old, new)
        return attrs.evolve(self, **changes)
