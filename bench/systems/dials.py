"""Dials that are turned one step at a time and never stop: values ** dials states.

Each state has one step for each dial, and any state leads to any other: all of them are
one component, in which a fair run turns every dial for ever.

    replicheck check bench/systems/dials.py --livelocks --no-cache --bounds values=57
"""

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, bound


class Dial(Id):
    """One of the dials."""


class DialBounds(Bounds):
    """How many there are, and how many values each has."""

    dials: int = bound(4)
    values: int = bound(10)


class Dials(State):
    """The value of each, from 0 on, and the highest."""

    at: tuple[int, ...]
    highest: int


Steps = Iterator[Dials]
model = Model("dials", DialBounds, domains={Dial: "dials"})


@model.initial
def at_zero(bounds: DialBounds) -> Dials:
    """All begin at 0."""
    return Dials((0,) * bounds.dials, bounds.values - 1)


@model.action
def turn(s: Dials, d: Dial) -> Steps:
    """One goes up, or from the highest value to 0."""
    yield s.evolve(at={d: s.at[d] + 1 if s.at[d] < s.highest else 0})


def is_highest(s: Dials, d: Dial) -> bool:
    """A dial is at the highest value."""
    return s.at[d] == s.highest


def is_zero(s: Dials, d: Dial) -> bool:
    """A dial is at 0."""
    return s.at[d] == 0


model.leads_to(is_highest, is_zero)
