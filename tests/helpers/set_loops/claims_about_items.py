"""Invariants about the items of a set, and such as only seem to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from random_sets.set_systems import Item, Sets

Claim = Callable[[Sets], bool]
PAIRED = (1, 0, 3, 2, 5, 4, 7, 6, 9, 8)


def put_pair(state: Sets, item: Item) -> Iterator[Sets]:
    """Add an item on the right if it is on the left, now and then."""
    if item in state.left and item in (3, 6):
        yield state.evolve(right=state.right | {item})


def all_of(s: Sets) -> bool:
    return all(item not in s.right or PAIRED[item] < 9 for item in s.left)


def not_any(s: Sets) -> bool:
    return not any(PAIRED[item] in s.right and item > 8 for item in s.left)


def after_a_test(s: Sets) -> bool:
    if not s.right:
        return True
    return all(item in s.left or item in s.right for item in s.left)


def unless(s: Sets) -> bool:
    return not s.right or all(item not in s.right or item < 7 for item in s.left)


def both(s: Sets) -> bool:
    return all(item < 10 or item in s.right for item in s.left) and not any(
        item > 9 and item in s.right for item in s.left
    )


def chosen(s: Sets) -> bool:
    return (
        all(item not in s.right or item < 8 for item in s.left)
        if Item(0) in s.right
        else not any(item > 20 and item in s.right for item in s.left)
    )


def one_or_the_other(s: Sets) -> bool:
    return all(item not in s.right for item in s.left) or all(i < 7 for i in s.left)


def not_both(s: Sets) -> bool:
    if any(item in s.right for item in s.left) and any(i > 6 for i in s.left):
        return False
    return Item(99) not in s.right


def pairs(s: Sets) -> bool:
    return not any(
        a < b and a in s.right and b in s.right for a in s.left for b in s.left
    )


def refused(s: Sets) -> bool:
    if any(item in s.right and item > 6 for item in s.left):
        return False
    return Item(99) not in s.right


def loop(s: Sets) -> bool:
    for item in s.left:
        partner = PAIRED[item]
        if partner in s.right and item in s.right:
            return False
    return True


def loop_in_a_loop(s: Sets) -> bool:
    for number in (3, 6):
        for item in s.left:
            if item in s.right and item > number + 4:
                return False
    return True


def two_loops(s: Sets) -> bool:
    for item in s.left:
        if item in s.right and item > 8:
            return False
    for item in s.left:
        number = item + 1
        if number > 10 and item not in s.right:
            return False
    return True


def broken(s: Sets) -> bool:
    return all(item not in s.right or item != 6 for item in s.left)


def broken_by_a_loop(s: Sets) -> bool:
    for item in s.left:
        if item not in s.right:
            continue
        if item == 6:
            return False
    return True


def raising(s: Sets) -> bool:
    return all(item not in s.right or 1 // (6 - item) < 9 for item in s.left)


def without_an_answer(s: Sets) -> bool | None:
    return all(item < 10 or item in s.right for item in s.left) or None


CLAIMED: list[Claim] = [
    *(all_of, not_any, after_a_test, unless, both, chosen, refused, loop),
    *(loop_in_a_loop, two_loops, broken, broken_by_a_loop, raising),
]


def noted(known: list[Item], item: Item) -> bool:
    known.append(item)
    return True


def shared_by_a_generator(s: Sets) -> bool:
    known: list[Item] = []
    return all(
        item not in s.right or (not known and noted(known, item)) for item in s.left
    )


CLAIMED_OF_ONE: list[Claim] = [one_or_the_other, not_both, pairs]
"""Broken by two items together, of which one alone is seen by a part."""


def any_of(s: Sets) -> bool:
    return any(item in s.right or item < 10 for item in s.left) or not s.left


def either(s: Sets) -> bool:
    return len([item for item in s.left if item in s.right]) < 3


def counted(s: Sets) -> bool:
    total = 0
    for item in s.left:
        total += item in s.right
        if total > 2:
            return False
    return True


def first_that_is_fine(s: Sets) -> bool:
    for item in sorted(s.left, key=repr):
        if item in s.right:
            return True
        if item > 9:
            return False
    return True


def up_to_one(s: Sets) -> bool:
    for item in sorted(s.left, key=repr):
        if item in s.right:
            break
        if item > 9:
            return False
    return True


def until_one_is_there(s: Sets) -> bool:
    for item in s.left:
        if Item(3) in s.right:
            return True
        if item > 9 and item in s.right:
            return False
    return True


def up_to_what_is_there(s: Sets) -> bool:
    for item in s.left:
        if Item(3) in s.right:
            break
        if item > 9 and item in s.right:
            return False
    return True


def with_an_end(s: Sets) -> bool:
    item = Item(0)
    for item in s.left:
        if item > 9 and item in s.right:
            return False
    else:
        if item > 99:
            return False
    return True


def allowed(s: Sets) -> bool:
    if any(item in s.right for item in s.left):
        return True
    return Item(99) not in s.left


def with_the_last_that_is_there(s: Sets) -> bool:
    last = Item(0)
    return all(item not in s.right or (last := item) < 9 for item in s.left) or (
        last > 8
    )


def of_another_state(s: Sets) -> bool:
    s = s.evolve(left=s.left | s.right)
    return all(item in s.left or item in s.right for item in s.left)


def by_another_all(s: Sets) -> bool:
    all = any
    return all(item in s.right or item < 10 for item in s.left) or not s.left


def of_what_is_left(s: Sets) -> bool:
    for item in s.left:
        if item > 9:
            return False
        last = item in s.right
    return not s.left or last is last


def negated(s: Sets) -> bool:
    return not s.left or not all(item in s.right for item in s.left)


def denied(s: Sets) -> bool:
    if all(item in s.right for item in s.left):
        return False
    return Item(99) not in s.right


def shared(s: Sets) -> bool:
    known: list[Item] = []
    for item in s.left:
        if item in s.right and known:
            return False
        if item in s.right:
            known.append(item)
    return True


SEEMING: list[Claim] = [
    *(any_of, either, counted, first_that_is_fine, up_to_one, of_what_is_left),
    *(allowed, with_the_last_that_is_there, of_another_state, by_another_all),
    *(negated, denied, until_one_is_there, up_to_what_is_there, with_an_end),
]
