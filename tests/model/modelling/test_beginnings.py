"""What a beginning of a decorated model gives: one state, or all that it yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from replicheck.model.modelling.errors import ModellingError
from replicheck.model.modelling.instantiation import (
    MOST_INITIAL_STATES,
    initial_states,
    instance_of,
)
from replicheck.model.protocol import Protocol
from replicheck.modelling import Bounds, Model, State, bound


class Size(Bounds):
    """So many nodes."""

    nodes: int = bound(3)


class Leadership(State):
    """Who leads."""

    leader: int = 0


class Other(State):
    """A state of another class."""

    leader: int = 0


def any_leader(size: Size) -> Iterator[Leadership]:
    """Some node leads."""
    for node in range(size.nodes):
        yield Leadership(node)


def first_leads(size: Size) -> Leadership:
    """The first node leads."""
    return Leadership()


def test_a_beginning_returns_one_state_or_yields_several() -> None:
    """They are in the order in which they are yielded."""
    assert initial_states(first_leads, Size(nodes=3)) == (Leadership(0),)
    all_of_three = (Leadership(0), Leadership(1), Leadership(2))
    assert initial_states(any_leader, Size(nodes=3)) == all_of_three


def test_an_instance_begins_in_all_states_of_its_first_beginning() -> None:
    """Others are chosen by name."""
    model = Model("leadership", Size)
    model.initial(any_leader)
    model.initial(first_leads)
    instance = instance_of(model, Protocol("leadership", ()), Size(nodes=2))
    assert list(instance.initial_states()) == [Leadership(0), Leadership(1)]


def no_leader(size: Size) -> Iterator[Leadership]:
    """No state."""
    yield from ()


def numbers(size: Size) -> Iterator[Any]:
    """States, and then none."""
    yield Leadership()
    yield 1


def two_classes(size: Size) -> Iterator[Any]:
    """States of two classes."""
    yield Leadership()
    yield Other()


def without_end(size: Size) -> Iterator[Leadership]:
    """One state after the other."""
    while True:
        yield Leadership()


def a_list(size: Size) -> list[Leadership]:
    """A list of states."""
    return [Leadership()]


@pytest.mark.parametrize(
    ("begin", "message"),
    [
        (no_leader, "no_leader yields no state within these bounds, expected one or"),
        (numbers, "numbers yields an int, expected a state"),
        (two_classes, "two_classes yields a Leadership and an Other, expected states"),
        (without_end, f"yields more than {MOST_INITIAL_STATES:,} states: end its loop"),
        (a_list, "a_list returns a list, expected a state"),
    ],
)
def test_what_is_no_beginning_is_refused(
    begin: Callable[[Size], Any], message: str
) -> None:
    """The message names the function, and what was expected."""
    with pytest.raises(ModellingError, match=message):
        initial_states(begin, Size(nodes=3))
