"""Symmetry: states that differ by a renaming only count as one.

The fingerprint of a state is then the least of those of its renamings; the state that
stands for the others is the first that is found, so a trace is a run as it is. A model
says which renamings leave it as it is; that this is true is checked on sampled states.
"""

from __future__ import annotations

from enum import Enum
from itertools import islice
from typing import Any

from replicheck.explorer.errors import ModelError
from replicheck.explorer.model import Model, Symmetry
from replicheck.explorer.states.layout import Cell, Layout


class Reduction(Enum):
    """What a search makes of the symmetries of its model."""

    NONE = "every state counts"
    SYMMETRY = "states that are renamings of one another count as one"


MOST_RENAMINGS = 5_039
"""Seven ids that are alike have so many; each is a column of hashes of all values."""


def renamings_of(model: Model[Any], reduction: Reduction) -> tuple[Symmetry, ...]:
    """The renamings of a model by which a search reduces its states.

    Raises:
        ModelError: if there are more than `MOST_RENAMINGS`.
    """
    if reduction is Reduction.NONE:
        return ()
    found = tuple(islice(model.symmetries, MOST_RENAMINGS + 1))
    if len(found) > MOST_RENAMINGS:
        raise ModelError(
            f"the model {model.name} has more than {MOST_RENAMINGS:,} renamings, as"
            " many as seven ids that are alike have: choose smaller bounds, or search"
            " without symmetry"
        )
    return found


def renamed(layout: Layout, state: Any, symmetry: Symmetry) -> Any:
    """The state with every name in it replaced."""
    values = layout.values(state)
    moved = list(values)
    for column, cell in enumerate(layout.cells):
        target = Cell(cell.field, symmetry.cell(cell.field, cell.index))
        moved[layout.columns[target]] = symmetry.value(values[column])
    return layout.build(state, tuple(moved))
