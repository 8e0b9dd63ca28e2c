"""Loops over sets, and items of these, that are not what they seem."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from random_sets.set_systems import Item, Sets
from random_sets.splits import ITEMS, explored, put
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.properties import every_step
from replicheck.explorer.proxies.loops.withheld import AskedInVain, Withheld, withheld
from set_loops.misleading_loops import DONE, MISLEADING
from toys import Toy

Acts = Callable[[Any], Iterator[Sets]]


@pytest.mark.parametrize("action", MISLEADING)
def test_what_a_loop_does_is_what_python_does(action: Acts) -> None:
    """The obvious search agrees, whatever the text seems to say."""
    explored(put, action)


class Uncomparable(str):
    """What no number can be compared with."""

    __slots__ = ()


def by_itself(s: Sets) -> Iterator[Sets]:
    """Sort the items by themselves."""
    for item in sorted(s.left):
        if item == ITEMS[3]:
            yield s.evolve(right=DONE)


def by_twice_of_it(s: Sets) -> Iterator[Sets]:
    """Sort the items by a key that not every item has."""
    for item in sorted(s.left, key=lambda item: item - 1, reverse=True):
        if item == ITEMS[3]:
            yield s.evolve(right=DONE)


@pytest.mark.parametrize("take", [by_itself, by_twice_of_it])
def test_to_sort_may_raise_of_an_item_that_is_passed_over(take: Acts) -> None:
    """It is an error, as it is in Python."""

    def rare(s: Sets) -> Iterator[Sets]:
        if len(s.left) == 9 and ITEMS[0] in s.left:
            found: frozenset[Any] = frozenset({ITEMS[1], Uncomparable("x")})
            yield s.evolve(left=found, right=DONE)

    def put_early(s: Sets, item: Item) -> Iterator[Sets]:
        if not s.right:
            yield s.evolve(left=s.left | {item})

    model = Toy((put_early, rare, take), (Sets(),), domains={Item: ITEMS})
    found = BreadthFirst(crowded=50).explore(model, ())
    obvious = Naive().explore(model, ())
    assert found.failure is not None
    assert obvious.failure is not None
    assert found.failure.function == obvious.failure.function == take.__name__


def test_a_property_may_evolve_the_state_behind_a_step() -> None:
    """Of which it asks what the step did not write."""

    def keeps(before: Sets, after: Sets) -> bool:
        if after.left is before.left:
            return True
        more = after.evolve(left=after.left | {ITEMS[7]}, right=DONE)
        return ITEMS[7] in more.left and more.right is not after.right

    model = Toy((put,), (Sets(),), domains={Item: ITEMS})
    for crowded in (1 << 20, 50):
        found = BreadthFirst(crowded=crowded).explore(model, [every_step(keeps)])
        assert found == Naive().explore(model, [every_step(keeps)])


def test_a_family_is_matched_as_a_tuple() -> None:
    """Also by the number of its cells."""

    def take(s: Sets) -> Iterator[Sets]:
        match s.family:
            case (first, second) if not first and not second and len(s.left) > 8:
                yield s.evolve(right=DONE)

    explored(put, take)


@pytest.mark.parametrize(
    "ask",
    [
        *(len, repr, list, bool, hash, abs, reversed, round, isinstance),
        *(lambda s: s | {1}, lambda s: {1} | s, lambda s: s - s, lambda s: s[0]),
        *(lambda s: s & s, lambda s: s(), lambda s: -s, lambda s: divmod(s, 2)),
        *(lambda s: s.items, lambda s: 1 in s, lambda s: f"{s}", lambda s: s == s),
    ],
)
def test_a_set_that_is_withheld_answers_nothing(ask: Callable[..., object]) -> None:
    """By an error that what is asked cannot catch by its class."""
    held = withheld(Withheld.SET)
    with pytest.raises(AskedInVain):
        ask(held, int) if ask is isinstance else ask(held)
