"""Small models whose states can be counted by hand, for every engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NewType

from attrs import field, frozen
from attrs.validators import ge

from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.systems import System
from replicheck.invariants.describers.model_describer import ModelDescriber
from replicheck.model.protocol import Action, Protocol
from replicheck.model.state_base import Cells

Amount = NewType("Amount", int)


@frozen
class Toy:
    """A model made of what it is given."""

    actions: Sequence[Action]
    starts: Sequence[Any]
    constraints: Sequence[Any] = ()
    domains: dict[object, tuple[object, ...]] = field(factory=dict)
    name: str = "toy"
    symmetries: tuple[Any, ...] = ()

    def initial_states(self) -> Iterator[Any]:
        """Yield every start."""
        yield from self.starts


@frozen
class Walk(Cells):
    """A place in a graph; ``edges[i]`` are the places that lead on from ``i``."""

    edges: tuple[tuple[int, ...], ...] = field(eq=False)
    at: int = 0


def go(state: Walk) -> Iterator[Walk]:
    """Follow an edge."""
    for target in state.edges[state.at]:
        yield state.evolve(at=target)


def go_or_fall(state: Walk) -> Iterator[Walk]:
    """Follow an edge; there is a hole at 3."""
    if state.at == 3:
        raise ValueError("fell into the hole")
    yield from go(state)


def graph(*edges: tuple[int, ...], starts: Sequence[int] = (0,)) -> Toy:
    """A walk through a graph."""
    return Toy((go,), tuple(Walk(edges, start) for start in starts))


def ring(size: int) -> Toy:
    """A walk round a ring."""
    return graph(*(((place + 1) % size,) for place in range(size)))


def hole() -> Toy:
    """A walk through 0, 1, 2, 3 in which an action raises at 3."""
    edges = ((1,), (2,), (3,), (0,))
    return Toy((go_or_fall,), (Walk(edges, 0),))


@frozen
class Counter(Cells):
    """A number that goes up to a limit."""

    limit: int = field(eq=False)
    value: int = 0


def add(state: Counter, amount: Amount) -> Iterator[Counter]:
    """Add an amount, if the limit allows."""
    if state.value + amount <= state.limit:
        yield state.evolve(value=state.value + amount)


def start_again(state: Counter) -> Iterator[Counter]:
    """Go from the limit back to 0."""
    if state.value == state.limit:
        yield state.evolve(value=0)


def subtract_too_much(state: Counter) -> Iterator[Counter]:
    """Go below 0, which is never enabled."""
    if state.value < 0:
        yield state.evolve(value=-1)


def break_down(state: Counter) -> Iterator[Counter]:
    """Add 1, but raise at 2."""
    if state.value == 2:
        raise ZeroDivisionError("two is too much")
    yield state.evolve(value=state.value + 1)


def count_for_ever(state: Counter) -> Iterator[Counter]:
    """Add 1 without end."""
    yield state.evolve(value=state.value + 1)


def is_within_its_limit(state: Counter) -> bool:
    """The number is at most its limit."""
    return state.value <= state.limit


def is_below_two(state: Counter) -> bool:
    """The number is 0 or 1."""
    return state.value < 2


def never_goes_down(before: Counter, after: Counter) -> bool:
    """A step does not make the number less."""
    return after.value >= before.value


def reaches_its_limit(state: Counter) -> bool:
    """The number is its limit."""
    return state.value == state.limit


def exceeds_its_limit(state: Counter) -> bool:
    """The number is above its limit, which cannot be."""
    return state.value > state.limit


def above_its_limit_it_is_even(state: Counter) -> bool:
    """Where the number is above its limit, which cannot be, it is even."""
    return not state.value > state.limit or state.value % 2 == 0


def at_its_limit_it_is_odd(state: Counter) -> bool:
    """Where the number is its limit, it is odd."""
    if state.value != state.limit:
        return True
    return state.value % 2 == 1


def is_at_most_five(state: Counter) -> bool:
    """The number is 5 or less."""
    return state.value <= 5


def is_not_three(state: Counter) -> bool:
    """The number is not 3."""
    return state.value != 3


def at_one_it_is_odd(state: Counter) -> bool:
    """Where the number is 1, it is odd."""
    if state.value != 1:
        return True
    return state.value % 2 == 1


def is_below_every(state: Counter, amount: Amount) -> bool:
    """The number is below each amount, which are 1 and 2."""
    return state.value < amount


def counter(*actions: Action, limit: int = 5, constraints: Sequence[Any] = ()) -> Toy:
    """A counter that starts at 0 and adds 1 or 2."""
    amounts: dict[object, tuple[object, ...]] = {Amount: (Amount(1), Amount(2))}
    return Toy(actions or (add,), (Counter(limit),), constraints, amounts)


@frozen
class CounterBounds:
    """How far a counter counts."""

    limit: int = field(default=5, validator=ge(1))


COUNTERS = System(
    name="counter",
    state=Counter,
    describe=ModelDescriber,
    bounds=CounterBounds,
    protocols=(
        Protocol("up", (add,)),
        Protocol("round", (add, start_again)),
        Protocol("dead", (add, subtract_too_much)),
        Protocol("raising", (break_down,)),
        Protocol("endless", (count_for_ever,)),
        Protocol("constrained", (count_for_ever,)),
    ),
    build=lambda protocol, bounds: counter(
        *protocol.actions,
        limit=bounds.limit,
        constraints=(is_at_most_five,) * (protocol.name == "constrained"),
    ),
    invariants=(
        is_within_its_limit,
        is_below_two,
        above_its_limit_it_is_even,
        at_its_limit_it_is_odd,
    ),
    steps=(never_goes_down,),
    witnesses=(reaches_its_limit, exceeds_its_limit),
)

COUNTER_SCENARIO = """
summary = "A counter"
model = "counter"
protocol = "up"
invariants = ["is_within_its_limit"]
steps = []
witnesses = ["reaches_its_limit"]
expect = { verdict = "holds", states = 6, depth = 4 }
"""


def catalogue() -> Catalogue:
    """A catalogue with the counters as its only scenario and default suite."""
    empty = Catalogue({"counter": COUNTERS})
    place = Place("counter.toml")
    scenario = empty.read_scenario(COUNTER_SCENARIO, "counter", place)
    with_it = Catalogue(empty.systems, {"counter": scenario})
    suite = with_it.read_suite('check = [{scenario = "counter"}]', "default", place)
    return Catalogue(empty.systems, with_it.scenarios, {"default": suite})


@frozen
class Lattice(Cells):
    """Six numbers, each of which only goes up."""

    size: int = field(eq=False)
    at: tuple[int, ...] = (0,) * 6


def climb(state: Lattice, direction: Amount) -> Iterator[Lattice]:
    """Go up by one in a direction."""
    if state.at[direction] < state.size:
        yield state.evolve(at={direction: state.at[direction] + 1})


def lattice(size: int) -> Toy:
    """A model of (size + 1) ** 6 states, (6 * size + 1) levels."""
    directions = tuple(Amount(number) for number in range(6))
    return Toy((climb,), (Lattice(size),), domains={Amount: directions})


@frozen
class Wide(Cells):
    """A number that takes many values, beside one that takes few."""

    value: int = 0
    rest: int = 0


def fan_out(state: Wide) -> Iterator[Wide]:
    """Go from 0 to 300 values, from each of those to 300 more, then to one of seven."""
    if state.value == 0:
        for value in range(1, 301):
            yield state.evolve(value=value)
    elif state.value <= 300:
        for following in range(300):
            yield state.evolve(value=1000 + 300 * state.value + following)
    elif state.rest == 0:
        yield state.evolve(value=1, rest=1 + state.value % 7)


def wide() -> Toy:
    """A model with a cell that takes more values than 16 bits can number."""
    return Toy((fan_out,), (Wide(),))
