"""Values with a set that can be iterated as that set can."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, ClassVar

import pytest
from attrs import frozen

from random_sets.set_systems import Item
from random_sets.splits import runs_of, split_of
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.states.value_parts import set_class_of
from replicheck.model.state_base import Cells
from replicheck.modelling import Set
from toys import Toy

ITEMS = tuple(map(Item, range(6)))
NONE_HELD = Set[int]()
MOST_RUNS = 12
"""Of 64 sets, where only three of the items make a difference."""


@frozen
class Hands(Cells):
    """What is held, and what was taken last."""

    held: Set[int] = NONE_HELD
    taken: int = 0


def hold(s: Hands, item: Item) -> Iterator[Hands]:
    yield s.evolve(held=s.held.add(item))


def take_a_three(s: Hands) -> Iterator[Hands]:
    for number in s.held:
        if number == 3:
            yield s.evolve(taken=number)


def take_a_four(s: Hands) -> Iterator[Hands]:
    for number in sorted(s.held):
        if number == 4:
            yield s.evolve(taken=number)


def take_if_all_are_less(s: Hands) -> Iterator[Hands]:
    if all(number < 3 for number in s.held):
        yield s.evolve(taken=1)


@pytest.mark.parametrize("take", [take_a_three, take_a_four, take_if_all_are_less])
def test_a_loop_asks_for_what_it_does_anything_with(
    take: Callable[[Hands], Iterator[Hands]],
) -> None:
    """Also of a set that is not split, whatever else is in it."""
    model = Toy((hold, take), (Hands(),), domains={Item: ITEMS})
    found = BreadthFirst(crowded=1 << len(ITEMS) + 1).explore(model, ())
    assert found == Naive().explore(model, ())
    assert not split_of(found)
    assert runs_of(found, take.__name__) <= MOST_RUNS


def test_all_of_it_is_iterated_in_its_own_order() -> None:
    """Where it is no cell, it is what it was."""
    assert sorted(Set(frozenset({3, 1, 2}))) == [1, 2, 3]
    assert list(Set()) == []


def iter_of_another(value: Any) -> Iterator[Any]:
    return iter(value.others)


def iter_of_more(value: Any) -> Iterator[Any]:
    return iter(sorted(value.items))


def each_one(value: Any) -> Iterator[Any]:
    yield from value.items


def iter_with_numbers(value: Any) -> Any:
    return enumerate(value.items)


def iter_of_items(value: Any) -> Iterator[Any]:
    return iter(value.items)


def named(method: Callable[[Any], Any], **names: object) -> Any:
    """A method as one of the name `__iter__`, with some global names."""
    code = iter_of_items.__code__ if method is iter_of_items else method.__code__
    return FunctionType(code.replace(co_name="__iter__"), {**globals(), **names})


@pytest.mark.parametrize(
    ("method", "is_iterated"),
    [
        (named(iter_of_items), True),
        (named(iter_of_another), False),
        (named(iter_of_more), False),
        (named(each_one), False),
        (named(iter_with_numbers), False),
        (named(iter_of_items, iter=reversed), False),
        (iter_of_items, False),
        (None, False),
    ],
)
def test_to_iterate_a_value_is_to_iterate_its_set_only_if_no_more_is_done(
    method: Any, is_iterated: bool
) -> None:
    """That is seen by what the method does."""

    @frozen
    class Held:
        MEMBERS: ClassVar[str] = "items"
        items: frozenset[int] = frozenset()
        __iter__ = method

    found = set_class_of(Held())
    assert found is not None
    assert found.is_iterated is is_iterated
