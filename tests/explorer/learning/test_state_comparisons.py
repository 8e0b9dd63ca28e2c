"""To compare two states reads what was written to one of them, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import attrs
from hypothesis import given
from hypothesis import strategies as st

from random_models.systems import slowly
from random_sets.set_systems import RULES, SETS, Expression, Item, Rule, Sets, writing
from random_sets.splits import COLUMNS, ITEMS, Columns, split_whatever_reads
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.properties import Property, every_step
from replicheck.explorer.report import Report
from replicheck.model.state_base import Cells
from toys import Toy


def agreed(model: Toy, properties: list[Property], engine: BreadthFirst) -> Report[Any]:
    """The report of a search, which the obvious search agrees with."""
    found = engine.explore(model, properties)
    assert found == Naive().explore(model, properties)
    return found


def test_an_action_that_asks_whether_it_changes_anything() -> None:
    """It runs as often as its own cells differ, whatever else is in the state."""

    def put_right(state: Sets) -> Iterator[Sets]:
        after = state.evolve(right=state.right | {ITEMS[0]})
        if after != state:
            yield after

    def put(state: Sets, item: Item) -> Iterator[Sets]:
        yield state.evolve(left=state.left | {item})

    model = Toy((put_right, put), (Sets(),), domains={Item: ITEMS[:6]})
    report = agreed(model, [], BreadthFirst())
    assert report.states == 128
    assert report.statistics.breadth_first is not None
    assert report.statistics.breadth_first.functions["put_right"].runs < 8


def test_a_step_property_that_compares_the_states() -> None:
    """It is asked of each step, also of one that writes what it does not look at."""

    def put(state: Sets, item: Item) -> Iterator[Sets]:
        yield state.evolve(left=state.left | {item})

    def changes(before: Sets, after: Sets) -> bool:
        return before != after

    def changes_little(before: Sets, after: Sets) -> bool:
        return before == after or len(after.left) < 3

    model = Toy((put,), (Sets(),), domains={Item: ITEMS[:3]})
    for claim in (changes, changes_little):
        report = agreed(model, [every_step(claim)], BreadthFirst())
        assert [found.property for found in report.violations] == [claim.__name__]


@attrs.frozen(eq=False)
class Rounded(Cells):
    """A state that says itself which ones equal it: tens of items do."""

    left: frozenset[Item] = frozenset()
    right: int = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rounded) and self.right // 10 == other.right // 10

    def __hash__(self) -> int:
        return hash(self.right // 10)


def test_states_that_are_compared_by_a_method_of_their_own() -> None:
    """It is asked, and not the cells."""

    def count(state: Rounded) -> Iterator[Rounded]:
        after = state.evolve(right=state.right + 1)
        if after == state:
            yield after

    assert BreadthFirst().explore(Toy((count,), (Rounded(),)), ()).states == 10


@slowly
@given(
    st.lists(RULES, min_size=1, max_size=3),
    SETS,
    st.sampled_from([1, 4, 1000]),
    COLUMNS,
    st.booleans(),
)
def test_whatever_is_compared(
    rules: list[Rule], made: Expression, crowded: int, columns: Columns, forced: bool
) -> None:
    """On random systems of sets: a step with the one before it, and with another."""

    def compared(rule: Rule, number: int) -> Any:
        act = rule.action(number)

        def act_if_new(state: Sets) -> Iterator[Sets]:
            for after in act(state):
                made_too = writing(state, rule.place, made.value(state))
                if state not in (after, made_too) and after != made_too:
                    yield after
                elif state == after:
                    yield writing(after, rule.place, made.value(after))

        act_if_new.__name__ = f"act_{number}"
        return act_if_new

    def is_as_made(before: Sets, after: Sets) -> bool:
        return before == after or after != writing(before, "left", made.value(before))

    actions = tuple(compared(rule, number) for number, rule in enumerate(rules))
    engine = BreadthFirst(crowded=crowded, sample=1)
    with split_whatever_reads(columns) if forced else nullcontext():
        agreed(Toy(actions, (Sets(),)), [every_step(is_as_made)], engine)
