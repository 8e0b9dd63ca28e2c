"""What was learned of an action for parts of a set is checked as a whole."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from random_sets.set_systems import Item, Sets
from random_sets.splits import ITEMS, put
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.learning.checks.consistency import AN_EXCEPTION, are_among
from set_loops.parted_actions import FEW, take_any
from toys import Toy


def test_an_action_that_is_no_function_of_the_state_is_named() -> None:
    """Parts are compared with the steps of the plain state, too."""
    calls: list[Item] = []

    def take_early(s: Sets) -> Iterator[Sets]:
        for item in sorted(s.left, key=repr):
            calls.append(item)
            if len(calls) < 900:
                yield s.evolve(left=s.left - {item})

    model = Toy((put, take_early), (Sets(),), domains={Item: ITEMS})
    with pytest.raises(ModelError, match="`take_early`"):
        BreadthFirst(crowded=20).explore(model, ())


def test_an_action_that_tells_a_proxy_from_a_set_is_named() -> None:
    """Once all parts are known, their steps have to be those of the plain state."""

    def tell(s: Sets) -> Iterator[Sets]:
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item})
            if len(s.left) == len(ITEMS) and not hasattr(s.left, "reader_"):
                yield s.evolve(right=FEW)

    model = Toy((put, tell), (Sets(),), domains={Item: ITEMS})
    with pytest.raises(ModelError, match="`tell` differs between a plain state"):
        BreadthFirst(crowded=20, sample=1).explore(model, ())


@pytest.mark.parametrize(
    ("steps", "whole", "are_some"),
    [
        ([1], [2, 1], True),
        ([1, 1], [1, 2], False),
        ([3], [1, 2], False),
        ([1], AN_EXCEPTION, True),
        (AN_EXCEPTION, AN_EXCEPTION, True),
        (AN_EXCEPTION, [1], False),
    ],
)
def test_steps_of_a_part_are_among_those_of_the_action(
    steps: object, whole: object, are_some: bool
) -> None:
    """Each as often; the action raises if a part does."""
    assert are_among(steps, whole) == are_some


def test_a_thorough_search_repeats_parts_as_well() -> None:
    """In another order, on plain states, and against what levels have."""
    model = Toy((put, take_any), (Sets(),), domains={Item: ITEMS})
    engine = BreadthFirst(crowded=20, sample=1)
    assert engine.explore(model, ()) == Naive().explore(model, ())
