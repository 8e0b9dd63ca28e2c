"""A function that reads what is no part of the state is caught where it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import frozen

from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import Property, always, every_step, sometimes
from replicheck.model.state_base import Cells
from toys import Toy

ENGINES = [BreadthFirst(), BreadthFirst(sample=1)]
NAMES = ["default", "paranoid"]
KEEP_GOING = Search(stop=Stop.DECIDED)
LAST = 12


@frozen
class HiddenDial:
    """A number."""

    number: int = 0


@frozen
class Register(Cells):
    """A number that only grows, and a dial."""

    number: int = 0
    dial: HiddenDial = HiddenDial()


def count(state: Register) -> Iterator[Register]:
    """Add one up to the last number."""
    if state.number < LAST:
        yield state.evolve(number=state.number + 1)


def refusal(engine: Any, actions: tuple[Any, ...], *properties: Property) -> str:
    """Reason for which an engine refuses a model."""
    with pytest.raises(ModelError) as caught:
        engine.explore(Toy(actions, (Register(),)), properties, KEEP_GOING)
    return str(caught.value)


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_a_global_that_a_rare_action_sets(engine: Any) -> None:
    """It is set long after the invariant that reads it was learned."""
    is_set = False

    def set_it(state: Register) -> Iterator[Register]:
        nonlocal is_set
        is_set |= state.number == LAST
        yield from count(state)

    def nothing_is_set(state: Register) -> bool:
        return not is_set

    assert "`nothing_is_set`" in refusal(engine, (set_it,), always(nothing_is_set))


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_an_action_that_does_something_else_later(engine: Any) -> None:
    """The steps that were learned of it are not those that it has now."""
    calls = 0

    def stop_some_day(state: Register) -> Iterator[Register]:
        nonlocal calls
        calls += 1
        if state.number < LAST and calls < 10 * LAST:
            yield state.evolve(number=state.number + 1)

    def enough(state: Register) -> bool:
        nonlocal calls
        calls += 20 * LAST * (state.number == LAST)
        return True

    found = refusal(engine, (stop_some_day,), always(enough))
    assert "`stop_some_day` is not a function of the state" in found


def kept_until_later(kept: list[Any]) -> Callable[[Register], bool]:
    """An invariant that reads the first state that it ever got."""

    def first_is_at_zero(state: Register) -> bool:
        kept.append(state)
        return bool(kept[0].dial.number == 0)

    return first_is_at_zero


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_a_state_that_is_kept_in_a_closure(engine: Any) -> None:
    """What a function was given to look at once is not to be read later."""
    assert "`first_is_at_zero`" in refusal(
        engine, (count,), always(kept_until_later([]))
    )


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_a_claim_that_changes_its_mind(engine: Any) -> None:
    """It is named, with the state, in place of a traceback."""
    asked: set[int] = set()

    def holds_twice(state: Register) -> bool:
        is_new = state.number not in asked
        asked.add(state.number)
        return is_new or state.number < LAST // 2

    assert "`holds_twice`" in refusal(engine, (count,), always(holds_twice))


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_a_claim_about_steps_that_changes_its_mind(engine: Any) -> None:
    """As one about states."""
    asked = 0

    def breaks_once(before: Register, after: Register) -> bool:
        nonlocal asked
        asked += before.number == LAST - 1
        return asked != 1

    assert "`breaks_once`" in refusal(engine, (count,), every_step(breaks_once))


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
@pytest.mark.parametrize("claim", [always, sometimes])
def test_two_claims_of_one_name(engine: Any, claim: Any) -> None:
    """A report could not tell them apart."""

    def holds(state: Register) -> bool:
        return True

    def fails(state: Register) -> bool:
        return False

    fails.__name__ = "holds"
    assert "two properties are called `holds`" in refusal(
        engine, (count,), always(holds), claim(fails)
    )


def test_steps_that_come_in_another_order() -> None:
    """As those for which an action iterates a set: only ``--paranoid`` refuses them."""

    def step(state: Register) -> Iterator[Register]:
        steps = [state.evolve(number=1), state.evolve(number=2)]
        yield from steps if hasattr(state, "reader_") else reversed(steps)

    assert BreadthFirst().explore(Toy((step,), (Register(),)), (), Search()).states == 3
    message = refusal(BreadthFirst(sample=1), (step,))
    assert "`step` comes to the same steps in another order: sort a set" in message
    assert "as in `for item in sorted(items, key=repr)`" in message
    assert "s.messages" not in message
    assert "[" not in message.partition("The state:")[0]


@frozen
class ItemsLeft:
    """Numbers of which 0 and 8 are iterated in the order in which they came."""

    first: int | None = None
    items: frozenset[int] = frozenset()


@frozen
class ItemBag(Cells):
    """A bag with numbers."""

    bag: ItemsLeft = ItemsLeft()


def put(state: ItemBag) -> Iterator[ItemBag]:
    """Put a number into the bag."""
    first, items = state.bag.first, state.bag.items
    for item in (0, 8):
        if item not in items:
            named = item if first is None else first
            yield state.evolve(bag=ItemsLeft(named, items | {item}))


def take_each(state: ItemBag) -> Iterator[ItemBag]:
    """Take any number out of the bag."""
    for item in state.bag.items:
        yield state.evolve(bag=ItemsLeft(state.bag.first, state.bag.items - {item}))


def test_equal_sets_may_be_iterated_in_two_orders() -> None:
    """The same steps come of both, so an action may iterate a set as it is."""
    model = Toy((put, take_each), (ItemBag(),))
    assert BreadthFirst().explore(model, (), Search()).states == 9
