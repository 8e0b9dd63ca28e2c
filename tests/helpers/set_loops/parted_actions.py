"""Actions with a loop over the set on the left: parted ones, and such as are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from random_sets.set_systems import Item, Sets

Steps = Iterator[Sets]
FIRST, FEW = Item(0), frozenset({Item(0), Item(1)})


class Copied(list[Item]):
    """What sorts nothing."""

    def __init__(self, items: frozenset[Item], key: object) -> None:
        super().__init__(items)


def take_any(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})


def take_and_keep(s: Sets) -> Steps:
    for item in sorted(s.left, key=str):
        rest = s.left - {item}
        if item in FEW:
            continue
        yield s.evolve(left=rest)
        yield s.evolve(left=rest, right=s.right & FEW)


def in_reverse(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr, reverse=True):
        yield s.evolve(left=s.left - {item})


def in_branches(s: Sets) -> Steps:
    if FIRST in s.right:
        return
    if any(item == FIRST for item in s.left):
        match len(s.right):
            case 0:
                for item in sorted(s.left, key=repr):
                    yield s.evolve(left=s.left - {item})


def with_another_loop(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        for other in (FIRST, Item(1)):
            if other == item:
                break
        else:
            yield s.evolve(left=s.left - {item})


def by_position(s: Sets, /) -> Steps:
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})


def without_an_order(s: Sets) -> Steps:
    for _ in s.left:
        yield s.evolve(right=FEW)


def by_a_function_in_place(s: Sets) -> Steps:
    limit = 3
    for item in sorted(s.left, key=repr):
        if (lambda number: number > limit)(item):
            yield s.evolve(left=s.left - {item})


def over_one_of_a_family(s: Sets) -> Steps:
    for item in sorted(s.family[0], key=repr):
        yield s.evolve(family={0: s.family[0] - {item}})


def that_asks_about_others(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        if Item(item + 1) not in s.left:
            yield s.evolve(left=s.left - {item})


def that_leaves_it_to_another(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        yield from moved(s, item)


def moved(s: Sets, item: Item) -> Steps:
    if item in FEW:
        return
    yield s.evolve(left=s.left - {item})
    if FIRST in s.left:
        yield s.evolve(left=s.left - {item, FIRST}, right=FEW)


def with_one_far_behind(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    if FIRST in s.left:
        for right in (FEW, frozenset[Item]()):
            yield s.evolve(right=right)


def with_one_behind(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    yield s.evolve(right=FEW)


def with_others_behind(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    yield from moved(s, FIRST)


PARTED: list[Callable[[Any], Steps]] = [
    take_any,
    take_and_keep,
    in_reverse,
    in_branches,
    with_another_loop,
    by_position,
    without_an_order,
    by_a_function_in_place,
    that_asks_about_others,
    that_leaves_it_to_another,
    with_one_far_behind,
    with_one_behind,
    with_others_behind,
]


def that_counts(s: Sets) -> Steps:
    turns = FIRST
    for _ in s.left:
        turns = Item(turns + 1)
        yield s.evolve(right=frozenset({turns}))


def that_breaks(s: Sets) -> Steps:
    for _ in s.left:
        yield s.evolve(right=FEW)
        break


def that_returns(s: Sets) -> Steps:
    for _ in s.left:
        yield s.evolve(right=FEW)
        return


def with_the_last_one(s: Sets) -> Steps:
    item = FIRST
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    if item == FIRST:
        return


def with_one_that_is_read_behind(s: Sets) -> Steps:
    if not s.left:
        return
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    assert item >= FIRST


def with_one_in_else(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    else:
        yield s.evolve(right=FEW)


def that_is_guarded(s: Sets) -> Steps:
    try:
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {Item(1 // item)})
    except ZeroDivisionError:
        pass


def with_a_function(s: Sets) -> Steps:
    is_first = True

    def comes_first() -> bool:
        nonlocal is_first
        is_first, was_first = False, is_first
        return was_first

    for _ in s.left:
        if comes_first():
            yield s.evolve(right=FEW)


def of_another_state(s: Sets) -> Steps:
    s = s.evolve(left=s.left | FEW)
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})


def of_a_state_with_another_name(s: Sets) -> Steps:
    other = s.evolve(left=s.left | FEW)
    for item in sorted(other.left, key=repr):
        yield s.evolve(left=s.left - {item})


def over_some_of_a_family(s: Sets) -> Steps:
    for items in s.family[:1]:
        yield s.evolve(right=items)


def over_two_sets(s: Sets) -> Steps:
    for item in sorted(s.left | s.right, key=repr):
        yield s.evolve(left=s.left - {item})


def with_an_order_of_its_own(s: Sets) -> Steps:
    def repr(item: Item) -> Item:
        return item

    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})


def with_a_sorted_of_its_own(s: Sets) -> Steps:
    sorted: Any = Copied
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})


def with_any_order(s: Sets) -> Steps:
    for item in sorted(s.left, key=lambda item: -item):
        yield s.evolve(left=s.left - {item})


def that_gives_to_others(s: Sets) -> Steps:
    yield from take_any(s)


def that_is_answered(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        answer = yield s.evolve(left=s.left - {item})
        assert answer is None


WHOLE: list[Callable[[Any], Steps]] = [
    that_counts,
    that_breaks,
    that_returns,
    with_the_last_one,
    with_one_that_is_read_behind,
    with_one_in_else,
    that_is_guarded,
    with_a_function,
    of_another_state,
    of_a_state_with_another_name,
    over_some_of_a_family,
    over_two_sets,
    with_an_order_of_its_own,
    with_a_sorted_of_its_own,
    with_any_order,
    that_gives_to_others,
    that_is_answered,
]


def once_for_a_list(s: Sets) -> Steps:
    seen: list[Item] = []
    for item in s.left:
        if not seen:
            seen.append(item)
            yield s.evolve(right=FEW)


def twice_by_an_iterator(s: Sets) -> Steps:
    turns = iter(range(9))
    for _ in s.left:
        if next(turns, 9) < 2:
            yield s.evolve(right=FEW)


def by_a_function_from_outside(s: Sets) -> Steps:
    may = [*range(20)].pop
    for _ in s.left:
        if may() > 17:
            yield s.evolve(right=FEW)


CHANGING: list[Callable[[Any], Steps]] = [
    once_for_a_list,
    twice_by_an_iterator,
    by_a_function_from_outside,
]
"""What the loop does for one item shows to the next, which their text does not say."""
