"""Actions whose steps come from several loops, one behind another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NewType

from random_sets.set_systems import Item, Sets

Steps = Iterator[Sets]
FIRST, FEW, NONE = Item(0), frozenset({Item(0), Item(1)}), frozenset[Item]()


def over_the_same_set(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    for item in sorted(s.left, key=repr):
        if item in FEW:
            yield s.evolve(right=s.right | {item})


def in_two_branches(s: Sets) -> Steps:
    if FIRST in s.left:
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item})
    else:
        for other in sorted(s.left, key=str):
            yield s.evolve(left=s.left - {other}, right=FEW)


def with_tests_between(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    if FIRST not in s.left:
        return
    rest = s.left - {FIRST}
    for item in sorted(s.left, key=repr):
        if item > FIRST:
            yield s.evolve(left=rest - {item})


def with_the_same_names(s: Sets) -> Steps:
    rest = NONE
    for item in sorted(s.left, key=repr):
        rest = s.left - {item}
        yield s.evolve(left=rest)
    for item in sorted(s.left, key=repr):
        rest = s.right & {item}
        others = [other for other in FEW if other != item]
        yield s.evolve(right=rest.union(others))


def in_a_loop_together(s: Sets) -> Steps:
    for right in (NONE, FEW):
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item}, right=right)
        for item in sorted(s.left, key=repr):
            yield s.evolve(right=right | {Item(item % 2)})


def one_of_them_in_a_loop(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    for right in (NONE, FEW):
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item}, right=right)


def behind_a_loop_without_steps(s: Sets) -> Steps:
    total = 0
    for item in FEW:
        total += item
    for item in sorted(s.left, key=repr):
        if item > total:
            yield s.evolve(left=s.left - {item})


def in_the_else_of_a_loop(s: Sets) -> Steps:
    for right in (NONE, FEW):
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item}, right=right)
    else:
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item})


def with_a_step_between(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    yield s.evolve(right=FEW)
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item}, right=FEW)


def over_something_else(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    for item in sorted(FEW, key=repr):
        yield s.evolve(right=s.right | {item})


PARTED: list[Callable[[Any], Steps]] = [
    over_the_same_set,
    in_two_branches,
    with_tests_between,
    with_the_same_names,
    in_a_loop_together,
    one_of_them_in_a_loop,
    behind_a_loop_without_steps,
    in_the_else_of_a_loop,
    with_a_step_between,
    over_something_else,
]


def with_a_name_of_the_first(s: Sets) -> Steps:
    last = FIRST
    for item in sorted(s.left, key=repr):
        last = item
        yield s.evolve(left=s.left - {item})
    for item in sorted(s.left, key=repr):
        if item < last:
            yield s.evolve(left=s.left - {item, last})


def with_a_name_that_goes_on(s: Sets) -> Steps:
    turns = 0
    for item in sorted(s.left, key=repr):
        turns = 1
        yield s.evolve(left=s.left - {item})
    for item in sorted(s.left, key=repr):
        turns += 1
        yield s.evolve(left=s.left - {item}, right=frozenset({Item(turns % 2)}))


def with_a_name_that_is_changed_behind(s: Sets) -> Steps:
    if not s.left:
        return
    for item in sorted(s.left, key=repr):
        turns = 1
        yield s.evolve(left=s.left - {item})
    turns += 1


def with_a_name_that_is_deleted_behind(s: Sets) -> Steps:
    if not s.left:
        return
    for item in sorted(s.left, key=repr):
        turns = 1
        yield s.evolve(left=s.left - {item}, right=frozenset({Item(turns)}))
    del turns


def with_a_name_read_later(s: Sets) -> Steps:
    kept: list[Callable[[], Item]] = []
    for other in (FIRST,):
        limit = other
        kept.append(lambda: limit)  # noqa: B023
    for item in sorted(s.left, key=repr):
        limit = item
        yield s.evolve(left=s.left - {item})
    if kept[0]() > FIRST:
        return


def with_the_name_of_the_loop_around(s: Sets) -> Steps:
    for item in (FIRST, Item(1)):
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item})
        if item > FIRST:
            return


def with_a_name_that_the_loop_around_reads(s: Sets) -> Steps:
    for right in (NONE, FEW):
        rest = right
        for item in sorted(s.left, key=repr):
            rest = s.left - {item}
            yield s.evolve(left=rest)
        assert len(rest) >= 0


def with_a_name_in_the_else(s: Sets) -> Steps:
    rest = NONE
    for item in sorted(s.left, key=repr):
        rest = s.left - {item}
        yield s.evolve(left=rest)
    for right in (NONE, FEW):
        rest = right
    else:
        assert rest == FEW
    for right in ():
        rest = right
    else:
        if rest == NONE:
            return


def with_a_name_of_the_first_one(s: Sets) -> Steps:
    if FIRST in s.left:
        for item in sorted(s.left, key=repr):
            if item == FIRST:
                found = item
            elif found == FIRST:
                yield s.evolve(left=s.left - {item})


WHOLE: list[Callable[[Any], Steps]] = [
    with_a_name_of_the_first_one,
    with_a_name_that_goes_on,
    with_a_name_that_is_changed_behind,
    with_a_name_that_is_deleted_behind,
    with_a_name_read_later,
    with_the_name_of_the_loop_around,
    with_a_name_in_the_else,
    with_a_name_that_the_loop_around_reads,
]


Turns = NewType("Turns", int)


def that_calls_itself(s: Sets, turns: Turns) -> Steps:
    for item in sorted(s.left, key=repr):
        if turns:
            yield from that_calls_itself(s.evolve(right=frozenset({item})), Turns(0))
        else:
            yield s.evolve(left=s.left - {item})


def told_by_a_list(s: Sets) -> Steps:
    seen: list[Item] = []
    for item in sorted(s.left, key=repr):
        seen.append(item)
        yield s.evolve(left=s.left - {item})
    if s.left:
        assert seen
        if len(seen) > 3:
            for item in sorted(s.left, key=repr):
                yield s.evolve(left=s.left - {item}, right=FEW)


def told_by_a_list_once(s: Sets) -> Steps:
    seen: list[Item] = []
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    for item in sorted(s.left, key=repr):
        if not seen:
            seen.append(item)
            yield s.evolve(right=FEW)
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item}, right=NONE)


TOLD: list[Callable[[Any], Steps]] = [told_by_a_list, told_by_a_list_once]
"""What a loop does shows to the next one, which their text does not say."""
