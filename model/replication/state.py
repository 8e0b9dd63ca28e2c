"""What the abstract partition consists of: the state and the values of its cells."""

from __future__ import annotations

from typing import Self

from attrs import evolve, field, frozen

from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.rules import Replacements
from replicheck.model.shared.records import Log
from replicheck.model.state_base import Cells
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, RecordId, is_newer


@frozen
class QuorumState:
    """The partition's leader, its epoch, and the ISR: stored, and sent to replicas."""

    leader: BrokerId | None
    epoch: Epoch | None
    isr: frozenset[BrokerId]

    def is_led_by(self, leader: BrokerId) -> bool:
        """Tell whether a broker leads."""
        return self.leader == leader

    def is_in(self, leader: BrokerId, epoch: Epoch | None) -> bool:
        """Tell whether a broker leads in an epoch."""
        return self.leader == leader and self.epoch == epoch

    def counts_in_sync(self, broker: BrokerId) -> bool:
        """Tell whether a broker is in the ISR."""
        return broker in self.isr

    def is_within(
        self, brokers: tuple[BrokerId, ...], epochs: tuple[Epoch, ...]
    ) -> bool:
        """Tell whether it names only these brokers, and one of these epochs."""
        return (
            (self.leader is None or self.leader in brokers)
            and (self.epoch is None or self.epoch in epochs)
            and self.isr <= frozenset(brokers)
        )

    def with_isr(self, isr: frozenset[BrokerId]) -> Self:
        """Set the ISR."""
        return evolve(self, isr=isr)


@frozen
class Requests:
    """Every LeaderAndIsr request that the controller ever sent.

    A request stays, so that loss, delay and repetition are all "not received yet" or
    "received again". At most one request has each epoch.
    """

    sent: frozenset[QuorumState] = frozenset()

    def from_leader(self, leader: BrokerId, newer: Epoch | None) -> tuple[Epoch, ...]:
        """The epochs newer than the given one in which a broker leads."""
        epochs = [
            request.epoch
            for request in self.sent
            if request.leader == leader and request.epoch is not None
        ]
        return tuple(sorted(epoch for epoch in epochs if is_newer(epoch, newer)))

    def has(self, leader: BrokerId, epoch: Epoch) -> bool:
        """Tell whether there is a request by which a broker leads in an epoch."""
        return any(request.is_in(leader, epoch) for request in self.sent)

    def isr_in(self, epoch: Epoch) -> frozenset[BrokerId]:
        """The ISR that the request with this epoch carries."""
        return next(request.isr for request in self.sent if request.epoch == epoch)

    def are_within(
        self, brokers: tuple[BrokerId, ...], epochs: tuple[Epoch, ...]
    ) -> bool:
        """Tell whether all name only these brokers and epochs."""
        return all(request.is_within(brokers, epochs) for request in self.sent)

    def send(self, request: QuorumState) -> Self:
        """Add a request."""
        return evolve(self, sent=self.sent | {request})


@frozen
class AbstractReplica:
    """What a broker believes of the partition, and how far it knows it is committed.

    ``high_watermark`` is exclusive: the offsets below it are committed.
    """

    high_watermark: Offset = Offset(0)
    epoch: Epoch | None = None
    leader: BrokerId | None = None
    isr: frozenset[BrokerId] = frozenset()

    def is_led_by(self, leader: BrokerId) -> bool:
        """Tell whether a broker leads, as far as the replica knows."""
        return self.leader == leader

    def is_in(self, leader: BrokerId, epoch: Epoch | None) -> bool:
        """Tell whether a broker leads in an epoch, as far as the replica knows."""
        return self.leader == leader and self.epoch == epoch

    def has_committed(self) -> bool:
        """Tell whether the replica knows of a committed record."""
        return self.high_watermark > 0

    def has_high_watermark(self, offset: Offset) -> bool:
        """Tell whether the high watermark is at an offset."""
        return self.high_watermark == offset

    def is_behind(self, epoch: Epoch) -> bool:
        """Tell whether the replica has not seen an epoch yet."""
        return is_newer(epoch, self.epoch)

    def counts_in_sync(self, broker: BrokerId) -> bool:
        """Tell whether a broker is in the ISR, as far as the replica knows."""
        return broker in self.isr

    def obey(self, request: QuorumState) -> Self:
        """Take over leader, epoch and ISR from a request."""
        return evolve(self, leader=request.leader, epoch=request.epoch, isr=request.isr)

    def with_high_watermark(self, offset: Offset) -> Self:
        """Set the high watermark."""
        return evolve(self, high_watermark=offset)

    def cap_high_watermark(self, offset: Offset) -> Self:
        """Lower the high watermark to an offset, if it is above."""
        return evolve(self, high_watermark=min(self.high_watermark, offset))

    def with_isr(self, isr: frozenset[BrokerId]) -> Self:
        """Set the ISR."""
        return evolve(self, isr=isr)


@frozen
class AbstractCluster(Cells):
    """The whole state. ``logs`` and ``replicas`` have one cell for each broker."""

    bounds: ReplicationBounds = field(eq=False)
    logs: tuple[Log, ...]
    replicas: tuple[AbstractReplica, ...]
    partition_state: QuorumState
    requests: Requests = Requests()
    next_leader_epoch: Epoch = Epoch(0)
    next_record: RecordId = RecordId(0)
    replacements: Replacements = field(default=(), eq=False)

    def presumes_leadership(self, broker: BrokerId) -> bool:
        """Tell whether a broker believes that it leads."""
        return self.replicas[broker].is_led_by(broker)

    def is_following(self, leader: BrokerId, follower: BrokerId) -> bool:
        """Tell whether a broker believes that another broker leads, in any epoch."""
        return self.replicas[follower].is_led_by(leader)

    def is_following_epoch(self, leader: BrokerId, follower: BrokerId) -> bool:
        """Tell whether a broker follows another, which leads, in the same epoch."""
        if not self.is_following(leader, follower):
            return False
        if not self.presumes_leadership(leader):
            return False
        return self.replicas[follower].is_in(leader, self.replicas[leader].epoch)

    def is_true_leader(self, broker: BrokerId) -> bool:
        """Tell whether a broker leads in the epoch that is stored."""
        if not self.partition_state.is_led_by(broker):
            return False
        if not self.presumes_leadership(broker):
            return False
        return self.partition_state.is_in(broker, self.replicas[broker].epoch)


def initial_cluster(bounds: ReplicationBounds) -> AbstractCluster:
    """The cluster with empty logs, no leader, and every replica in the ISR."""
    return AbstractCluster(
        bounds=bounds,
        logs=tuple(Log() for _ in bounds.broker_ids),
        replicas=tuple(AbstractReplica() for _ in bounds.broker_ids),
        partition_state=QuorumState(None, None, frozenset(bounds.broker_ids)),
    )
