"""Symmetry: states that differ by a renaming only count as one.

The fingerprint of a state is then the least of those of its renamings; the state that
stands for the others is the first that is found, so a trace is a run as it is. A model
says which renamings leave it as it is; that this is true is checked on sampled states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice
from typing import Any

from attrs import frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model, Symmetry
from replicheck.explorer.properties import Kind, Property, always
from replicheck.explorer.states.fingerprint import Fingerprinter
from replicheck.explorer.states.layout import Cell, Layout
from replicheck.explorer.states.shared_cells import shared


class Reduction(Enum):
    """What a search makes of the symmetries of its model."""

    NONE = "every state counts"
    SYMMETRY = "states that are renamings of one another count as one"


MOST_RENAMINGS = 5_039
"""Seven ids that are alike have so many; each is a column of hashes of all values."""
CHECKED = 60
"""Renamings that are checked at each level at most, those that come next."""
COMPARED = 12
"""Renamed states whose steps are compared at a level, about so many."""
RENAMED = 100
"""Renamed states on which claims are compared for each state whose steps are."""
JUDGED = {Kind.ALWAYS: False, Kind.STEP: False, Kind.SOMETIMES: True}
"""The answer of an instance that decides a claim, by the kinds of claims with one."""


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
    claims: Iterable[Property],
    state: Any,
) -> None:
    """Check that the renamed state has the renamed steps, and decides the same claims.

    So do the next states and the steps to them, as many as `RENAMED` allows.

    Raises:
        ModelError: if it does not, naming the action whose steps differ, or the claim.
    """
    steps = _checked_steps(layout, symmetries, model, state)
    states = [state, *steps][: max(2, RENAMED // len(symmetries))]
    constraints = map(always, model.constraints)
    judged = [
        _SymmetricClaim(claim, claim.instances(model.domains))
        for claim in (*claims, *constraints)
        if claim.kind in JUDGED
    ]
    answers = [list(claim.answers(states)) for claim in judged]
    for symmetry in symmetries:
        renamings = [renamed(layout, nearby, symmetry) for nearby in states]
        for claim, expected in zip(judged, answers, strict=True):
            claim.require_same(states, expected, renamings)


def _checked_steps(
    layout: Layout,
    symmetries: Sequence[Symmetry],
    model: Model[Any],
    state: Any,
) -> list[Any]:
    """Next states of a state, after a check that those of its renamings are renamed.

    Those of an action that raises are left out.

    Raises:
        ModelError: if they are not, naming the action.
    """
    found: list[Any] = []
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
        found += steps
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
    return found


@frozen
class _SymmetricClaim:
    """A claim that is to be decided by a state if and only if by its renamings."""

    claim: Property
    instances: tuple[Instance, ...]

    def answers(self, states: Sequence[Any]) -> Iterator[bool | None]:
        """Yield what it says of each state, or of each step from the first to another.

        It says of a state what the instance says of it that decides the claim, if one
        does; None if one raises, which the search itself reports.
        """
        first, *others = states
        runs: list[tuple[Any, ...]] = [(state,) for state in states]
        if self.claim.kind is Kind.STEP:
            runs = [(first, shared(first, after)) for after in others]
        decisive = JUDGED[self.claim.kind]
        for run in runs:
            try:
                said = [bool(instance(*run)) for instance in self.instances]
            except Exception:
                yield None
            else:
                yield decisive if decisive in said else not decisive

    def require_same(
        self,
        states: Sequence[Any],
        expected: Sequence[bool | None],
        renamings: Sequence[Any],
    ) -> None:
        """Refuse a claim that says something else of renamed states.

        Raises:
            ModelError: naming it and the two states.
        """
        offset = len(states) - len(expected)
        for place, answer in enumerate(self.answers(renamings)):
            if None in (answer, expected[place]) or answer == expected[place]:
                continue
            what = "the step to " if offset else ""
            here, there = states[place + offset], renamings[place + offset]
            raise ModelError(
                f"the model is not symmetric: `{self.claim.name}` is"
                f" {f'{expected[place]}'.lower()} of {what}{here} and"
                f" {f'{answer}'.lower()} of its renaming {there}. Search without"
                " symmetry"
            )


def _by_name(actions: Sequence[Instance]) -> dict[str, list[Instance]]:
    groups: dict[str, list[Instance]] = {}
    for action in actions:
        groups.setdefault(action.name, []).append(action)
    return groups
