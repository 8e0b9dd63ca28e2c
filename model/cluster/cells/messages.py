"""Requests of the controller, answers of brokers, and the channels between them."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.cluster.cells.znodes import LeaderAndIsr
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, ControllerEpoch, Epoch


@frozen
class PartitionMetadata:
    """What an UpdateMetadata request says of the partition."""

    leader: BrokerId | None
    epoch: Epoch
    isr: frozenset[BrokerId]
    offline: frozenset[BrokerId]


@frozen
class LeaderAndIsrRequest:
    """Tells a broker who leads, and whether it is to create its replica."""

    controller_epoch: ControllerEpoch
    broker_epoch: BrokerEpoch
    content: LeaderAndIsr
    is_new: bool


@frozen
class StopReplicaRequest:
    """Tells a broker to stop its replica, and to keep what it stores.

    Rules: C-STOP-1.  Source: StopReplicaRequest.
    """

    controller_epoch: ControllerEpoch
    broker_epoch: BrokerEpoch


@frozen
class UpdateMetadataRequest:
    """Tells a broker which brokers live, and what clients may know of the partition."""

    controller_epoch: ControllerEpoch
    broker_epoch: BrokerEpoch
    live: frozenset[BrokerId]
    partition: PartitionMetadata | None


Request = LeaderAndIsrRequest | StopReplicaRequest | UpdateMetadataRequest


class Answer(Enum):
    """How a broker answers a LeaderAndIsr request with one partition."""

    NONE = "NONE"
    STORAGE_ERROR = "KAFKA_STORAGE_ERROR"
    STALE = "STALE_CONTROLLER_EPOCH of the partition"
    REJECTED = "an error of the whole request"


@frozen
class Channel:
    """One controller's requests to one broker, in order; the first is in flight.

    It stays the first until its answer has arrived, so that a lost answer leads to the
    same request again.

    Rules: N-1, N-2.  Source: ControllerChannelManager, RequestSendThread.
    """

    requests: tuple[Request, ...] = ()
    answer: Answer | None = None

    def is_empty(self) -> bool:
        """Tell whether there is nothing to send and nothing to receive."""
        return not self.requests

    def awaits(self, kind: type) -> bool:
        """Tell whether the request in flight is of a kind, and not answered yet."""
        return (
            self.answer is None
            and bool(self.requests)
            and isinstance(self.requests[0], kind)
        )

    def is_answered(self) -> bool:
        """Tell whether an answer is on its way back."""
        return self.answer is not None

    def is_answered_with(self, answer: Answer) -> bool:
        """Tell whether a certain answer is on its way back."""
        return self.answer is answer

    def has_open(self, kind: type) -> bool:
        """Tell whether there is a request of a kind that is not answered yet."""
        unanswered = self.requests if self.answer is None else self.requests[1:]
        return any(isinstance(each, kind) for each in unanswered)

    @property
    def head(self) -> Request:
        """Return the request in flight; there must be one."""
        return self.requests[0]

    def append(self, request: Request) -> Self:
        """Put a request at the end."""
        return evolve(self, requests=(*self.requests, request))

    def reply(self, answer: Answer) -> Self:
        """Put an answer on its way."""
        return evolve(self, answer=answer)

    def lose_answer(self) -> Self:
        """Drop the answer on its way, as the end of the broker does."""
        return evolve(self, answer=None)

    def pop(self) -> Self:
        """Take the first request away, with its answer."""
        return evolve(self, requests=self.requests[1:], answer=None)

    def clear(self) -> Self:
        """Drop everything."""
        return evolve(self, requests=(), answer=None)


@frozen
class LeaderAndIsrEntry:
    """One LeaderAndIsr request of a batch."""

    broker: BrokerId
    content: LeaderAndIsr
    is_new: bool


@frozen
class Batch:
    """What a state machine has collected to send.

    Rules: C-BATCH-2.  Source: AbstractControllerBrokerRequestBatch.
    """

    leader_and_isr: tuple[LeaderAndIsrEntry, ...] = ()
    stop_replica: tuple[BrokerId, ...] = ()
    updates_metadata: bool = False
    metadata: PartitionMetadata | None = None

    def add_leader_and_isr(
        self, brokers: frozenset[BrokerId], content: LeaderAndIsr, is_new: bool
    ) -> Self:
        """Add a request for each broker; it replaces one that is there already."""
        entries = {each.broker: each for each in self.leader_and_isr}
        for broker in sorted(brokers):
            before = entries.get(broker)
            was_new = before is not None and before.is_new
            entries[broker] = LeaderAndIsrEntry(broker, content, is_new or was_new)
        return evolve(self, leader_and_isr=tuple(v for _, v in sorted(entries.items())))

    def add_update_metadata(self, metadata: PartitionMetadata | None) -> Self:
        """Add a request to all brokers; the partition may have nothing to say."""
        return evolve(self, updates_metadata=True, metadata=metadata or self.metadata)

    def add_stop_replica(self, broker: BrokerId) -> Self:
        """Add a request to one broker."""
        stopped = {*self.stop_replica, broker}
        return evolve(self, stop_replica=tuple(sorted(stopped)))

    def clear(self) -> Self:
        """Empty the batch."""
        return type(self)()
