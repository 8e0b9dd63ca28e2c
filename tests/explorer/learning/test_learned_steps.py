"""What learning must not get wrong about steps, cells and violations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engines import ENGINES, name_of
from replicheck.explorer.engine import Engine
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.properties import always, every_step
from searches.dials import LEARNING, Dial, Dials, explore, turn_left


def is_at_most_one(state: Dials) -> bool:
    """The left dial is at 0 or 1."""
    return state.left.number <= 1


def is_not_at_three(state: Dials) -> bool:
    """A property that cannot be evaluated at 3."""
    return 1 // (3 - state.left.number) >= 0


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
def test_violations_come_in_the_order_of_the_properties(engine: Engine) -> None:
    """The order in which they were found does not matter."""
    late, early = every_step(stays_below_three), always(is_at_most_one)
    report = explore(engine, turn_left, properties=(late, early))
    assert [violation.property for violation in report.violations] == [
        late.name,
        early.name,
    ]


def stays_below_three(before: Dials, after: Dials) -> bool:
    """The left dial does not get to 3."""
    return after.left.number < 3


def leap(state: Dials) -> Iterator[Dials]:
    """Go from 0 to 2 and to 3 at once."""
    if state.left.number == 0:
        yield state.evolve(left=Dial(2))
        yield state.evolve(left=Dial(3))


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
def test_a_level_that_fails_has_no_findings(engine: Engine) -> None:
    """What other states of the level break is left out, whichever comes first."""
    properties = (always(is_at_most_one), always(is_not_at_three))
    report = explore(engine, leap, properties=properties)
    assert report.failure is not None
    assert report.violations == ()


def reset_left(state: Dials) -> Iterator[Dials]:
    """Write a dial that is at 0, whatever was there."""
    yield state.evolve(left=Dial(0), number=1)


def copy_right(state: Dials) -> Iterator[Dials]:
    """Write what another cell has, perhaps the same object."""
    yield state.evolve(left=state.right, number=2)


def turn_to_the_end(state: Dials) -> Iterator[Dials]:
    """Apply an operation that changes nothing at the end."""
    yield state.evolve(left=state.left.turn().turn().turn())


def a_share_that_changes_shrinks(before: Dials, after: Dials) -> bool:
    """Ask what raises at 0, if the dial was changed."""
    return after.left is before.left or after.left.share <= 6 // before.left.number


def who_keeps_the_left_keeps_the_right(before: Dials, after: Dials) -> bool:
    """Ask what raises at 0, if the dial was not changed."""
    return after.left is not before.left or after.left.share > 0


def each_step_changes_the_left(before: Dials, after: Dials) -> bool:
    """Be broken by a step that writes what was there."""
    return after.left is not before.left


def a_change_of_one_changes_both(before: Dials, after: Dials) -> bool:
    """Look at two cells, of which a step writes one or both."""
    is_left, is_right = after.left is before.left, after.right is before.right
    return is_left is is_right


def write_both(state: Dials) -> Iterator[Dials]:
    """Write both dials; each may have been so."""
    yield state.evolve(left=Dial(1), right=state.right.turn())
    yield state.evolve(left=state.right, right=state.left)


each_way_to_write = pytest.mark.parametrize(
    "actions",
    [
        *((reset_left,), (copy_right,), (turn_to_the_end,)),
        *((turn_left, write_both), (turn_left,)),
    ],
    ids=lambda actions: actions[-1].__name__,
)


@pytest.mark.parametrize("engine", LEARNING, ids=name_of)
@pytest.mark.parametrize(
    "claim",
    [
        a_share_that_changes_shrinks,
        who_keeps_the_left_keeps_the_right,
        each_step_changes_the_left,
        a_change_of_one_changes_both,
    ],
)
@each_way_to_write
def test_equal_cells_of_a_step_are_one_object(
    engine: Engine, actions: tuple[Any, ...], claim: Any
) -> None:
    """A step that writes what a cell has leaves it alone, however it is written."""
    properties = (every_step(claim),)
    found = explore(engine, *actions, properties=properties)
    assert found == explore(Naive(), *actions, properties=properties)


def test_a_step_that_writes_what_was_there_does_not_raise() -> None:
    """What a property asks of changed cells only is asked of no other."""
    properties = (every_step(a_share_that_changes_shrinks),)
    for engine in ENGINES:
        report = explore(engine, reset_left, copy_right, properties=properties)
        assert report.failure is None
        assert report.violations == ()


def a_dial_that_changes_is_on(before: Dials, after: Dials) -> bool:
    """Claim nothing of a step that leaves the dial alone."""
    if after.left is before.left:
        return True
    return after.left.is_on


def a_dial_that_is_turned_back_is_off(before: Dials, after: Dials) -> bool:
    """Claim something of no step that writes what is there."""
    if after.left is before.left or after.left.number > before.left.number:
        return True
    return not after.left.is_on


@pytest.mark.parametrize("engine", LEARNING, ids=name_of)
@pytest.mark.parametrize(
    "claim", [a_dial_that_changes_is_on, a_dial_that_is_turned_back_is_off]
)
@each_way_to_write
def test_a_step_that_writes_what_was_there_fulfils_no_premise(
    engine: Engine, actions: tuple[Any, ...], claim: Any
) -> None:
    """What a property claims of changed cells only is claimed of no other."""
    properties = (every_step(claim),)
    found = explore(engine, *actions, properties=properties)
    naive = explore(Naive(), *actions, properties=properties)
    assert found == naive
    assert found.statistics.coverage is not None
    assert naive.statistics.coverage is not None
    assert found.statistics.coverage.premises == naive.statistics.coverage.premises


def a_turned_dial_is_on(before: Dials, after: Dials) -> bool:
    """Ask a dial after its operation, which always answers the same."""
    return after.left is before.left or after.left.is_on


def test_what_a_value_answers_after_an_operation_is_asked_of_it() -> None:
    """So a path is learned for each answer, not for each value of the cell."""
    report = explore(
        BreadthFirst(), turn_left, properties=(every_step(a_turned_dial_is_on),)
    )
    assert report.statistics.breadth_first is not None
    functions = report.statistics.breadth_first.functions
    (runs,) = [function.runs for function in functions.values()]
    assert (report.states, runs) == (4, 2)
