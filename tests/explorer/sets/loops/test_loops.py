"""A loop over a set asks for the items with which it does anything."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, NewType, cast
from unittest.mock import patch

import pytest
from attrs import frozen

from random_sets.message_systems import Demand, Response
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.proxies.calls import WHOLE, Call, evaluate_call
from replicheck.explorer.proxies.loops.source_tree import (
    SHARED_NAMES_CRASH,
    has_shared_names,
)
from replicheck.explorer.proxies.loops.withheld import (
    AskedInVain,
    Withheld,
    withheld,
)
from replicheck.explorer.proxies.proxy import Proxy
from replicheck.explorer.proxies.set_proxy import SetProxy
from replicheck.explorer.states import set_elements
from replicheck.explorer.states.value_parts import FILTERED
from replicheck.model.protocol import Action
from replicheck.model.state_base import Cells
from set_loops import filtered_loops
from set_loops.filtered_loops import (
    FILTERED_LOOPS,
    Messages,
    Size,
    above_votes,
    by_number,
    is_any,
    of_number,
    raises_of_others,
    unless_another_is_there,
    unless_others_are_there,
)
from set_loops.paired_loops import PAIRED_LOOPS
from set_loops.whole_loops import WHOLE_LOOPS, of_a_state
from toys import Toy

Number = NewType("Number", int)
NONE = Messages()
SENT = Messages(
    [*(Demand(number, number % 2) for number in range(4)), Response(1), Response(2)]
)


class AState(Proxy):
    """A proxy of a state, of which all is read by and by."""

    is_state_ = True
    votes = (1, 2)

    is_read = False

    @property
    def whole_(self) -> int:
        """All of it, which no loop reads."""
        self.is_read = True
        return 1


ARGUMENTS: dict[object, object] = {by_number: Size(), above_votes: AState()}


class SetReader:
    """Answers what a proxy of a set is asked, and notes it."""

    def __init__(self, items: Messages) -> None:
        self.items, self.calls = items, list[Call]()

    def read(self, column: int, call: Call) -> Any:
        """Answer a call."""
        self.calls.append(call)
        return self.items if call == WHOLE else evaluate_call(self.items, call)


def require_filter(loop: Callable[[Messages, Any], object]) -> None:
    """Skip a test where Python may crash when the names of a function are read."""
    if SHARED_NAMES_CRASH and has_shared_names(cast(Any, loop).__code__):
        pytest.skip("this version of Python may crash then")


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


@pytest.mark.parametrize("loop", FILTERED_LOOPS)
def test_a_loop_reads_no_more_than_what_it_is_about(
    loop: Callable[[Messages, Any], object],
) -> None:
    """Its text tells: what it tests before it does anything else."""
    require_filter(loop)
    (asked,) = calls_of(loop, ARGUMENTS.get(loop, 1))
    assert asked in (FILTERED, "__after__")


@pytest.mark.parametrize(("loop", "asked"), PAIRED_LOOPS)
def test_a_comprehension_with_several_fors(
    loop: Callable[[Messages, Any], object], asked: list[str]
) -> None:
    """Each asks for the items that pass the first tests, its own and those behind."""
    require_filter(loop)
    assert calls_of(loop) == asked


def test_what_cannot_be_iterated_raises_as_in_python() -> None:
    """Also if no item passes the test behind it."""

    def loop(messages: Messages, count: Any) -> int:
        return sum(1 for m in messages for n in count if m.number > 9)

    require_filter(loop)
    proxy: Any = SetProxy(SetReader(SENT), 0)
    for messages in (SENT, proxy):
        with pytest.raises(TypeError):
            loop(messages, 1)
    assert calls_of(loop, (1,)) == [FILTERED]


def test_a_name_that_a_later_for_binds_is_not_the_one_outside() -> None:
    """To ask for it before it is bound raises."""

    def loop(messages: Messages, n: int) -> int:
        return sum(1 for m in messages if m.number == n for n in (1, 2))

    require_filter(loop)
    proxy: Any = SetProxy(SetReader(SENT), 0)
    for messages in (SENT, proxy):
        with pytest.raises(NameError):
            loop(messages, 9)


def test_what_is_called_sorted_has_to_sort() -> None:
    """Another function of that name is not known."""

    def loop(messages: Messages, sorted: Any) -> int:
        return sum(1 for m in messages for n in sorted((1,), key=str) if m.number == 1)

    require_filter(loop)
    assert calls_of(loop, lambda items, key: items) == [WHOLE[0]]


@pytest.mark.parametrize("loop", WHOLE_LOOPS)
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
    lines = linecache.getlines(filtered_loops.__file__)
    changed = [
        line.replace("m.number == number", "m.number != number") for line in lines
    ]
    code = of_number.__code__.replace(co_name="of_another_number")
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


@pytest.mark.parametrize(
    ("loop", "then"),
    [(unless_another_is_there, FILTERED), (unless_others_are_there, "__len__")],
)
def test_a_set_is_no_part_of_a_question(
    loop: Callable[[Messages, Any], object], then: str
) -> None:
    """What asks one is no test of an item, but something that the loop does."""
    require_filter(loop)
    assert set(calls_of(loop)) == {FILTERED, then}


@pytest.mark.parametrize(
    "ask",
    [
        *(list, len, bool, hash, repr, str, frozenset, sorted, set),
        *(lambda held: held == 1, lambda held: held == 1, lambda held: 1 in held),
        *(lambda held: held in (1,), lambda held: held in {1}, lambda held: held < 2),
        *(lambda held: held.items, lambda held: isinstance(held, frozenset)),
        *(lambda held: held | {1}, lambda held: f"{held}", lambda held: {1} - held),
    ],
)
def test_of_a_set_that_is_withheld_nothing_can_be_asked(
    ask: Callable[[Any], object],
) -> None:
    """So what a test finds out of it is never wrong."""
    with pytest.raises((AskedInVain, TypeError)):
        ask(withheld(Withheld.SET))


def test_a_state_is_no_part_of_a_question() -> None:
    """All of it would be read for that."""
    state = AState()
    assert calls_of(of_a_state, state)[0] == WHOLE[0]
    assert not state.is_read


SHADOWED = """
def any(items):
    return len(list(items))

