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
    element = put(family[first], tuple(rest), value) if rest else value
    return (*family[:first], element, *family[first + 1 :])


@attrs.frozen
class Cells:
    """A state. Fields are cells; tuples are families of cells, one for each element.

    A field with ``eq=False`` is a constant of the instance, such as its bounds.
    """

    def evolve(self, **cells: Any) -> Self:
        """The state with other values in the named cells.

        Args:
            cells: a value for a plain field; for a family a mapping from index to
                value, where the index is a tuple if families are nested, or leads to a
                family, whose cells get a tuple of values.
        """
        changes = {}
        for name, new in cells.items():
            old = getattr(self, name)
            if not isinstance(old, tuple):
                changes[name] = new
                continue
            if not isinstance(new, Mapping):
                raise TypeError(f"`{name}` is a family: give {{index: value}}")
            for index, value in new.items():
                path = index if isinstance(index, tuple) else (index,)
                old = put(old, path, value)
            changes[name] = old
        return attrs.evolve(self, **changes)
