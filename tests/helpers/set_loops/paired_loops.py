"""Comprehensions with several `for`s, and what each asks a set of messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from random_sets.message_systems import Demand, Response
from replicheck.explorer.states.value_parts import FILTERED

Message = Demand | Response
Messages = frozenset[Message]
WHOLE = ""
late = 0
"""Another value than what a loop calls so."""


def with_each_number(messages: Messages, wanted: int) -> int:
    return sum(m.number + n for m in messages if m.number == wanted for n in (1, 2))


def tested_behind_the_last(messages: Messages, wanted: int) -> int:
    return sum(1 for m in messages for n in (1, 2) if m.number == wanted and n > 1)


def tested_behind_each(messages: Messages, wanted: int) -> int:
    return sum(
        n
        for m in messages
        if isinstance(m, Demand)
        for n in sorted((1, 2))
        if m.caller == wanted
        if n > 1
    )


def of_which_one_decides(messages: Messages, wanted: int) -> bool:
    return any(m.number == wanted for m in messages for n in (1, 2) if wanted)


def of_which_one_part_decides(messages: Messages, wanted: int) -> bool:
    return any(m.number == wanted and n > 1 for m in messages for n in (1, 2))


def of_which_none_decides(messages: Messages, wanted: int) -> bool:
    return all(m.number != wanted or n > 1 for m in messages for n in (1, 2))


def of_which_no_part_decides(messages: Messages, wanted: int) -> bool:
    return all(
        not (m.number == wanted and not (m.number == n or n > 1))
        for m in messages
        for n in (1, 2)
    )


def of_which_a_part_does_not_decide(messages: Messages, wanted: int) -> bool:
    return any(not (m.number < 9 and n > 1) for m in messages for n in (1, 2))


def with_a_name_of_the_module(messages: Messages, wanted: int) -> bool:
    return any(late > 1 and m.number == wanted for m in messages for late in (1, 2))


def of_three(messages: Messages, wanted: int) -> int:
    return sum(
        n + k for m in messages for n in (1, 2) for k in (3,) if m.number == wanted
    )


def behind_another(messages: Messages, wanted: int) -> int:
    return sum(n.number for m in (0, wanted) for n in messages if n.number == m)


def behind_a_test(messages: Messages, wanted: int) -> int:
    return sum(n.number for m in (wanted,) if m < 4 for n in messages if n.number == m)


def sorted_behind_another(messages: Messages, wanted: int) -> int:
    return sum(1 for m in (0,) for n in sorted(messages, key=repr) if n.number == m)


def tested_behind_what_it_iterates(messages: Messages, wanted: int) -> int:
    return sum(1 for m in messages for n in range(m.number) if m.number == wanted)


def tested_behind_another_test(messages: Messages, wanted: int) -> int:
    return sum(1 for m in messages for n in (1, 2) if n > 1 and m.number == wanted)


def tested_behind_a_new_value(messages: Messages, wanted: int) -> int:
    numbers = iter((1, 2))
    return sum(1 for m in messages for n in numbers if m.number == wanted)


def tested_behind_a_comprehension(messages: Messages, wanted: int) -> int:
    return sum(1 for m in messages for n in [-k for k in (1, 2)] if m.number == wanted)


def second_of_three(messages: Messages, wanted: int) -> int:
    return sum(1 for m in (1,) for n in messages if n.number == m for k in (1, 2))


def behind_another_with_one_within(messages: Messages, wanted: int) -> int:
    return sum(
        1 for m in (1,) for n in messages if n.number == m and [-k for k in (1, 2)]
    )


def second_behind_a_test(messages: Messages, wanted: int) -> int:
    return sum(1 for m in (1,) for n in messages for k in (1, 2) if m > 0)


def third(messages: Messages, wanted: int) -> int:
    return sum(1 for m in (1,) for k in [m] if k > 0 for n in messages if n.number == k)


def within_a_test(messages: Messages, wanted: int) -> int:
    return sum(
        1 for m in (0, wanted) for n in [m] if [k for k in messages if k.number == n]
    )


def pairs_of_a_number(messages: Messages, wanted: int) -> int:
    return sum(
        1
        for m in messages
        for n in sorted(messages, key=repr)
        if m.number == wanted and n.number == m.number
    )


def pairs_of_all(messages: Messages, wanted: int) -> int:
    return sum(m.number for m in messages for n in messages if m.number == n.number)


PAIRED_LOOPS: list[tuple[Callable[[Messages, Any], object], list[str]]] = [
    (with_each_number, [FILTERED]),
    (tested_behind_the_last, [FILTERED]),
    (tested_behind_each, [FILTERED]),
    (of_which_one_decides, [FILTERED]),
    (of_which_one_part_decides, [FILTERED]),
    (of_which_none_decides, [FILTERED]),
    (of_which_no_part_decides, [FILTERED]),
    (of_which_a_part_does_not_decide, [WHOLE]),
    (with_a_name_of_the_module, [WHOLE]),
    (of_three, [FILTERED]),
    (behind_another, [FILTERED, FILTERED]),
    (behind_a_test, [FILTERED]),
    (sorted_behind_another, [FILTERED]),
    (tested_behind_what_it_iterates, [WHOLE]),
    (tested_behind_another_test, [WHOLE]),
    (tested_behind_a_new_value, [WHOLE]),
    (tested_behind_a_comprehension, [WHOLE]),
    (second_of_three, [WHOLE]),
    (behind_another_with_one_within, [WHOLE]),
    (second_behind_a_test, [WHOLE]),
    (third, [WHOLE]),
    (within_a_test, [FILTERED, FILTERED]),
    (pairs_of_a_number, [FILTERED] * 3),
    (pairs_of_all, [WHOLE, *[FILTERED] * 6]),
]
