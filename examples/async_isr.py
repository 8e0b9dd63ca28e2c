"""AsyncIsr: a leader asks for ISRs, a controller stores them, messages take time.

After AsyncIsr.tla of github.com/hachikuji/kafka-specification: see docs/from-tla.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from replicheck.modelling import Bounds, Id, Model, State, Value, bound, constant


class Replica(Id):
    """A replica; 0 leads."""


Isr = frozenset[Replica]
LEADER = Replica(0)


class Size(Bounds):
    """How many replicas there are, and the last offset and version."""

    replicas: int = bound(3, at_least=2, fuzz=(2, 3))
    max_offset: int = bound(2, at_least=1, fuzz=(1, 2))
    max_version: int = bound(3, at_least=1, fuzz=(1, 3))


class StoredIsr(Value):
    """An ISR and its version."""

    isr: Isr
    version: int = 0


class System(State):
    """The controller's ISR; the leader's, and whom it asked for since; all messages."""

    controller: StoredIsr
    leader: StoredIsr
    pending: Isr
    offsets: tuple[int, ...]
    size: Size = constant()
    requests: frozenset[StoredIsr] = frozenset()
    updates: frozenset[StoredIsr] = frozenset()

    def high_watermark(self) -> int:
        """What all have that may be in sync."""
        return min(self.offsets[r] for r in self.leader.isr | self.pending)

    def store(self, isr: Isr) -> Iterator[System]:
        """The controller stores an ISR, and tells the leader."""
        if self.controller.version < self.size.max_version:
            update = StoredIsr(isr, self.controller.version + 1)
            yield self.evolve(controller=update, updates=self.updates | {update})


def messages(size: Size) -> Iterator[StoredIsr]:
    """Every message that can be sent; the leader is in every ISR."""
    for count, version in product(range(size.replicas), range(size.max_version + 1)):
        for chosen in combinations(map(Replica, range(1, size.replicas)), count):
            yield StoredIsr(Isr({LEADER, *chosen}), version)


model = Model("async-isr", Size, {Replica: "replicas", StoredIsr: messages})


@model.initial
def in_sync(size: Size) -> System:
    """All are in sync, and nothing was sent."""
    all_isr = StoredIsr(Isr(map(Replica, range(size.replicas))))
    return System(all_isr, all_isr, Isr(), (0,) * size.replicas, size)


@model.action
def controller_shrink_isr(s: System, replica: Replica) -> Iterator[System]:
    """The controller takes a follower out, such as one that died."""
    if replica != LEADER and replica in s.controller.isr:
        yield from s.store(s.controller.isr - {replica})


@model.action
def controller_handle_request(s: System, request: StoredIsr) -> Iterator[System]:
    """The controller stores what the leader asked for, if it knows the version."""
    if request in s.requests and request.version == s.controller.version:
        yield from s.store(request.isr)


@model.action
def leader_request_isr(s: System, replica: Replica) -> Iterator[System]:
    """The leader asks for an ISR without a follower, or with one that caught up."""
    is_in = replica in s.leader.isr
    if replica != LEADER and (is_in or s.offsets[replica] >= s.high_watermark()):
        isr = s.leader.isr ^ {replica}
        request = StoredIsr(isr, s.leader.version)
        yield s.evolve(pending=s.pending | isr, requests=s.requests | {request})


@model.action
def leader_handle_update(s: System, update: StoredIsr) -> Iterator[System]:
    """The leader takes over what is stored, and reckons with nothing else."""
    if update in s.updates and update.version > s.leader.version:
        yield s.evolve(leader=update, pending=Isr())


@model.action
def append(s: System, replica: Replica) -> Iterator[System]:
    """The leader writes a record, or a follower replicates the next one."""
    end = s.size.max_offset if replica == LEADER else s.offsets[LEADER]
    if s.offsets[replica] < end:
        yield s.evolve(offsets={replica: s.offsets[replica] + 1})


@model.always
def valid_high_watermark(s: System, replica: Replica) -> bool:
    """Who is in the stored ISR has every committed record."""
    has_all = s.offsets[replica] >= s.high_watermark()
    return has_all or replica not in s.controller.isr
