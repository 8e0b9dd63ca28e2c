"""Loops over sets that are sorted by the items themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple, NewType

import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from random_models.systems import slowly
from random_sets.splits import runs_of, split_of
from replicheck.explorer.engine import Engine, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.report import Report
from replicheck.explorer.states.exact_equality import are_comparable
from replicheck.model.state_base import Cells
from toys import Toy

Place = NewType("Place", int)
PLACES = tuple(map(Place, range(5)))


class Level(IntEnum):
    """A number by another name."""

    LOW = 1


class Vote(NamedTuple):
    """A tuple with names."""

    voter: int
    term: int


class Backward(int):
    """A number that is greater than those after it."""

    def __lt__(self, other: int) -> bool:
        return int(self) > other


@frozen
class Messages(Cells):
    """Messages on their way, and those that were received."""

    on_the_way: frozenset[Any] = frozenset()
    received: frozenset[Any] = frozenset()


COMPARABLE: list[tuple[Any, ...]] = [
    (),
    ((1, 2),),
    (1, 2, True, Level.LOW),
    ("a", "b"),
    ((1, "a"), (2, "b")),
    (((1, 2), 3), ((0, 0), 0)),
    (Vote(1, 2), (0, 0)),
]
UNLIKE: list[tuple[Any, ...]] = [
    (1, "a"),
    (1, (1,)),
    ((1,), (1, 2)),
    ((1, "a"), (1, 2)),
    (None, 1),
    ((None,), (1,)),
    (frozenset({1}), frozenset({2})),
    (1.5, 2.5),
    (Backward(1), 2),
]


@pytest.mark.parametrize("items", COMPARABLE)
def test_items_any_two_of_which_can_be_compared(items: tuple[Any, ...]) -> None:
    """Python can sort them."""
    sorted(items)
    assert are_comparable(items)


@pytest.mark.parametrize("items", UNLIKE)
def test_items_that_are_not_known_to_be_comparable(items: tuple[Any, ...]) -> None:
    """Of some Python raises, and of some their order depends on the others."""
    assert not are_comparable(items)


Act = Callable[[Messages], Iterator[Messages]]


def lose_any(s: Messages) -> Iterator[Messages]:
    """Any message is lost."""
    for message in sorted(s.on_the_way):
        yield s.evolve(on_the_way=s.on_the_way - {message})


def receive_any(s: Messages) -> Iterator[Messages]:
    """Any message is received, the greatest first."""
    for message in sorted(s.on_the_way, reverse=True):
        if message not in s.received:
            yield s.evolve(received=s.received | {message})


def receive_pairs(s: Messages) -> Iterator[Messages]:
    """Any message is received that is a tuple, unless something was."""
    if not s.received:
        for message in sorted(s.on_the_way):
            if isinstance(message, tuple):
                yield s.evolve(received=frozenset({message}))


def receive_the_least(s: Messages) -> Iterator[Messages]:
    """The least message is received."""
    if not s.received:
        for message in sorted(s.on_the_way):
            yield s.evolve(received=frozenset({message}))
            break


def count_those_before(s: Messages) -> Iterator[Messages]:
    """What is received depends on which message comes first."""
    least = [message for message in sorted(s.on_the_way) if message != 1]
    if not s.received and least:
        yield s.evolve(received=frozenset(least[:1]))


def look_for_one(s: Messages) -> Iterator[Messages]:
    """A message is received if it is among the others, all of which are compared."""
    if not s.received and any(m == (0, "x") for m in sorted(s.on_the_way)):
        yield s.evolve(received=frozenset({(0, "x")}))


def receive_with_another(s: Messages) -> Iterator[Messages]:
    """A message is received if it can be compared with a text."""
    more = s.on_the_way | {"text"}
    if len(s.on_the_way) > 4 and any(m == "text" for m in sorted(more)):
        yield s.evolve(received=frozenset({"text"}))


ACTS: tuple[Act, ...] = (
    lose_any,
    receive_any,
    receive_pairs,
    receive_the_least,
    count_those_before,
    look_for_one,
)
ALL_ACTS = (*ACTS, receive_with_another)


def system(pool: tuple[Any, ...], *acts: Act) -> Toy:
    """Messages of a pool are sent; these actions do the rest."""

    def send(s: Messages, place: Place) -> Iterator[Messages]:
        if pool[place] not in s.on_the_way:
            yield s.evolve(on_the_way=s.on_the_way | {pool[place]})

    places = tuple(map(Place, range(len(pool))))
    return Toy((send, *acts), (Messages(),), domains={Place: places})


def ending_with(last: object, act: Act) -> Toy:
    """Pairs are sent, and another message behind all of them."""

    def send(s: Messages, place: Place) -> Iterator[Messages]:
        if last not in s.on_the_way:
            yield s.evolve(on_the_way=s.on_the_way | {(place, "x")})
        if len(s.on_the_way) == len(PLACES):
            yield s.evolve(on_the_way=s.on_the_way | {last})

    return Toy((send, act), (Messages(),), domains={Place: PLACES})


@pytest.mark.parametrize("act", [lose_any, receive_any])
def test_an_action_is_learned_item_by_item(act: Act) -> None:
    """Where any two items can be compared."""
    pool = tuple((number % 3, f"{number}") for number in range(9))
    report = BreadthFirst(threads=1, crowded=2).explore(system(pool, act), [])
    assert "on_the_way" in split_of(report)
    assert runs_of(report, act.__name__) < 100
    assert report == Naive().explore(system(pool, act), [])


MESSAGES = st.sampled_from(
    [0, 1, 2, "a", "b", (0,), (1,), (0, 1), (1, 0), ("a", 1), (1, (0, "b")), None]
)
ALIKE = st.sampled_from([(a, b) for a in range(3) for b in range(3)])


@slowly
@given(
    st.lists(MESSAGES, min_size=2, max_size=5, unique=True)
    | st.lists(ALIKE, min_size=3, max_size=7, unique=True),
    st.lists(st.sampled_from(ALL_ACTS), min_size=1, max_size=3, unique=True),
    st.sampled_from([1, 2, 4, 20]),
    st.sampled_from([Stop.EXHAUSTED, *Stop]),
)
def test_whatever_the_items_are(
    pool: list[Any], acts: list[Act], crowded: int, stop: Stop
) -> None:
    """Also where Python raises, and where unlike ones come late or never together."""
    engine = BreadthFirst(threads=1, crowded=crowded)
    require_agreement(system(tuple(pool), *acts), engine, stop)


@pytest.mark.parametrize("act", ACTS)
def test_items_that_are_never_together(act: Act) -> None:
    """They cannot be compared, and Python never does.

    If an action would do so item by item, the set stays one value.
    """

    def replace(s: Messages, place: Place) -> Iterator[Messages]:
        if len(s.on_the_way) == 5:
            yield s.evolve(on_the_way=frozenset({("a", "b", 2, None, 4)[place]}))

    def send(s: Messages, place: Place) -> Iterator[Messages]:
        if s.on_the_way.isdisjoint(("a", "b", 2, None, 4)):
            yield s.evolve(on_the_way=s.on_the_way | {(place, "x")})

    model = Toy((send, act, replace), (Messages(),), domains={Place: PLACES})
    for crowded in (1, 2, 4, 8, 20):
        report = require_agreement(model, BreadthFirst(threads=1, crowded=crowded))
        assert report.failure is None
        assert report.states > 1 << len(PLACES)
        if act in (lose_any, receive_any):
            assert "on_the_way" not in split_of(report)


@pytest.mark.parametrize("last", ["a", (0,), None, (0, 1)])
@pytest.mark.parametrize("act", ALL_ACTS)
def test_an_item_that_comes_late(act: Act, last: object) -> None:
    """Once the set is split, and the action is learned item by item."""
    model = ending_with(last, act)
    for crowded in (1, 2, 4, 8):
        require_agreement(model, BreadthFirst(threads=1, crowded=crowded))


@pytest.mark.parametrize("last", ["a", (5, "x")])
@pytest.mark.parametrize("act", [lose_any, look_for_one])
def test_processes_that_share_what_they_learn(act: Act, last: object) -> None:
    """One of them meets the item that is unlike the others."""
    model = ending_with(last, act)
    for crowded in (1, 4):
        engine = Partitioned(4, in_process(2), small=0, crowded=crowded)
        require_agreement(model, engine)


def require_agreement(
    model: Toy, engine: Engine, stop: Stop = Stop.EXHAUSTED
) -> Report[Any]:
    """The report of a search, which that of the obvious one equals.

    But for the message of what raised: Python says which two it compared first.
    """
    search = Search(stop=stop)
    expected = Naive().explore(model, [], search)
    found = engine.explore(model, [], search)
    if found.failure is not None and expected.failure is not None:
        known = evolve(expected.failure, message=found.failure.message)
        expected = evolve(expected, failure=known)
    assert found == expected
    return found
