"""What learning must not get wrong: models that once misled it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import pytest
from attrs import evolve, frozen

from engines import ENGINES, name_of
from replicheck.explorer.engine import Engine, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import Property, always, every_step
from replicheck.explorer.report import Report
from replicheck.model.state_base import Cells
from toys import Toy

LEARNING = [engine for engine in ENGINES if not isinstance(engine, Naive)]
KEEP_GOING = Search(stop=Stop.DECIDED)


@frozen
class Dial:
    """A number from 0 to 3."""

    number: int = 0

    @property
    def is_on(self) -> bool:
        """Tell whether it is not at 0."""
        return self.number > 0

    @property
    def share(self) -> int:
        """Return a quotient; raises at 0."""
        return 6 // self.number

    def turn(self) -> Self:
        """Add one, up to the end."""
        return evolve(self, number=min(self.number + 1, 3))

    def turn_on(self) -> Self:
        """Add one; raises at the end."""
        return evolve(self, number=(1, 2, 3)[self.number])


@frozen
class Dials(Cells):
    """Two dials and a number."""

    left: Dial = Dial()
    right: Dial = Dial()
    number: int = 0


def explore(
    engine: Engine, *actions: Any, properties: tuple[Property, ...] = ()
) -> Report[Any]:
    """An engine's report on a model with one initial state."""
    return engine.explore(Toy(actions, (Dials(),)), properties, KEEP_GOING)


def turn_left(state: Dials) -> Iterator[Dials]:
    """Turn the left dial."""
    yield state.evolve(left=state.left.turn())


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


def is_at_most_one(state: Dials) -> bool:
    """The left dial is at 0 or 1."""
    return state.left.number <= 1


def is_at_most_three(state: Dials) -> bool:
    """The left dial is where it can be."""
    return state.left.number <= 3


def is_not_at_three(state: Dials) -> bool:
    """A property that cannot be evaluated at 3."""
    return 1 // (3 - state.left.number) >= 0


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
@pytest.mark.parametrize(
    "actions",
    [(reset_left,), (copy_right,), (turn_to_the_end,), (turn_left, write_both)],
    ids=lambda actions: actions[-1].__name__,
)
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


def whoever_turns_is_on(before: Dials, after: Dials) -> bool:
    """Ask a dial after its operation, which always answers the same."""
    return after.left is before.left or after.left.is_on


def test_what_a_value_answers_after_an_operation_is_asked_of_it() -> None:
    """So a path is learned for each answer, not for each value of the cell."""
    report = explore(
        BreadthFirst(), turn_left, properties=(every_step(whoever_turns_is_on),)
    )
    (runs,) = [function["runs"] for function in report.details["functions"].values()]
    assert (report.states, runs) == (4, 2)
