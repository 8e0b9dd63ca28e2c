"""Counters that go up one at a time, whose states are known: values ** counters.

The levels are flat: with three counters of n values none has more states than the
plane through the middle of a cube, 3/4 n ** 2.
"""

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, bound


class Counter(Id):
    """One of the counters."""


class CounterBounds(Bounds):
    """How many there are, and how many values each has: ``tens`` times ten."""

    counters: int = bound(3)
    tens: int = bound(1)


class Counters(State):
    """The value of each, from 0 on, and the highest."""

    at: tuple[int, ...]
    highest: int


Steps = Iterator[Counters]
model = Model("counters", CounterBounds, domains={Counter: "counters"})


@model.initial
def at_zero(bounds: CounterBounds) -> Counters:
    """All begin at 0."""
    return Counters((0,) * bounds.counters, 10 * bounds.tens - 1)


@model.action
def count(s: Counters, c: Counter) -> Steps:
    """One goes up."""
    if s.at[c] < s.highest:
        yield s.evolve(at={c: s.at[c] + 1})
