"""A lock that many may hold to read, or one to write.

Try it with `replicheck check examples/readers_writers.py`, and with
`--protocol hasty`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

from replicheck.modelling import Bounds, Id, Model, State, bound


class Process(Id):
    """One that reads and writes."""


class Hold(Enum):
    """How a process holds the lock."""

    NOT = auto()
    READING = auto()
    WRITING = auto()


class Size(Bounds):
    """How many processes there are."""

    processes: int = bound(3, at_least=1, fuzz=(1, 5))


class Lock(State):
    """How each process holds the lock."""

    holds: tuple[Hold, ...]


model = Model("readers-writers", Size, {Process: "processes"})
model.symmetric(Process, "holds")


@model.initial
def free(size: Size) -> Lock:
    """No process holds it."""
    return Lock((Hold.NOT,) * size.processes)


@model.action
def read(s: Lock, process: Process) -> Iterator[Lock]:
    """A process begins to read while no process writes."""
    if s.holds[process] is Hold.NOT and all(h is not Hold.WRITING for h in s.holds):
        yield s.evolve(holds={process: Hold.READING})


@model.action
def write(s: Lock, process: Process) -> Iterator[Lock]:
    """A process begins to write where no other does anything."""
    if all(h is Hold.NOT for h in s.holds):
        yield s.evolve(holds={process: Hold.WRITING})


@model.action
def release(s: Lock, process: Process) -> Iterator[Lock]:
    """A process gives the lock back."""
    if s.holds[process] is not Hold.NOT:
        yield s.evolve(holds={process: Hold.NOT})


def write_beside_readers(s: Lock, process: Process) -> Iterator[Lock]:
    """A process looks for other writers only, which is the mistake."""
    if s.holds[process] is Hold.NOT and all(h is not Hold.WRITING for h in s.holds):
        yield s.evolve(holds={process: Hold.WRITING})


model.variant("hasty", {write: write_beside_readers})


@model.always
def a_writer_is_alone(s: Lock, writer: Process, process: Process) -> bool:
    """No other process holds the lock while one writes."""
    if s.holds[writer] is not Hold.WRITING or process == writer:
        return True
    return s.holds[process] is Hold.NOT


@model.sometimes
def two_read(s: Lock) -> bool:
    """Reading is shared."""
    return sum(h is Hold.READING for h in s.holds) > 1
