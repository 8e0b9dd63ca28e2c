"""A token goes round a ring; who has it works if there is work, and passes it on.

In the variant `keeps` a process with work left never passes the token on.
"""

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, bound


class Process(Id):
    """One of the ring."""


class RingBounds(Bounds):
    """How many processes there are."""

    processes: int = bound(6, at_least=2)


class Ring(State):
    """Where the token is, and who has work."""

    token: int
    work: tuple[bool, ...]


Steps = Iterator[Ring]
model = Model("token-ring", RingBounds, domains={Process: "processes"})


@model.initial
def at_rest(bounds: RingBounds) -> Ring:
    """There is no work."""
    return Ring(0, (False,) * bounds.processes)


@model.fault
def get_work(s: Ring, p: Process) -> Steps:
    """Work may come at any time, or never."""
    if not s.work[p]:
        yield s.evolve(work={p: True})


@model.action
def do_work(s: Ring, p: Process) -> Steps:
    """The process with the token does its work, and passes the token on."""
    if s.token == p and s.work[p]:
        yield s.evolve(work={p: False}, token=(p + 1) % len(s.work))


@model.action
def pass_on(s: Ring, p: Process) -> Steps:
    """Without work there is nothing to wait for."""
    if s.token == p and not s.work[p]:
        yield s.evolve(token=(p + 1) % len(s.work))


def do_work_and_keep(s: Ring, p: Process) -> Steps:
    """The token stays."""
    if s.token == p and s.work[p]:
        yield s.evolve(work={p: False})


model.variant("keeps", {do_work: do_work_and_keep})


def has_work(s: Ring, p: Process) -> bool:
    """A process has work."""
    return s.work[p]


def is_done(s: Ring, p: Process) -> bool:
    """Its work is done."""
    return not s.work[p]


model.leads_to(has_work, is_done)


@model.eventually_always
def no_process_has_work(s: Ring, p: Process) -> bool:
    """Not so, as work may come again and again."""
    return not s.work[p]
