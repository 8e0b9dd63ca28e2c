"""Loops whose text says with which items they do anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from random_sets.message_systems import Demand, Response
from replicheck.model.modelling.values import Value

Message = Demand | Response
Messages = frozenset[Message]
WANTED = 1


class Size(Value):
    """A value that nothing changes."""

    most: int = 2


def of_number(messages: Messages, number: int) -> list[Message]:
    return [m for m in messages if m.number == number]


def numbers(messages: Messages, wanted: int) -> set[int]:
    return {m.number for m in messages if isinstance(m, Demand) if m.caller == wanted}


def by_number(messages: Messages, size: Size) -> dict[int, bool]:
    return {m.number: True for m in messages if m.number < size.most}


def is_any(messages: Messages, wanted: int) -> bool:
    return any(m.number == wanted for m in messages)


def are_all(messages: Messages, wanted: int) -> bool:
    return all(m.number > 2 for m in messages if m.number >= wanted)


def highest(messages: Messages, wanted: int) -> int:
    return max((m.number for m in messages if m.number <= wanted), default=-1)


def of_global(messages: Messages, wanted: object) -> list[Message]:
    return [m for m in messages if m.number == WANTED]


def above_votes(messages: Messages, state: Any) -> bool:
    return any(m.number > state.votes[1] for m in messages)


def in_order(messages: Messages, wanted: int) -> list[Message]:
    found = []
    for m in sorted(messages, key=repr):
        if m.number != wanted:
            continue
        found.append(m)
    return found


def in_nested_blocks(messages: Messages, wanted: int) -> int:
    total = 0
    for m in messages:
        if isinstance(m, Demand):
            if m.caller == wanted:
                total += m.number
        elif m.is_late:
            pass
    return total


def by_match(messages: Messages, wanted: int) -> int:
    total = 0
    for m in messages:
        match m:
            case Demand(number=number, caller=1) if number != wanted:
                total += number
            case Response(is_late=True) | Demand(number=3):
                total += 10
            case _:
                continue
    return total


def with_nested_scopes(messages: Messages, wanted: int) -> list[Message]:
    return [m for m in messages if [n for n in (m.number,) if n == wanted]]


def in_else(messages: Messages, wanted: int) -> int:
    total = 0
    for m in messages:
        if m.number == wanted:
            pass
        else:
            total += m.number
    return total


def of_a_display(messages: Messages, wanted: int) -> bool:
    return any(m.number in {wanted, 7} for m in messages)


def of_a_list(messages: Messages, wanted: int) -> bool:
    known = [number for number in (wanted, 7) if number != 3]
    return any(m.number in known for m in messages)


def listed(wanted: int) -> list[int]:
    return [wanted, wanted + 1]


def of_a_call(messages: Messages, wanted: int) -> list[Message]:
    return [m for m in messages if m.number not in listed(wanted) if m.number > 0]


def after_a_change(messages: Messages, wanted: int) -> bool:
    return any(m.number > wanted for m in messages | {Demand(9)})


def caller(message: Any) -> Any:
    return message.caller


def raises_of_others(messages: Messages, wanted: int) -> bool:
    return all(m.number == wanted or caller(m) < 2 for m in messages)


def unless_another_is_there(messages: Messages, wanted: int) -> int:
    total = 0
    for m in messages:
        match m:
            case Demand(number=number) if number == wanted:
                if not any(n.number > number for n in messages):
                    total += 1
    return total


def unless_others_are_there(messages: Messages, wanted: int) -> list[Message]:
    both = (messages, messages)
    return [m for m in messages if m.number == wanted and len(both[0]) > m.number]


FILTERED_LOOPS: list[Callable[[Messages, Any], object]] = [
    *(above_votes, of_number, numbers, by_number, is_any, are_all, highest, of_global),
    *(in_order, in_nested_blocks, by_match, with_nested_scopes, in_else),
    *(of_a_display, of_a_list, of_a_call, after_a_change),
]
