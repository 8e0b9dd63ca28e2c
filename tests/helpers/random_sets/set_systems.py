"""Random systems of sets: cells with frozensets, and what Python does with them.

A system is drawn as plain data, so that a failing example can be read and shrunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import and_, eq, ge, gt, le, lt, ne, or_, sub, xor
from typing import Any, NewType

from attrs import frozen
from hypothesis import strategies as st

from replicheck.model.state_base import Cells
from toys import Toy

Item = NewType("Item", int)
ITEMS = tuple(map(Item, range(3)))
Items = frozenset[Item]
NONE = Items()


@frozen
class Sets(Cells):
    """Two sets, and a family of two."""

    left: Items = NONE
    right: Items = NONE
    family: tuple[Items, Items] = (NONE, NONE)


Places = ("left", "right", "first", "second")
OPERATORS = (or_, and_, sub, xor)
METHODS = ("union", "intersection", "difference", "symmetric_difference")
COMPARISONS = (eq, ne, le, lt, ge, gt)
PREDICATES = ("issubset", "issuperset", "isdisjoint")


def at(state: Sets, place: str) -> Items:
    """The set at a place."""
    if place in ("first", "second"):
        return state.family[place == "second"]
    found: Items = getattr(state, place)
    return found


def writing(state: Sets, place: str, items: Items) -> Sets:
    """The state with another set at a place."""
    if place in ("first", "second"):
        return state.evolve(family={int(place == "second"): items})
    return state.evolve(**{place: items})


@frozen
class Expression:
    """A set or a truth value, made of the sets at two places and of a constant."""

    kind: str
    how: Any
    place: str
    right: str | Items
    is_reflected: bool

    def value(self, state: Sets) -> Any:
        """What it comes to in a state."""
        first = at(state, self.place)
        second = at(state, self.right) if isinstance(self.right, str) else self.right
        if self.kind == "operator":
            return (
                self.how(second, first)
                if self.is_reflected
                else self.how(first, second)
            )
        if self.kind == "method":
            return getattr(first, self.how)(sorted(second))
        if self.kind == "items":
            return frozenset(item for item in first if item not in second)
        return first.copy()


def expression(
    kind: tuple[str, Any], place: str, right: str | Items, is_reflected: bool
) -> Expression:
    """The expression of a kind, and of how it is written."""
    return Expression(*kind, place, right, is_reflected)


OTHERS = st.one_of(st.sampled_from(Places), st.frozensets(st.sampled_from(ITEMS)))
SETS = st.builds(
    expression,
    st.one_of(
        st.tuples(st.just("operator"), st.sampled_from(OPERATORS)),
        st.tuples(st.just("method"), st.sampled_from(METHODS)),
        st.just(("items", None)),
        st.just(("copy", None)),
    ),
    st.sampled_from(Places),
    OTHERS,
    st.booleans(),
)
TRUTHS = st.builds(
    expression,
    st.one_of(
        st.tuples(st.just("operator"), st.sampled_from(COMPARISONS)),
        st.tuples(st.just("method"), st.sampled_from(PREDICATES)),
    ),
    st.sampled_from(Places),
    OTHERS,
    st.booleans(),
)


@frozen
class Rule:
    """An action: where it is enabled, and what it writes after another write."""

    item: Item
    place: str
    guard: Expression
    first: tuple[str, Expression]
    second: tuple[str, Expression]

    def action(self, number: int) -> Callable[..., Iterator[Sets]]:
        """The rule as a function of a name of its own."""

        def act(state: Sets) -> Iterator[Sets]:
            if self.item in at(state, self.place) or len(at(state, self.place)) < 2:
                yield writing(state, self.place, at(state, self.place) | {self.item})
            if at(state, self.place) and self.guard.value(state):
                place, items = self.first
                after = writing(state, place, items.value(state))
                place, items = self.second
                yield writing(after, place, items.value(after))

        act.__name__ = f"act_{number}"
        return act


PLACED = st.tuples(st.sampled_from(Places), SETS)
RULES = st.builds(
    Rule, st.sampled_from(ITEMS), st.sampled_from(Places), TRUTHS, PLACED, PLACED
)


def toy(rules: Sequence[Rule]) -> Toy:
    """The model with an action for each rule."""
    actions = tuple(rule.action(number) for number, rule in enumerate(rules))
    return Toy(actions, (Sets(),))