def loop(messages, wanted):
    return any(m.number == wanted for m in messages)
"""


def test_a_builtin_may_be_another_function() -> None:
    """Then it is not known when it goes through what it is given."""
    lines = SHADOWED.splitlines(keepends=True)
    names: dict[str, Any] = {}
    with patch.dict(linecache.cache, {"<shadowed>": (1, None, lines, "<shadowed>")}):
        exec(compile(SHADOWED, "<shadowed>", "exec", dont_inherit=True), names)
        assert calls_of(names["loop"])[0] == WHOLE[0]


@frozen
class SentMail(Cells):
    """What was sent, and how often anything was."""

    sent: Messages = NONE
    count: int = 0


def send(mail: SentMail, number: Number) -> Iterator[SentMail]:
    """Send what was not sent yet, in a loop over what was."""
    if not [message for message in mail.sent if message.number == number]:
        yield mail.evolve(sent=mail.sent | {Demand(number)})


def reckon(mail: SentMail) -> Iterator[SentMail]:
    """Sum up what was sent, in a loop that passes nothing over."""
    total = sum(message.number for message in mail.sent if message.number >= 0)
    yield mail.evolve(count=total % 3)


def split_by(*actions: Action) -> dict[str, int]:
    """Which sets are split in a search, and how many elements they had."""
    model = Toy(actions, (SentMail(),), domains={Number: tuple(map(Number, range(10)))})
    found = BreadthFirst(crowded=50).explore(model, ())
    assert found == Naive().explore(model, ())
    assert found.statistics.breadth_first is not None
    return dict(found.statistics.breadth_first.split)


def test_a_set_over_which_functions_loop_is_split() -> None:
    """If they ask for few of its elements."""
    assert split_by(send) == {"sent": 10}


def test_a_set_of_which_loops_take_all_is_not_split_for_long() -> None:
    """What a filter keeps may be all of it; with few elements that is not much."""
    assert split_by(send, reckon) == {"sent": 10}
    with patch.object(set_elements, "FEW", 4):
        assert split_by(send, reckon) == {}
