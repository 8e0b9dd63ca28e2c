"""Loops that do something with each item, or of which the text does not say."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any

from random_sets.message_systems import Demand
from set_loops.filtered_loops import Message, Messages


def of_all(messages: Messages, wanted: int) -> list[int]:
    return [m.number for m in messages]


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


def with_a_parameter_for_items(messages: Messages, m: Any) -> bool:
    for m in messages:
        if m.number == 1:
            continue
    return bool(m == 1)


def with_the_last_item_in_else(messages: Messages, wanted: int) -> int:
    m: Message = Demand(7)
    for m in messages:
        if m.number == wanted:
            continue
    else:
        return m.number
    return -1


def with_the_last_capture(messages: Messages, wanted: int) -> int:
    total = number = 0
    for m in sorted(messages, key=repr):
        match m:
            case Demand(number=number):
                continue
        total += number
    return total


def with_an_iterator(messages: Messages, wanted: int) -> int:
    return sum(1 for m in messages if m.number in iter((wanted, 2)))


def with_an_answer_to_a_yield(messages: Messages, wanted: int) -> list[object]:
    def asked() -> Generator[int, bool, None]:
        for m in messages:
            if (yield m.number) and m.number == wanted:
                yield -1

    return list(asked())


def through_a_function(messages: Messages, wanted: int) -> list[Message]:
    found = as_it_is(m for m in messages if m.number == wanted)
    wanted = 0
    return list(found)


def as_it_is(items: Iterable[Message]) -> Iterable[Message]:
    return items


def as_a_key(messages: Messages, wanted: int) -> int:
    return sum(1 for m in sorted([messages], key=len_of_list) if len(m) == wanted)


def len_of_list(items: Messages) -> int:
    return len([*items])


def as_a_builtin_key(messages: Messages, wanted: int) -> int:
    return sum(1 for m in sorted([messages], key=list) if len(m) == wanted)


def with_a_name_twice(messages: Messages, n: int) -> list[Message]:
    return [m for m in messages if [n for n in (1, 2) if m.number != n] if n == 1]


def with_its_own_value_in_a_pattern(messages: Messages, size: int) -> int:
    total = 0
    for m in messages:
        match m:
            case Demand(number=size.real):
                total += 1
    return total


def with_an_assignment_elsewhere(messages: Messages, wanted: int) -> list[int]:
    return [(wanted := m.number) for m in messages if m.number == wanted]


def with_a_function_that_assigns(messages: Messages, wanted: int) -> int:
    def advance() -> None:
        nonlocal wanted
        wanted += 1

    for m in sorted(messages, key=repr):
        if m.number == wanted:
            advance()
    return wanted


def with_a_function_beside(messages: Messages, wanted: int) -> int:
    def advance() -> None:
        nonlocal wanted
        wanted += 1

    def count() -> int:
        total = 0
        for m in sorted(messages, key=repr):
            if m.number == wanted:
                advance()
                total += 1
        return total

    return count()


def with_an_item_of_another_function(messages: Messages, wanted: int) -> bool:
    m: Message = Demand(7)

    def look() -> None:
        nonlocal m
        for m in messages:
            if m.number == wanted:
                continue

    look()
    return m.number == 7


def with_the_last_item_in_a_loop(messages: Messages, wanted: int) -> list[int]:
    m: Message | None = None
    for m in messages:
        if m.number == wanted:
            continue
    return [1 for m in (m,) if m]


def with_the_last_item_in_a_pattern(messages: Messages, wanted: int) -> bool:
    m: Any = None
    for m in messages:
        if m.number == wanted:
            continue
    match (-1, 0):
        case (m.number, m):
            return True
    return False


def of_a_state(messages: Messages, state: object) -> bool:
    wanted: Any = (state, 1)
    return any(m is wanted for m in messages)


def through_iter(messages: Messages, wanted: int) -> list[Message]:
    found = iter(m for m in messages if m.number == wanted)
    wanted = 0
    return list(found)


class Mangled:
    """A class in which names are others than written."""

    @staticmethod
    def loop(messages: Messages, wanted: int) -> list[Message]:
        __limit = wanted
        return [m for m in messages if m.number == __limit]


WHOLE_LOOPS: list[Callable[[Messages, Any], object]] = [
    *(of_all, later, with_the_last_item, with_a_name_that_changes),
    *(with_a_list_that_changes, with_a_function_of_its_own, with_an_assignment),
    *(through_another, with_another_any, with_the_last_item_in_else),
    *(
        with_a_parameter_for_items,
        with_the_last_capture,
        with_an_iterator,
        with_an_answer_to_a_yield,
    ),
    *(through_a_function, as_a_key, as_a_builtin_key, with_a_name_twice),
    *(with_its_own_value_in_a_pattern, with_an_assignment_elsewhere),
    *(with_a_function_beside, with_an_item_of_another_function, through_iter),
    *(with_the_last_item_in_a_loop, with_the_last_item_in_a_pattern),
    *(with_a_function_that_assigns, Mangled.loop),
]
