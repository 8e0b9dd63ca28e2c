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


class NodeCount(Bounds):
    """So many nodes."""

    nodes: int = bound(3)


class ChosenLeader(State):
    """Who leads."""

    leader: int = 0


class AnotherLeader(State):
    """A state of another class."""

    leader: int = 0


def any_leader(size: NodeCount) -> Iterator[ChosenLeader]:
    """Some node leads."""
    for node in range(size.nodes):
        yield ChosenLeader(node)


def first_leads(size: NodeCount) -> ChosenLeader:
    """The first node leads."""
    return ChosenLeader()


def test_a_beginning_returns_one_state_or_yields_several() -> None:
    """They are in the order in which they are yielded."""
    assert initial_states(first_leads, NodeCount(nodes=3)) == (ChosenLeader(0),)
    all_of_three = (ChosenLeader(0), ChosenLeader(1), ChosenLeader(2))
    assert initial_states(any_leader, NodeCount(nodes=3)) == all_of_three


def test_an_instance_begins_in_all_states_of_its_first_beginning() -> None:
    """Others are chosen by name."""
    model = Model("leadership", NodeCount)
    model.initial(any_leader)
    model.initial(first_leads)
    instance = instance_of(model, Protocol("leadership", ()), NodeCount(nodes=2))
    assert list(instance.initial_states()) == [ChosenLeader(0), ChosenLeader(1)]


def no_leader(size: NodeCount) -> Iterator[ChosenLeader]:
    """No state."""
    yield from ()


def numbers(size: NodeCount) -> Iterator[Any]:
    """States, and then none."""
    yield ChosenLeader()
    yield 1


def two_classes(size: NodeCount) -> Iterator[Any]:
    """States of two classes."""
    yield ChosenLeader()
    yield AnotherLeader()


def without_end(size: NodeCount) -> Iterator[ChosenLeader]:
    """One state after the other."""
    while True:
        yield ChosenLeader()


def a_list(size: NodeCount) -> list[ChosenLeader]:
    """A list of states."""
    return [ChosenLeader()]


@pytest.mark.parametrize(
    ("begin", "message"),
    [
        (no_leader, "no_leader yields no state within these bounds, expected one or"),
        (numbers, "numbers yields an int, expected a state"),
        (
            two_classes,
            "two_classes yields a ChosenLeader and an AnotherLeader, expected states",
        ),
        (without_end, f"yields more than {MOST_INITIAL_STATES:,} states: end its loop"),
        (a_list, "a_list returns a list, expected a state"),
    ],
)
def test_what_is_no_beginning_is_refused(
    begin: Callable[[NodeCount], Any], message: str
) -> None:
    """The message names the function, and what was expected."""
    with pytest.raises(ModellingError, match=message):
        initial_states(begin, NodeCount(nodes=3))
