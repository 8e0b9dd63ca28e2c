"""Actions with loops over the set on the left that are easily taken for simpler ones.

What is iterated is not the set itself, or what a test reads is not what it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from attrs import define, field, validators

from random_sets.set_systems import Item, Sets

Steps = Iterator[Sets]
DONE = frozenset({Item(20)})


def is_due(s: Sets) -> bool:
    return not s.right and {0, 1} <= s.left and len(s.left) == 4


def following(item: Item) -> Item:
    return Item(item + 1)


def over_what_is_made_of_the_items(s: Sets) -> Steps:
    if is_due(s):
        for number in sorted(map(following, chain(s.left, s.right))):
            if number == 9:
                yield s.evolve(right=DONE)


def by_an_iterator_that_is_sorted_later(s: Sets) -> Steps:
    if is_due(s):
        numbers = (item + 1 for item in chain(s.left, s.right))
        for number in sorted(numbers):
            if number == 9:
                yield s.evolve(right=DONE)


@define
class MutableNumber:
    """A number that changes, though it is looked at when it does."""

    number: int = field(default=5, validator=validators.instance_of(int))


def with_a_counter(s: Sets) -> Steps:
    counter, turns = MutableNumber(), 0
    for item in sorted(s.left, reverse=True):
        if item >= counter.number:
            counter.number -= 1
            turns += 1
    if not s.right and len(s.left) == 8:
        yield s.evolve(right=frozenset({Item(turns + 20)}))


def with_steps_by_a_counter(s: Sets) -> Steps:
    counter = MutableNumber(0)
    for item in sorted(s.left, key=repr):
        counter.number += 1
        if not s.right and {0, 5, 7, 8} <= s.left and item >= 0:
            yield s.evolve(right=frozenset({Item(counter.number)}))


def by_a_generator_in_place(s: Sets) -> Steps:
    limit = 9

    def wanted() -> Iterator[Item]:
        for item in sorted(s.left, reverse=True):
            if item >= limit:
                yield item

    turns = 0
    for item in wanted():
        limit = item - 2
        turns += 1
    if is_due(s) and turns > 1:
        yield s.evolve(right=DONE)


def among(item: Item, wanted: Any) -> bool:
    if not isinstance(wanted, set):
        wanted = {wanted}
    return item in wanted


def by_a_set_that_is_handed_on(s: Sets) -> Steps:
    last = 9
    if is_due(s) and any(among(item, {8, last}) for item in s.left):
        yield s.evolve(right=DONE)


def is_allowed(item: Item, allowed: Any) -> bool:
    try:
        return item in (allowed | {9})
    except TypeError:
        return False


def by_another_set_of_the_state(s: Sets) -> Steps:
    if is_due(s) and any(is_allowed(item, s.family[0]) for item in s.left):
        yield s.evolve(right=DONE)


def with_equal_items(s: Sets) -> Steps:
    more = s.left | {True, False}
    if is_due(s) and any(str(item) == "1" for item in more):
        yield s.evolve(right=DONE)


def with_equal_items_on_its_left(s: Sets) -> Steps:
    more = frozenset({True, False}) | s.left
    if is_due(s) and any(str(item) == "True" for item in more):
        yield s.evolve(right=DONE)


def that_writes_an_equal_item(s: Sets) -> Steps:
    if is_due(s):
        yield s.evolve(left=s.left | {True}, right=DONE)


def that_puts_an_equal_item_back(s: Sets) -> Steps:
    rest: frozenset[Any] = s.left - {Item(1)} | {True}
    if is_due(s) and any(str(item) == "True" for item in rest):
        yield s.evolve(right=DONE)


def is_prefix(s: Sets, length: int) -> bool:
    return all(item != length + 1 or not is_prefix(s, length + 1) for item in s.left)


def by_a_function_that_calls_itself(s: Sets) -> Steps:
    if not s.right and is_prefix(s, 0) and len(s.left) == 7:
        yield s.evolve(right=DONE)


def are_below(s: Sets, length: int) -> bool:
    return all(item != length or are_below(s, length - 1) for item in s.left)


def by_one_that_ends_where_an_item_is_not(s: Sets) -> Steps:
    if is_due(s) and are_below(s, 9):
        yield s.evolve(right=DONE)


def by_a_list_that_grows(s: Sets) -> Steps:
    known, turns = [Item(0)], 0
    for item in sorted(s.left, key=repr):
        if item in known:
            known.append(following(item))
            turns += 1
    if is_due(s) and turns > 2:
        yield s.evolve(right=DONE)


def by_a_list_that_grows_by_another_name(s: Sets) -> Steps:
    known = [Item(0)]
    others, turns = known, 0
    for item in sorted(s.left, key=repr):
        if item in known:
            others.append(following(item))
            turns += 1
    if is_due(s) and turns > 2:
        yield s.evolve(right=DONE)


def kept(items: list[Item]) -> list[Item]:
    return items


def by_a_list_that_a_call_gives_on(s: Sets) -> Steps:
    others = [Item(0)]
    known = kept(others)
    turns = 0
    for item in sorted(s.left, key=repr):
        if item in known:
            others.append(following(item))
            turns += 1
    if is_due(s) and turns > 2:
        yield s.evolve(right=DONE)


def by_a_list_whose_other_name_is_given_away(s: Sets) -> Steps:
    others: Any = [Item(0)]
    again = others
    known = kept(others)
    others = ()
    turns = 0
    for item in sorted(s.left, key=repr):
        if item in known:
            again.append(following(item))
            turns += 1
    if is_due(s) and turns > 2 and not others:
        yield s.evolve(right=DONE)


MISLEADING: list[Callable[[Any], Steps]] = [
    over_what_is_made_of_the_items,
    by_an_iterator_that_is_sorted_later,
    with_a_counter,
    with_steps_by_a_counter,
    by_a_generator_in_place,
    by_a_set_that_is_handed_on,
    by_another_set_of_the_state,
    with_equal_items,
    with_equal_items_on_its_left,
    that_writes_an_equal_item,
    that_puts_an_equal_item_back,
    by_a_function_that_calls_itself,
    by_one_that_ends_where_an_item_is_not,
    by_a_list_that_grows,
    by_a_list_that_grows_by_another_name,
    by_a_list_that_a_call_gives_on,
    by_a_list_whose_other_name_is_given_away,
]
