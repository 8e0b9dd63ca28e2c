"""What differs between two states of a run, cell by cell."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from replicheck.explorer.states.layout import Cell, Layout


@frozen
class Change:
    """A cell that has another value after a step."""

    cell: Cell
    old: Any
    new: Any


def changes(layout: Layout, before: Any, after: Any) -> list[Change]:
    """The cells that differ, in the order of the layout."""
    return [
        Change(cell, old, new)
        for cell, old, new in zip(
            layout.cells, layout.values(before), layout.values(after), strict=True
        )
        if old != new
    ]
