"""What learning must not get wrong: models that once misled it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engines import ENGINES, name_of
from replicheck.explorer.engine import Engine
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import always, every_step
from searches.dials import LEARNING, Dial, Dials, explore, turn_left


def share_at_once(state: Dials) -> Iterator[Dials]:
    """Ask first what raises in every state there is."""
    if state.left.share > 0:
        yield state.evolve(left=state.left.turn())


def turn_and_take_back(state: Dials) -> Iterator[Dials]:
    """Write a dial, then write what it was before."""
    turned = state.evolve(left=Dial(3), number=1)
    yield turned.evolve(left=state.left)


def turn_too_far_and_overwrite(state: Dials) -> Iterator[Dials]:
    """Apply an operation that raises at the end, and write another value over it."""
    yield state.evolve(left=state.left.turn_on()).evolve(left=Dial(3))


def catch(state: Dials) -> Iterator[Dials]:
    """Catch what an attribute raises, which no engine that learns can follow."""
    try:
        share = state.left.share
    except ZeroDivisionError:
        share = 0
    if share != 2:
        yield state.evolve(left=state.left.turn())


def catch_everything(state: Dials) -> Iterator[Dials]:
    """Catch it as broadly as one can."""
    try:
        share = state.left.share
    except Exception:
        share = 0
    if share != 2:
        yield state.evolve(left=state.left.turn())


def give_up_after_an_exception(state: Dials) -> Iterator[Dials]:
    """Be disabled wherever an attribute raises."""
    try:
        share = state.left.share
    except Exception:
        return
    if share != 2:
        yield state.evolve(left=state.left.turn())


def write_one(state: Dials) -> Iterator[Dials]:
    """Write a number."""
    yield state.evolve(number=1)


def write_true(state: Dials) -> Iterator[Dials]:
    """Write a truth value where the others write a number."""
    if state.number == 0:
        yield state.evolve(number=True)


def raises_after_two(before: Dials, after: Dials) -> bool:
    """A step property that cannot be evaluated everywhere; broken by the first step."""
    return 1 // (2 - before.left.number) > 1


def is_at_most_three(state: Dials) -> bool:
    """The left dial is where it can be."""
    return state.left.number <= 3


@pytest.mark.parametrize("engine", LEARNING, ids=name_of)
@pytest.mark.parametrize(
    "actions",
    [
        (turn_left, turn_and_take_back),
        (turn_left, turn_too_far_and_overwrite),
    ],
    ids=lambda actions: actions[-1].__name__,
)
def test_writes_that_replace_writes(engine: Engine, actions: tuple[Any, ...]) -> None:
    """Of two writes to a cell in one step the later counts, and both are evaluated."""
    assert explore(engine, *actions) == explore(Naive(), *actions)


@pytest.mark.parametrize("engine", LEARNING, ids=name_of)
@pytest.mark.parametrize(
    "action", [catch, catch_everything, give_up_after_an_exception]
)
def test_an_exception_of_a_cell_is_not_caught(engine: Engine, action: Any) -> None:
    """An action that goes on after an attribute raised is refused, not misread."""
    with pytest.raises(ModelError, match="an exception"):
        explore(engine, action)


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
def test_an_attribute_that_always_raises(engine: Engine) -> None:
    """The report names the action that reads it."""
    report = explore(engine, share_at_once)
    assert report.failure is not None
    assert report.failure.function == "share_at_once"


@pytest.mark.parametrize("engine", LEARNING, ids=name_of)
def test_equal_values_of_two_types(engine: Engine) -> None:
    """True equals 1 but is another value: a cell may not have both."""
    with pytest.raises(ModelError, match="both True and 1"):
        explore(engine, write_true, write_one)


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
def test_a_step_property_raises_although_it_is_decided(engine: Engine) -> None:
    """A step property that is violated is still evaluated, and may still raise."""
    properties = (every_step(raises_after_two), always(is_at_most_three))
    report = explore(engine, turn_left, properties=properties)
    assert report.failure is not None
    assert report.failure.function == "raises_after_two"
    assert [violation.property for violation in report.violations] == [
        "raises_after_two"
    ]
