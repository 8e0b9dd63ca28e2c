"""The steps of an action may come from several loops, and from elsewhere, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from random_sets.set_systems import Item, Sets
from random_sets.splits import (
    ITEMS,
    Columns,
    explored,
    is_parted,
    put,
    runs_of,
    split_of,
    split_whatever_reads,
)
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.proxies.loops.parted_loops import parted_loops
from set_loops.successive_loops import (
    FEW,
    PARTED,
    TOLD,
    WHOLE,
    Turns,
    that_calls_itself,
    with_a_name_of_the_first,
)
from toys import Toy

MOST_RUNS = 800
"""Of an action with a part for each of some columns, in 1,024 states."""
Acts = Callable[[Any], Iterator[Sets]]


@pytest.mark.parametrize("action", PARTED)
def test_each_loop_is_learned_for_each_item_by_itself(action: Acts) -> None:
    """Their names may be called the same."""
    assert is_parted(action)
    report = explored(put, action)
    assert split_of(report) == {"left": len(ITEMS)}
    assert runs_of(report, action.__name__) < MOST_RUNS


@pytest.mark.parametrize("action", WHOLE)
def test_an_action_is_learned_as_a_whole(action: Acts) -> None:
    """If a name leads from one loop to the next."""
    assert not is_parted(action)
    explored(put, action)


def test_a_loop_may_be_parted_that_reads_a_name_of_another_one() -> None:
    """The other loop sees all of the set, and its steps are those of the first part."""
    (loop,) = parted_loops(cast(Any, with_a_name_of_the_first).__code__)
    first = with_a_name_of_the_first.__code__.co_firstlineno
    assert loop.lines == range(first + 5, first + 8)
    explored(put, with_a_name_of_the_first)


@pytest.mark.parametrize("action", TOLD)
def test_what_a_loop_changes_shows_to_the_next_loop(action: Acts) -> None:
    """From there on one part does all, and no other does anything or raises."""
    with split_whatever_reads(Columns(5, False)):
        report = explored(put, action, crowded=20)
    assert split_of(report) == {"left": len(ITEMS)}


def test_an_action_may_call_itself() -> None:
    """Then the loop that begins within sees all of the set."""

    few = tuple(map(Item, range(6)))
    domains: dict[object, tuple[object, ...]] = {Item: few, Turns: (Turns(0), Turns(1))}
    model = Toy((put, that_calls_itself), (Sets(),), domains=domains)
    with split_whatever_reads(Columns(5, False)):
        found = BreadthFirst(crowded=4).explore(model, ())
    assert found == Naive().explore(model, ())
    assert split_of(found)["left"] == len(few)


def test_the_loops_may_go_over_several_sets() -> None:
    """Each part sees elements of each."""

    def put_right(s: Sets, item: Item) -> Iterator[Sets]:
        yield s.evolve(right=s.right | {item})

    def take(s: Sets) -> Iterator[Sets]:
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item})
        for item in sorted(s.right, key=repr):
            yield s.evolve(right=s.right - {item})

    few = ITEMS[:6]
    model = Toy((put, put_right, take), (Sets(),), domains={Item: few})
    found = BreadthFirst(crowded=10).explore(model, ())
    assert found == Naive().explore(model, ())
    assert split_of(found) == {"left": len(few), "right": len(few)}
    assert runs_of(found, "take") < MOST_RUNS


def test_a_loop_may_go_over_a_set_that_is_not_split() -> None:
    """Its steps are those of the first part."""

    def take(s: Sets) -> Iterator[Sets]:
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item})
        for item in sorted(s.right, key=repr):
            yield s.evolve(right=s.right - {item})

    def mark(s: Sets) -> Iterator[Sets]:
        if not s.right:
            yield s.evolve(right=FEW)

    model = Toy((put, mark, take), (Sets(),), domains={Item: ITEMS[:8]})
    found = BreadthFirst(crowded=20).explore(model, ())
    assert found == Naive().explore(model, ())
    assert split_of(found) == {"left": 8}
    assert runs_of(found, "take") < MOST_RUNS
