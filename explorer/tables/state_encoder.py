"""Rows: a state as the numbers of its cells' values, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.states.layout import Layout
from replicheck.explorer.tables.dictionary import Dictionary


@frozen
class StateEncoder:
    """How the states of one model become rows; ``start`` is any of its states."""

    layout: Layout
    dictionaries: tuple[Dictionary, ...]
    start: Any

    def row(self, state: Any) -> tuple[int, ...]:
        """The numbers of a state's cells."""
        values = self.layout.values(state)
        return tuple(
            dictionary.number(value)
            for dictionary, value in zip(self.dictionaries, values, strict=True)
        )

    def row_after(self, row: Sequence[int], state: Any) -> tuple[int, ...]:
        """The numbers of a state's cells, most of them those of another row."""
        return tuple(
            [
                number if value is old else dictionary.number(value)
                for dictionary, number, old, value in zip(
                    self.dictionaries,
                    row,
                    self.values(row),
                    self.layout.values(state),
                    strict=True,
                )
            ]
        )

    def values(self, row: Sequence[int]) -> tuple[Any, ...]:
        """The values of a row's cells."""
        return tuple(
            [
                dictionary.values[number]
                for dictionary, number in zip(self.dictionaries, row, strict=True)
            ]
        )

    def state(self, row: Sequence[int]) -> Any:
        """The plain state of a row."""
        return self.layout.build(self.start, self.values(row))
