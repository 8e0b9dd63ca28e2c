"""Known states: which states a search has seen, each exactly as it was seen first.

Two states that Python calls equal are one state to a set. Where a function can tell
them apart all the same, the answer of a search would depend on which came first.
"""

from __future__ import annotations

from typing import Generic

from replicheck.explorer.errors import ModelError
from replicheck.explorer.model import S
from replicheck.explorer.states.exact_equality import (
    are_exactly_equal,
    unhashable,
    unlike_values,
)
from replicheck.explorer.states.layout import Layout


class KnownStates(Generic[S]):
    """A set of states, equal ones of which must be exactly equal."""

    def __init__(self) -> None:
        self._first: dict[S, S] = {}
        self._layout: Layout | None = None
        self._allowed: set[tuple[str, int]] = set()
        """Fields and objects in their cells, which known states keep from ending."""

    def add(self, state: S) -> bool:
        """Add a state; tell whether it is new.

        Raises:
            ModelError: if it has no hash, equals a known state and is not the same, or
                has a value in a cell that must not be there.
        """
        try:
            first = self._first.get(state)
        except TypeError as error:
            raise self._unhashable(state, error) from error
        if first is None:
            self._require_cells(state)
            self._first[state] = state
            return True
        if first is state:
            return False
        layout = self._layout_of(state)
        values = map(layout.values, (first, state))
        for cell, known, value in zip(layout.cells, *values, strict=True):
            if not are_exactly_equal(known, value):
                raise unlike_values(cell.field, known, value)
        return False

    def _unhashable(self, state: S, error: TypeError) -> ModelError:
        """The error about the first cell of a state that has no hash."""
        layout = self._layout_of(state)
        for cell, value in zip(layout.cells, layout.values(state), strict=True):
            try:
                hash(value)
            except TypeError as unhashed:
                return unhashable(cell.field, value, unhashed)
        return ModelError(f"a state cannot be hashed ({error}): make its class frozen")

    def _require_cells(self, state: S) -> None:
        layout = self._layout_of(state)
        for cell, value in zip(layout.cells, layout.values(state), strict=True):
            if (cell.field, id(value)) not in self._allowed:
                layout.require_cell(cell.field, value)
                self._allowed.add((cell.field, id(value)))

    def _layout_of(self, state: S) -> Layout:
        layout = self._layout = self._layout or Layout.of(state)
        return layout
