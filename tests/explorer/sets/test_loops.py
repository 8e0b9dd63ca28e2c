"""A loop over a set asks for the items with which it does anything."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any
from unittest.mock import patch

import pytest

from random_sets.message_systems import Demand, Response
from replicheck.explorer.proxies.calls import WHOLE, Call, evaluate_call
from replicheck.explorer.proxies.set_proxy import SetProxy
from replicheck.explorer.states.value_parts import FILTERED
from replicheck.model.modelling.values import Value

Message = Demand | Response
Messages = frozenset[Message]
SENT = Messages(
    [*(Demand(number, number % 2) for number in range(4)), Response(1), Response(2)]
)
WANTED = 1


class Size(Value):
    """A value that nothing changes."""

    most: int = 2


class SetReader:
    """Answers what a proxy of a set is asked, and notes it."""

    def __init__(self, items: Messages) -> None:
        self.items, self.calls = items, list[Call]()

    def read(self, column: int, call: Call) -> Any:
        """Answer a call."""
        self.calls.append(call)
        return self.items if call == WHOLE else evaluate_call(self.items, call)


def of_number(messages: Messages, number: int) -> list[Message]:
    return [m for m in messages if m.number == number]


def numbers(messages: Messages, wanted: int) -> set[int]:
    return {m.number for m in messages if isinstance(m, Demand) if m.caller == wanted}


def by_number(messages: Messages, size: Size) -> dict[int, bool]:
    return {m.number: True for m in messages if m.number < size.most}


def is_any(messages: Messages, wanted: int) -> bool:
    return any(m.number == wanted for m in messages)


def are_all(messages: Messages, wanted: int) -> bool:
    return all(m.number < 4 for m in messages if m.number >= wanted)


def highest(messages: Messages, wanted: int) -> int:
    return max((m.number for m in messages if m.number <= wanted), default=-1)


def of_global(messages: Messages, wanted: object) -> list[Message]:
    return [m for m in messages if m.number == WANTED]


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


def after_a_change(messages: Messages, wanted: int) -> bool:
    return any(m.number > wanted for m in messages | {Demand(9)})


def caller(message: Any) -> Any:
    return message.caller


def raises_of_others(messages: Messages, wanted: int) -> bool:
    return all(m.number == wanted or caller(m) < 2 for m in messages)


KNOWN: list[Callable[[Messages, Any], object]] = [
    *(of_number, numbers, by_number, is_any, are_all, highest, of_global),
    *(in_order, in_nested_blocks, by_match, with_nested_scopes, after_a_change),
]


def of_all(messages: Messages, wanted: int) -> list[int]:
    return [m.number for m in messages]


def of_pairs(messages: Messages, wanted: int) -> list[int]:
    return [m.number for m in messages for n in messages if m.number == n.number]


def later(messages: Messages, wanted: int) -> list[Message]:
    found = (m for m in messages if m.number == wanted)
    wanted = 0
    return list(found)


def with_the_last_item(messages: Messages, wanted: int) -> int:
    m: Message = Demand(7)
    for m in messages:
        if m.number == wanted:
            return m.number
    return m.number


def with_a_name_that_changes(messages: Messages, wanted: int) -> int:
    for m in messages:
        if m.number > wanted:
            wanted = m.number
    return wanted


def with_a_list_that_changes(messages: Messages, wanted: int) -> int:
    seen = [wanted]
    for m in messages:
        if m.number not in seen:
            seen.append(m.number)
    return len(seen)


def with_a_function_of_its_own(messages: Messages, wanted: int) -> list[int]:
    seen = []

    def is_seen(number: int) -> bool:
        seen.append(number)
        return number == wanted

    return [sum(1 for m in messages if is_seen(m.number)), len(seen)]


def with_an_assignment(messages: Messages, wanted: int) -> list[int]:
    return [twice for m in messages if (twice := 2 * m.number) > wanted]


def number_of(message: Message) -> int:
    return message.number


def through_another(messages: Messages, wanted: int) -> list[int]:
    return [n for n in map(number_of, messages) if n == wanted]


def with_another_any(messages: Messages, wanted: int) -> int:
    def any(items: Iterable[bool]) -> int:
        return len(list(items))

    return any(m.number == wanted for m in messages)


UNKNOWN: list[Callable[[Messages, Any], object]] = [
    *(of_all, of_pairs, later, with_the_last_item, with_a_name_that_changes),
    *(with_a_list_that_changes, with_a_function_of_its_own, with_an_assignment),
    *(through_another, with_another_any),
]


def unordered(answer: object) -> object:
    """An answer without the order in which a set was iterated."""
    return sorted(answer, key=repr) if isinstance(answer, list) else answer


def calls_of(
    loop: Callable[[Messages, Any], object], argument: object = 1
) -> list[str]:
    """What a loop asks a set, having made sure that it gives what it should."""
    reader = SetReader(SENT)
    proxy: Any = SetProxy(reader, 0)
    assert unordered(loop(proxy, argument)) == unordered(loop(SENT, argument))
    return [name for name, _ in reader.calls]


@pytest.mark.parametrize("loop", KNOWN)
def test_a_loop_reads_no_more_than_what_it_is_about(
    loop: Callable[[Messages, Any], object],
) -> None:
    """Its text tells: what it tests before it does anything else."""
    (asked,) = calls_of(loop, Size() if loop is by_number else 1)
    assert asked in (FILTERED, "__after__")


@pytest.mark.parametrize("loop", UNKNOWN)
def test_a_loop_may_read_all_of_a_set(
    loop: Callable[[Messages, Any], object],
) -> None:
    """If it does something with each item, or what it tests may change on the way."""
    assert calls_of(loop)[0] == WHOLE[0]


def test_what_a_loop_tests_may_raise() -> None:
    """It does so for an item that is there, and for no other one."""
    demands = Messages(message for message in SENT if isinstance(message, Demand))
    proxy: Any = SetProxy(SetReader(demands), 0)
    assert raises_of_others(proxy, 1)
    others: Any = SetProxy(SetReader(SENT), 0)
    with pytest.raises(AttributeError, match="caller"):
        raises_of_others(others, 1)


def test_a_text_that_has_changed_is_not_believed() -> None:
    """The function that runs is the one that was loaded."""
    lines = linecache.getlines(__file__)
    changed = [
        line.replace("m.number == number", "m.number != number") for line in lines
    ]
    code = of_number.__code__.replace(co_firstlineno=1)
    assert calls_of(of_number)[0] == FILTERED
    with patch.object(linecache, "getlines", lambda file: changed):
        of_changed_text = FunctionType(code, of_number.__globals__)
        assert calls_of(of_changed_text)[0] == WHOLE[0]


@pytest.mark.parametrize(
    ("loop", "argument"),
    [(is_any, SetReader(SENT)), (is_any, [1]), (of_number, {1})],
)
def test_what_may_change_is_no_part_of_a_question(
    loop: Callable[[Messages, Any], object], argument: object
) -> None:
    """Such as a list, or an object of a class of its own."""
    assert calls_of(loop, argument)[0] == WHOLE[0]
