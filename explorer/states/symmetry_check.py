"""Checks that a model is symmetric: states are compared with their renamings.

A search up to symmetry visits one of several states that are renamings of one another.
What it misses, if the model is not symmetric, it would not tell. So of each level some
states are renamed: the renamed state has the renamed steps, and a claim says the same
of both. Small levels are compared whole, in many ways or all. Which states and
renamings are chosen in larger ones depends on nothing but their numbers, so that a
search decides alike when it is repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from attrs import frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model, Symmetry
from replicheck.explorer.properties import Kind, Property, always
from replicheck.explorer.states.fingerprint import Fingerprinter
from replicheck.explorer.states.layout import Layout
from replicheck.explorer.states.shared_cells import shared
from replicheck.explorer.states.symmetry import renamed

CLAIMS_COMPARED = 60
"""Renamed states of a level on which claims are compared, about so many."""
SPARE, SHARE = 8_000, 8
"""Renamed states of a search on which claims are compared besides, in levels so small
that no state is left out; one such level takes at most this share of what is left."""
EXPANDED, STEPS_COMPARED = 6, 12
"""States of a level whose steps are compared at most, and renamed ones, about so many.
"""
DECISIVE = {Kind.ALWAYS: False, Kind.STEP: False, Kind.SOMETIMES: True}
"""The answer of an instance that decides a claim, by the kinds of claims with one."""
MOST_STEPS = 100
"""Steps from a state on which claims about steps are compared at most."""
GOLDEN, BITS = 2654435769, 32
"""Multiples of the golden ratio, by whose fractions numbers are spread evenly."""


@frozen
class SymmetricClaim:
    """A claim that is to be decided by a state if and only if by its renamings."""

    name: str
    decisive: bool
    instances: tuple[Instance, ...]

    def answer(self, states: tuple[Any, ...]) -> bool | None:
        """The answer for a state or a step: the decisive one if an instance gives it.

        None if an instance raises, which the search itself reports.
        """
        try:
            said = [bool(instance(*states)) for instance in self.instances]
        except Exception:
            return None
        return self.decisive if self.decisive in said else not self.decisive

    def require_same(
        self,
        answer: bool | None,
        here: tuple[Any, ...],
        there: tuple[Any, ...],
        unmoved: Sequence[str],
    ) -> None:
        """Refuse it if it says something else of a renamed state or step.

        Args:
            unmoved: the tuples that no renaming puts into another order.

        Raises:
            ModelError: naming it and the states.
        """
        answers = answer, self.answer(there)
        if None in answers or answers[0] == answers[1]:
            return
        first, second = (f"{answer}".lower() for answer in answers)
        of = "the step from " if len(here) > 1 else ""
        raise ModelError(
            f"the model is not symmetric: `{self.name}` is {first} of"
            f" {of}{' to '.join(map(str, here))} and {second} of its renaming"
            f" {' to '.join(map(str, there))}{advice(unmoved)}"
        )


def advice(unmoved: Iterable[str], nearest: Iterable[str] = ()) -> str:
    """What to do about a model that is not symmetric.

    Args:
        unmoved: the tuples that no renaming puts into another order.
        nearest: the cells in which what is nearest to a renaming differs from it.
    """
    tuples, cells = (", ".join(f"`{n}`" for n in x) for x in (unmoved, nearest))
    signs = [f"the nearest to that differs in {cells}"] if cells else []
    signs += [f"no renaming moves the cells of {tuples}"] if tuples else []
    if not signs:
        return ". Search without symmetry"
    return (
        f"; {', and '.join(signs)}: say which tuples ids index, and annotate what is an"
        " id, or search without symmetry"
    )


def _unmoved(layout: Layout, symmetries: Sequence[Symmetry]) -> list[str]:
    """Names of the tuples that no renaming puts into another order."""
    moved = {
        cell.field
        for cell in layout.cells
        for symmetry in symmetries
        if symmetry.cell(cell.field, cell.index) != cell.index
    }
    tuples = dict.fromkeys(cell.field for cell in layout.cells if cell.index)
    return [name for name in tuples if name not in moved]


class SymmetryCheck:
    """Compares states of the levels of a search with their renamings."""

    most_states = 60
    """Those of a level that are worth comparing at most."""

    def __init__(
        self,
        layout: Layout,
        symmetries: Sequence[Symmetry],
        model: Model[Any],
        claims: Iterable[Property],
    ) -> None:
        self._layout, self._symmetries = layout, symmetries
        self._fingerprint = Fingerprinter(layout).of
        self._actions = _by_name(instances(model.actions, model.domains))
        self._unmoved = _unmoved(layout, symmetries)
        self._spare = SPARE
        self._of_states: list[SymmetricClaim] = []
        self._of_steps: list[SymmetricClaim] = []
        for claim in (*claims, *map(always, model.constraints)):
            known = self._of_steps if claim.kind is Kind.STEP else self._of_states
            decisive = DECISIVE.get(claim.kind)
            if decisive is not None:
                made = claim.instances(model.domains)
                known.append(SymmetricClaim(claim.name, decisive, made))

    def compare(self, level: int, states: Sequence[Any]) -> None:
        """Compare some states of a level, at most ``most_states``.

        Raises:
            ModelError: naming the action or the claim by which a renaming differs.
        """
        compared = CLAIMS_COMPARED
        if len(states) < self.most_states:
            more = min(len(states) * len(self._symmetries), self._spare // SHARE)
            compared = max(compared, more)
            self._spare -= more
        count = compared // len(states)
        for number, state in enumerate(states):
            chosen = self.renamings(count, level * self.most_states + number)
            self._compare_claims(self._of_states, (state,), chosen)
        expanded = [*islice(states, 0, None, -(-len(states) // EXPANDED))]
        for number, state in enumerate(expanded):
            count = STEPS_COMPARED // len(expanded)
            chosen = self.renamings(count, level * EXPANDED + number)
            for after in self._compare_steps(state, chosen)[:MOST_STEPS]:
                step = (state, shared(state, after))
                self._compare_claims(self._of_steps, step, chosen)

    def renamings(self, count: int, number: int) -> list[Symmetry]:
        """So many renamings, one at least, spread over all; others for each number."""
        size = len(self._symmetries)
        count = min(max(1, count), size)
        first = (number * GOLDEN % (1 << BITS)) * size >> BITS
        places = (first + size * place // count for place in range(count))
        return [self._symmetries[place % size] for place in places]

    def _compare_claims(
        self,
        claims: Sequence[SymmetricClaim],
        states: tuple[Any, ...],
        symmetries: Sequence[Symmetry],
    ) -> None:
        """Compare what claims say of a state, or of a step, and of its renamings.

        Raises:
            ModelError: if it differs.
        """
        if not claims:
            return
        answers = [(claim, claim.answer(states)) for claim in claims]
        for symmetry in symmetries:
            first, *others = (renamed(self._layout, x, symmetry) for x in states)
            renaming = (first, *(shared(first, after) for after in others))
            for claim, answer in answers:
                claim.require_same(answer, states, renaming, self._unmoved)

    def _compare_steps(self, state: Any, symmetries: Sequence[Symmetry]) -> list[Any]:
        """Compare the steps from a state with those from its renamings; return them.

        Those of an action that raises are left out: the search reports it, with a run.

        Raises:
            ModelError: if they are not renamings of one another.
        """
        renamings = [
            (symmetry, renamed(self._layout, state, symmetry))
            for symmetry in symmetries
        ]
        found: list[Any] = []
        for name, group in self._actions.items():
            steps = _steps(group, state)
            found += steps or ()
            for symmetry, renaming in renamings:
                renamed_steps = _steps(group, renaming)
                if steps is None or renamed_steps is None:
                    continue
                here = [renamed(self._layout, after, symmetry) for after in steps]
                there = (renaming, renamed_steps)
                self._require_same_steps(name, (state, here), there)
        return found

    def _require_same_steps(
        self,
        name: str,
        here: tuple[Any, Sequence[Any]],
        there: tuple[Any, Sequence[Any]],
    ) -> None:
        """Refuse an action that leads elsewhere from the renaming of a state.

        Args:
            here: a state, and the renamed ones to which the action leads from it.
            there: its renaming, and those to which the action leads from that.

        Raises:
            ModelError: naming the action, and a step that has no counterpart.
        """
        (state, expected), (renaming, found) = here, there
        lacking = self._beyond(expected, found)
        if lacking is not None:
            how = f"from its renaming {renaming} not to {lacking}"
            remedy = self._advice(lacking, found)
        else:
            more = self._beyond(found, expected)
            if more is None:
                return
            how = f"only from its renaming {renaming} to {more}"
            remedy = self._advice(more, expected)
        raise ModelError(
            f"the model is not symmetric: `{name}` leads from {state} to"
            f" {len(expected)} next states, and {how}{remedy}"
        )

    def _advice(self, state: Any, candidates: Sequence[Any]) -> str:
        """What to do about a step without a counterpart, by what is nearest to one.

        Of the cells that differ there, a model may not say how ids are in them.
        """
        differing = sorted(
            (self._layout.differing(state, near) for near in candidates),
            key=lambda names: (len(names), not {*names} & {*self._unmoved}),
        )
        return advice(self._unmoved, dict.fromkeys(differing[0] if differing else ()))

    def _beyond(self, states: Sequence[Any], known: Sequence[Any]) -> Any | None:
        """The first state that is more often among some than among those known."""
        left = Counter(map(self._fingerprint, known))
        for state in states:
            left[self._fingerprint(state)] -= 1
            if left[self._fingerprint(state)] < 0:
                return state
        return None


def _steps(actions: Sequence[Instance], state: Any) -> list[Any] | None:
    """Next states by some actions; None if one raises.

    Raises:
        ModelError: if one has no end.
    """
    found: list[Any] = []
    try:
        for action in actions:
            for number, after in enumerate(action(state)):
                action.require_end(number)
                found.append(after)
    except ModelError:
        raise
    except Exception:
        return None
    return found


def _by_name(actions: Iterable[Instance]) -> dict[str, list[Instance]]:
    groups: dict[str, list[Instance]] = {}
    for action in actions:
        groups.setdefault(action.name, []).append(action)
    return groups
