"""Split sets whose elements are counted: for their number no element is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from unittest.mock import patch

import pytest

from random_sets.set_systems import Item, Sets
from random_sets.splits import ITEMS, explored, put, runs_of, split_of
from replicheck.explorer.engine import Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.learning import crowded_sets
from replicheck.explorer.properties import every_step
from searches.resumed_searches import Moment, ended_and_resumed
from toys import Toy

MOST_RUNS = 150
"""Of a function of ten items that is asked in more than 500 states."""


def put_if_few(state: Sets, item: Item) -> Iterator[Sets]:
    """Add an item to at most four."""
    if len(state.left) < 5:
        yield state.evolve(left=state.left | {item})


def take(state: Sets, item: Item) -> Iterator[Sets]:
    """Take out an item, if it is there, unless the set is empty."""
    if state.left:
        yield state.evolve(left=state.left - {item})


def test_a_set_that_may_not_have_many_items_is_split() -> None:
    """To ask for its length reads one column, not those of all elements."""
    report = explored(put_if_few, take)
    assert report.states == 638
    assert split_of(report) == {"left": 10}
    assert runs_of(report, "put_if_few") < MOST_RUNS
    assert runs_of(report, "take") < MOST_RUNS


FEW = frozenset(ITEMS[:2])
ASKED: list[Callable[[frozenset[Item]], bool]] = [
    lambda items: not items,
    lambda items: items == FEW,
    lambda items: items != FEW,
    lambda items: items <= FEW,
    lambda items: items < FEW,
    lambda items: items > FEW,
    lambda items: items.issubset(ITEMS[:3]),
    lambda items: len(items | FEW) == 4,
    lambda items: len(items - FEW) == 4,
    lambda items: (items | {ITEMS[3]}) - {ITEMS[0]} == FEW,
]


@pytest.mark.parametrize("ask", ASKED)
def test_to_compare_a_set_reads_the_items_of_the_other_one(
    ask: Callable[[frozenset[Item]], bool],
) -> None:
    """With their number that is enough to know."""

    def move(state: Sets) -> Iterator[Sets]:
        if ask(state.left):
            yield state.evolve(right=frozenset({ITEMS[0]}))

    report = explored(put, move)
    assert split_of(report) == {"left": 10}
    assert runs_of(report, "move") < MOST_RUNS


def test_a_set_is_counted_once_it_is_often_asked_for_its_length() -> None:
    """Until then no element is read to put in another one."""

    def move(state: Sets) -> Iterator[Sets]:
        if state.left.issuperset(ITEMS[4:]) and len(state.left) % 2:
            yield state.evolve(right=frozenset({Item(len(state.left))}))

    with patch.object(crowded_sets, "WHOLE_READS", 0):
        report = explored(put, move, crowded=20)
    assert split_of(report) == {"left": 10}


def test_a_set_that_is_written_twice_is_counted_anew() -> None:
    """What the first write counted does not stay behind."""

    def put_and_take(state: Sets, item: Item) -> Iterator[Sets]:
        if item not in state.left:
            after = state.evolve(left=state.left | {item}, right=frozenset({item}))
            yield after.evolve(left=after.left - {item})

    report = explored(put_if_few, take, put_and_take)
    assert split_of(report) == {"left": 10}


def test_a_step_property_compares_the_lengths_before_and_after() -> None:
    """A step that puts in what is there changes none."""

    def grows_by_one(before: Sets, after: Sets) -> bool:
        return len(after.left) - len(before.left) in (0, 1)

    model = Toy((put_if_few, take), (Sets(),), domains={Item: ITEMS})
    properties = [every_step(grows_by_one)]
    found = BreadthFirst(crowded=2).explore(model, properties)
    assert found == Naive().explore(model, properties)
    assert [violation.property for violation in found.violations] == ["grows_by_one"]


def test_a_search_goes_on_with_counted_elements() -> None:
    """A checkpoint says that they are counted."""
    model = Toy((put_if_few, take), (Sets(),), domains={Item: ITEMS})
    moments: list[Moment] = [(3, KeyboardInterrupt)]
    engine = BreadthFirst(crowded=4)
    ended = ended_and_resumed(engine, model, (), Search(), moments, [None, None])
    assert ended == Naive().explore(model, ())
    assert split_of(ended) == {"left": 10}
