"""Two-phase commit: a manager asks all participants, then decides; they may crash.

Try it with `replicheck check examples/two_phase.py`, and with `--protocol impatient`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, auto

from replicheck.modelling import Bounds, Id, Model, State, bound, budget


class Participant(Id):
    """One of those who vote."""


class Phase(Enum):
    """How far a participant is."""

    WORKING = auto()
    PREPARED = auto()
    COMMITTED = auto()
    ABORTED = auto()


class Size(Bounds):
    """How many participants there are, and how often one crashes."""

    participants: int = bound(3, at_least=1, fuzz=(1, 4))
    crashes: int = budget(1, fuzz=(0, 2))


class System(State):
    """The phase of each participant, and what the manager decided."""

    phases: tuple[Phase, ...]
    crashes_left: int
    decision: Phase | None = None


model = Model("two-phase", Size, {Participant: "participants"})
model.symmetric(Participant, "phases")


@model.initial
def working(size: Size) -> System:
    """Everyone is at work."""
    return System((Phase.WORKING,) * size.participants, size.crashes)


@model.action
def prepare(s: System, participant: Participant) -> Iterator[System]:
    """A participant votes yes, and is bound by it."""
    if s.phases[participant] is Phase.WORKING:
        yield s.evolve(phases={participant: Phase.PREPARED})


@model.action
def commit(s: System) -> Iterator[System]:
    """The manager has all votes, and decides."""
    if s.decision is None and all(phase is Phase.PREPARED for phase in s.phases):
        yield s.evolve(decision=Phase.COMMITTED)


@model.action
def abort(s: System) -> Iterator[System]:
    """The manager waited long enough."""
    if s.decision is None:
        yield s.evolve(decision=Phase.ABORTED)


@model.action
def learn(s: System, participant: Participant) -> Iterator[System]:
    """A participant that voted hears what was decided."""
    if s.decision is not None and s.phases[participant] is Phase.PREPARED:
        yield s.evolve(phases={participant: s.decision})


@model.fault
def crash(s: System, participant: Participant) -> Iterator[System]:
    """A participant that has not voted is gone, which counts as a no."""
    if s.crashes_left and s.phases[participant] is Phase.WORKING:
        aborted = {participant: Phase.ABORTED}
        yield s.evolve(phases=aborted, crashes_left=s.crashes_left - 1)


def abort_if_prepared(s: System, participant: Participant) -> Iterator[System]:
    """A participant does not wait for the decision, which it must not do."""
    if s.phases[participant] is Phase.PREPARED:
        yield s.evolve(phases={participant: Phase.ABORTED})


model.variant("impatient", {crash: abort_if_prepared})


@model.always
def participants_agree(s: System, first: Participant, second: Participant) -> bool:
    """Where one has committed, no other has aborted."""
    return (
        s.phases[first] is not Phase.COMMITTED or s.phases[second] is not Phase.ABORTED
    )


@model.sometimes
def all_participants_commit(s: System) -> bool:
    """The decision reaches all."""
    return all(phase is Phase.COMMITTED for phase in s.phases)
