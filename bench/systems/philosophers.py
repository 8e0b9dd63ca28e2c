"""Philosophers who take their left fork first; in the variant one does not."""

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, bound


class Philosopher(Id):
    """One of those at the table."""


class Table(Bounds):
    """How many there are."""

    philosophers: int = bound(4, at_least=2)


class Forks(State):
    """Who is hungry, and who has which fork, or -1."""

    hungry: tuple[bool, ...]
    forks: tuple[int, ...]


Steps = Iterator[Forks]
model = Model("philosophers", Table, domains={Philosopher: "philosophers"})


@model.initial
def all_think(bounds: Table) -> Forks:
    """All forks lie on the table."""
    return Forks((False,) * bounds.philosophers, (-1,) * bounds.philosophers)


@model.fault
def get_hungry(s: Forks, p: Philosopher) -> Steps:
    """A philosopher may think for ever."""
    if not s.hungry[p]:
        yield s.evolve(hungry={p: True})


@model.action
def take_left(s: Forks, p: Philosopher) -> Steps:
    """The first fork."""
    if s.hungry[p] and s.forks[p] == -1:
        yield s.evolve(forks={p: int(p)})


@model.action
def take_right(s: Forks, p: Philosopher) -> Steps:
    """The second fork."""
    right = (p + 1) % len(s.forks)
    if s.forks[p] == p and s.forks[right] == -1:
        yield s.evolve(forks={right: int(p)})


@model.action
def eat(s: Forks, p: Philosopher) -> Steps:
    """Both forks are put back."""
    right = (p + 1) % len(s.forks)
    if s.forks[p] == p and s.forks[right] == p:
        yield s.evolve(hungry={p: False}, forks={p: -1, right: -1})


def is_hungry(s: Forks, p: Philosopher) -> bool:
    """A philosopher is hungry."""
    return s.hungry[p]


def has_eaten(s: Forks, p: Philosopher) -> bool:
    """A philosopher is not hungry any more."""
    return not s.hungry[p]


model.leads_to(is_hungry, has_eaten)


def take_right_first(s: Forks, p: Philosopher) -> Steps:
    """The last philosopher begins with the other fork."""
    right = (p + 1) % len(s.forks)
    is_first = p == len(s.forks) - 1 and s.hungry[p]
    if (is_first or s.forks[p] == p) and s.forks[right] == -1:
        yield s.evolve(forks={right: int(p)})


def take_left_second(s: Forks, p: Philosopher) -> Steps:
    """The last philosopher needs the other fork before this one."""
    right = (p + 1) % len(s.forks)
    is_ready = p != len(s.forks) - 1 or s.forks[right] == p
    if s.hungry[p] and is_ready and s.forks[p] == -1:
        yield s.evolve(forks={p: int(p)})


model.variant(
    "one-takes-right-first",
    {take_left: take_left_second, take_right: take_right_first},
)
