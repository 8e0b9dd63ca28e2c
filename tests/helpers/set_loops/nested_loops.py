"""Actions with a loop over the set on the left within another one, or with an else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from random_sets.set_systems import Item, Sets

Steps = Iterator[Sets]
FIRST, FEW, NONE = Item(0), frozenset({Item(0), Item(1)}), frozenset[Item]()


def in_a_loop(s: Sets) -> Steps:
    for right in (NONE, FEW):
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item}, right=right)


def in_a_loop_with_tests(s: Sets) -> Steps:
    for other in (FIRST, Item(1)):
        if other not in s.left:
            continue
        rest = s.left - {other}
        for item in sorted(s.left, key=repr):
            if item != other:
                yield s.evolve(left=rest - {item})


def with_names_of_its_own(s: Sets) -> Steps:
    for right in (NONE, FEW):
        for item in sorted(s.left, key=repr):
            rest = s.left - {item}
            last = right if item in FEW else FEW - right
            yield s.evolve(left=rest, right=last)


def over_a_loop(s: Sets) -> Steps:
    for item in sorted(s.left, key=repr):
        for right in (NONE, FEW):
            yield s.evolve(left=s.left - {item}, right=right)


def with_a_step_behind(s: Sets) -> Steps:
    for right in (NONE, FEW):
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item}, right=right)
        yield s.evolve(right=right)


def with_a_step_in_else(s: Sets) -> Steps:
    for right in (NONE, FEW):
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item}, right=right)
    else:
        yield s.evolve(right=FEW)


def with_another_loop_behind(s: Sets) -> Steps:
    for right in (NONE, FEW):
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item}, right=right)
        for _ in (1, 2):
            yield s.evolve(right=right)


PARTED: list[Callable[[Any], Steps]] = [
    in_a_loop,
    in_a_loop_with_tests,
    with_names_of_its_own,
    over_a_loop,
    with_a_step_behind,
    with_a_step_in_else,
    with_another_loop_behind,
]


def with_a_name_of_an_earlier_round(s: Sets) -> Steps:
    for is_late in (False, True):
        for item in sorted(s.left, key=repr):
            if not is_late:
                found = item
            elif found > FIRST:
                yield s.evolve(left=s.left - {item})


def with_a_name_that_is_read_behind(s: Sets) -> Steps:
    for right in (NONE, FEW):
        last = FIRST
        for item in sorted(s.left, key=repr):
            last = item
            yield s.evolve(left=s.left - {item}, right=right)
        if last > FIRST:
            return


def with_a_name_in_else(s: Sets) -> Steps:
    if not s.left:
        return
    for item in sorted(s.left, key=repr):
        yield s.evolve(left=s.left - {item})
    else:
        assert item >= FIRST


def in_a_while(s: Sets) -> Steps:
    turns = 0
    while turns < 2:
        turns += 1
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item})


WHOLE: list[Callable[[Any], Steps]] = [
    with_a_name_of_an_earlier_round,
    with_a_name_that_is_read_behind,
    with_a_name_in_else,
    in_a_while,
]
