"""Peterson's mutual exclusion of two processes; each may stay outside for ever.

The variant `takes-no-turns` forgets to give way.
"""

from collections.abc import Iterator
from enum import Enum

from replicheck.modelling import Bounds, Id, Model, State, bound


class Process(Id):
    """One of two processes."""


class Place(Enum):
    """Where a process is."""

    OUTSIDE = 0
    HAS_FLAG = 1
    WAITS = 2
    INSIDE = 3


class Two(Bounds):
    """There are always two processes."""

    processes: int = bound(2, at_least=2)


class Mutex(State):
    """Where the processes are, and which of them gave way last."""

    places: tuple[Place, ...] = (Place.OUTSIDE, Place.OUTSIDE)
    gave_way: int = 0


Steps = Iterator[Mutex]
model = Model("peterson", Two, domains={Process: "processes"})


@model.initial
def outside(bounds: Two) -> Mutex:
    """Both processes are outside."""
    return Mutex()


@model.fault
def raise_flag(s: Mutex, p: Process) -> Steps:
    """A process wants to go inside; it need not."""
    if s.places[p] is Place.OUTSIDE:
        yield s.evolve(places={p: Place.HAS_FLAG})


@model.action
def give_way(s: Mutex, p: Process) -> Steps:
    """The process lets the other one go first."""
    if s.places[p] is Place.HAS_FLAG:
        yield s.evolve(places={p: Place.WAITS}, gave_way=int(p))


@model.action
def enter(s: Mutex, p: Process) -> Steps:
    """The other process is outside, or gave way after this one."""
    if s.places[p] is Place.WAITS and (
        s.places[1 - p] is Place.OUTSIDE or s.gave_way != p
    ):
        yield s.evolve(places={p: Place.INSIDE})


@model.action
def leave(s: Mutex, p: Process) -> Steps:
    """No process stays inside for ever."""
    if s.places[p] is Place.INSIDE:
        yield s.evolve(places={p: Place.OUTSIDE})


def enter_whenever_free(s: Mutex, p: Process) -> Steps:
    """The other process is not inside, no matter which gave way."""
    if s.places[p] is Place.WAITS and s.places[1 - p] is not Place.INSIDE:
        yield s.evolve(places={p: Place.INSIDE})


model.variant("takes-no-turns", {enter: enter_whenever_free})


@model.always
def at_most_one_is_inside(s: Mutex) -> bool:
    """Mutual exclusion."""
    return s.places[0] is not Place.INSIDE or s.places[1] is not Place.INSIDE


def has_flag(s: Mutex, p: Process) -> bool:
    """A process wants to go inside."""
    return s.places[p] is Place.HAS_FLAG


def is_inside(s: Mutex, p: Process) -> bool:
    """It is there."""
    return s.places[p] is Place.INSIDE


model.leads_to(has_flag, is_inside)
