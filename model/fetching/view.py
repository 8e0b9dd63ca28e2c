"""The state of a larger model as the functions of this one know it.

A model with these threads beneath another controller derives its view from this one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from types import MethodType
from typing import Any, ClassVar, Self

from replicheck.model.fetching.initial_states import with_leader
from replicheck.model.fetching.state import Brokers


class BrokersView:
    """Has the cells and methods of the fetching brokers.

    ``whole_class`` is the class of the larger state, and ``names`` are cells whose name
    is another cell's there. A cell that the larger state does not have is as in the
    beginning, and stays so.
    """

    whole_class: ClassVar[type]
    names: ClassVar[Mapping[str, str]] = {}

    def __init__(self, whole: Any) -> None:
        self.whole = whole

    @property
    def bounds(self) -> Any:
        """The bounds of the fetching brokers."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        """A cell of the larger state, or a method of the fetching brokers."""
        member = inspect.getattr_static(Brokers, name, None)
        if inspect.isfunction(member):
            return MethodType(member, self)
        known = self.names.get(name, name)
        if hasattr(self.whole_class, known):
            return getattr(self.whole, known)
        return getattr(initial_brokers(self.bounds), name)

    def evolve(self, **cells: Any) -> Self:
        """The view with other values in the named cells."""
        changes: dict[str, Any] = {}
        for name, new in cells.items():
            changes.update(self.changes_of(name, new))
        return type(self)(self.whole.evolve(**changes))

    def changes_of(self, name: str, new: Any) -> dict[str, Any]:
        """The cells of the larger state that change with a cell, and their values."""
        known = self.names.get(name, name)
        if hasattr(self.whole_class, known):
            return {known: new}
        unchanged = initial_brokers(self.bounds).evolve(**{name: new})
        assert unchanged == initial_brokers(self.bounds), f"`{name}` is left out"
        return {}


class Table:
    """A family by indices, whose elements are computed when they are asked for."""

    def __init__(
        self, element: Callable[..., Any], indices: int = 2, *index: Any
    ) -> None:
        self.element, self.indices, self.index = element, indices, index

    def __getitem__(self, number: Any) -> Any:
        """The element, once all indices are known."""
        index = (*self.index, number)
        if len(index) == self.indices:
            return self.element(*index)
        return Table(self.element, self.indices, *index)


@cache
def initial_brokers(bounds: Any) -> Brokers:
    """The state in which the fetching brokers begin."""
    return with_leader(bounds)
