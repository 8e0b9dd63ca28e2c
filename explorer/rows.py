"""Rows: a state as the numbers of its cells' values, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.cells import Layout
from replicheck.explorer.domains import Domain


@frozen
class Rows:
    """How the states of one model become rows; ``start`` is any of its states."""

    layout: Layout
    domains: tuple[Domain, ...]
    start: Any

    def row(self, state: Any) -> tuple[int, ...]:
        """Return the numbers of a state's cells."""
        values = self.layout.values(state)
        return tuple(
            domain.number(value)
            for domain, value in zip(self.domains, values, strict=True)
        )

    def state(self, row: Sequence[int]) -> Any:
        """Return the plain state of a row."""
        values = tuple(
            domain.values[number]
            for domain, number in zip(self.domains, row, strict=True)
        )
        return self.layout.build(self.start, values)
