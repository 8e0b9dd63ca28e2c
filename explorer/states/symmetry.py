"""Symmetry: states that differ by a renaming only count as one.

The fingerprint of a state is then the least of those of its renamings; the state that
stands for the others is the first that is found, so a trace is a run as it is. A model
says which renamings leave it as it is; that this is true is checked on sampled states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum
from itertools import islice
from typing import Any

from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model, Symmetry
from replicheck.explorer.states.fingerprint import Fingerprinter
from replicheck.explorer.states.layout import Cell, Layout


class Reduction(Enum):
    """What a search makes of the symmetries of its model."""

    NONE = "every state counts"
    SYMMETRY = "states that are renamings of one another count as one"


MOST_RENAMINGS = 5_039
"""Seven ids that are alike have so many; each is a column of hashes of all values."""
CHECKED = 60
"""Renamings that are checked at each level at most, those that come next."""


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


def checked_at(level: int, symmetries: Sequence[Symmetry]) -> Sequence[Symmetry]:
    """The renamings that are checked at a level; of many, a few in turn."""
    if len(symmetries) <= CHECKED:
        return symmetries
    first = level * CHECKED % len(symmetries)
    return [*symmetries[first:], *symmetries[:first]][:CHECKED]


def check_symmetry(
    layout: Layout,
    symmetries: Sequence[Symmetry],
    model: Model[Any],
    state: Any,
) -> None:
    """Check that the renamed state has the renamed steps.

    Raises:
        ModelError: if it does not, naming the action whose steps differ.
    """
    fingerprint = Fingerprinter(layout).of
    others = [(symmetry, renamed(layout, state, symmetry)) for symmetry in symmetries]
    for name, group in _by_name(instances(model.actions, model.domains)).items():
        try:
            steps = [after for action in group for after in action(state)]
        except ModelError:
            raise
        except Exception:
            # The search itself reports a function that raises, with a trace.
            continue
        for symmetry, other in others:
            try:
                here = Counter(
                    fingerprint(renamed(layout, after, symmetry)) for after in steps
                )
                there = Counter(
                    fingerprint(after) for action in group for after in action(other)
                )
            except ModelError:
                raise
            except Exception:
                continue
            if here != there:
                raise ModelError(
                    f"the model is not symmetric: `{name}` has {here.total()} steps in"
                    f" {state} and other steps in its renaming {other}."
                    " Search without symmetry"
                )


def _by_name(actions: Sequence[Instance]) -> dict[str, list[Instance]]:
    groups: dict[str, list[Instance]] = {}
    for action in actions:
        groups.setdefault(action.name, []).append(action)
    return groups
