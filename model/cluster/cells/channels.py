"""Requests of the controller, answers of brokers, and the channels between them."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    Epoch,
    PartitionId,
)

LEADER_DURING_DELETE = BrokerId(-2)
"""The leader of a partition whose topic is being deleted (Z-STATE-3)."""


@frozen
class PartitionMetadata:
    """What an UpdateMetadata request says of a partition."""

    leader: BrokerId | None
    epoch: Epoch
    isr: frozenset[BrokerId]
    offline: frozenset[BrokerId]

    def during_delete(self) -> Self:
        """Say that the topic is being deleted; ISR and offline replicas stay.

        Rules: Z-STATE-3, C-UMR-1.  Source: LeaderAndIsr.duringDelete.
        """
        return evolve(self, leader=LEADER_DURING_DELETE, epoch=Epoch(0))

    def is_during_delete(self) -> bool:
        """Tell whether the topic is being deleted."""
        return self.leader == LEADER_DURING_DELETE


@frozen
class PartitionToLead:
    """What a LeaderAndIsr request says of one partition.

    ``unassigned_isr`` are the members of the ISR that are not among the replicas.
    """

    partition: PartitionId
    content: LeaderAndIsr
    is_new: bool = False
    unassigned_isr: frozenset[BrokerId] = frozenset()

    def among(self, replicas: tuple[BrokerId, ...]) -> PartitionToLead:
        """The entry for a partition that has these replicas."""
        return evolve(self, unassigned_isr=self.content.isr - set(replicas))


def to_create(partition: PartitionId, content: LeaderAndIsr) -> PartitionToLead:
    """The same as `PartitionToLead`, for a broker that is to have it newly.

    Rules: C-NEW-1.
    Source: AbstractControllerBrokerRequestBatch.addLeaderAndIsrRequestForBrokers.
    """
    return PartitionToLead(partition, content, is_new=True)


Ask = Callable[[PartitionId, LeaderAndIsr], PartitionToLead]
"""How a broker is asked about a partition: `PartitionToLead`, or `to_create`."""


@frozen
class LeaderAndIsrRequest:
    """Tells a broker who leads, and whether it is to create its replicas."""

    controller_epoch: ControllerEpoch
    broker_epoch: BrokerEpoch
    partitions: tuple[PartitionToLead, ...]


@frozen
class StopReplicaRequest:
    """Tells a broker to stop its replicas, and to keep or delete what they store.

    Rules: C-STOP-1.  Source: StopReplicaRequest.
    """

    controller_epoch: ControllerEpoch
    broker_epoch: BrokerEpoch
    partitions: tuple[PartitionId, ...]
    deletes: bool = False


@frozen
class UpdateMetadataRequest:
    """Tells a broker which brokers live, and what clients may know of each partition.

    Of a partition for which there is None nothing is said.
    """

    controller_epoch: ControllerEpoch
    broker_epoch: BrokerEpoch
    live: frozenset[BrokerId]
    partitions: tuple[PartitionMetadata | None, ...]


Request = LeaderAndIsrRequest | StopReplicaRequest | UpdateMetadataRequest


class Answer(Enum):
    """How a broker answers what a LeaderAndIsr request says of a partition."""

    NONE = "NONE"
    STORAGE_ERROR = "KAFKA_STORAGE_ERROR"
    STALE = "STALE_CONTROLLER_EPOCH of the partition"
    REJECTED = "an error of the whole request"


Answers = tuple[tuple[PartitionId, Answer], ...]
"""For each partition of a request the answer."""


@frozen
class Channel:
    """One controller's requests to one broker, in order; the first is in flight.

    It stays the first until its answer has arrived, so that a lost answer leads to the
    same request again.

    Rules: N-1, N-2.  Source: ControllerChannelManager, RequestSendThread.
    """

    SEQUENCE = "requests"
    AT_END = frozenset({"append"})
    AT_HEAD = frozenset(
        {"awaits", "head", "is_answered", "is_answered_with", "is_empty"}
        | {"is_deleting", "lose_answer", "pop", "reply"}
    )
    TRUE_OF_OPERATIONS = frozenset({"keeps_order_in"})

    requests: tuple[Request, ...] = ()
    answers: Answers | None = None

    def is_empty(self) -> bool:
        """Tell whether there is nothing to send and nothing to receive."""
        return not self.requests

    def awaits(self, kind: type) -> bool:
        """Tell whether the request in flight is of a kind, and not answered yet."""
        return (
            self.answers is None
            and bool(self.requests)
            and isinstance(self.requests[0], kind)
        )

    def is_answered(self) -> bool:
        """Tell whether an answer is on its way back."""
        return self.answers is not None

    def is_answered_with(self, partition: PartitionId, answer: Answer) -> bool:
        """Tell whether a certain answer for a partition is on its way back."""
        return self.answers is not None and (partition, answer) in self.answers

    def asks_about(self, partition: PartitionId) -> bool:
        """Tell whether there is a LeaderAndIsr request that is not answered yet."""
        unanswered = self.requests if self.answers is None else self.requests[1:]
        return any(
            asked.partition == partition
            for request in unanswered
            if isinstance(request, LeaderAndIsrRequest)
            for asked in request.partitions
        )

    def is_deleting(self) -> bool:
        """Tell whether the request in flight is to delete replicas."""
        head = self.requests[0]
        return isinstance(head, StopReplicaRequest) and head.deletes

    def keeps_order_in(self, later: Channel) -> bool:
        """Tell whether requests only left from the front, or joined at the end.

        One at a time leaves, or all do.
        """
        old, new = self.requests, later.requests
        if not old or not new:
            return True
        return new[: len(old)] == old or new[: len(old) - 1] == old[1:]

    @property
    def head(self) -> Request:
        """The request in flight; there must be one."""
        return self.requests[0]

    def append(self, request: Request) -> Self:
        """Put a request at the end."""
        return evolve(self, requests=(*self.requests, request))

    def reply(self, answers: Answers) -> Self:
        """Put an answer on its way."""
        return evolve(self, answers=answers)

    def lose_answer(self) -> Self:
        """Drop the answer on its way, as the end of the broker does."""
        return evolve(self, answers=None)

    def pop(self) -> Self:
        """Take the first request away, with its answer."""
        return evolve(self, requests=self.requests[1:], answers=None)

    def clear(self) -> Self:
        """Drop everything."""
        return evolve(self, requests=(), answers=None)


@frozen
class DuplicateRequests:
    """Requests in a broker's queue that it was sent once more since.

    Rules: N-4.  Source: RequestChannel.
    """

    SEQUENCE = "requests"
    AT_END = frozenset({"append"})
    AT_HEAD = frozenset({"head", "is_empty", "pop"})

    requests: tuple[Request, ...] = ()

    def is_empty(self) -> bool:
        """Tell whether there is no such request."""
        return not self.requests

    @property
    def head(self) -> Request:
        """The first request; there must be one."""
        return self.requests[0]

    def append(self, request: Request) -> Self:
        """Put a request at the end."""
        return evolve(self, requests=(*self.requests, request))

    def pop(self) -> Self:
        """Take the first request away."""
        return evolve(self, requests=self.requests[1:])

    def clear(self) -> Self:
        """Drop everything, as the end of the process does."""
        return type(self)()
