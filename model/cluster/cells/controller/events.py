"""What the controller's thread is told of, in the order of its arrival.

Source: ControllerEvent, ControllerEventManager.
"""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.cluster.cells.channels import Answer, Answers
from replicheck.model.cluster.cells.controller.isr_tasks import IsrChangeNotification
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, PartitionId


@frozen
class Reelect:
    """The broker started, or ``/controller`` was deleted."""


@frozen
class RegisterBrokerAndReelect:
    """The broker has a new session, in which it is not registered yet."""


@frozen
class BrokerChange:
    """A child of ``/brokers/ids`` came or went."""


@frozen
class TopicChange:
    """A child of ``/brokers/topics`` came or went."""


@frozen
class LogDirEventNotification:
    """A child of ``/log_dir_event_notification`` came or went."""


@frozen(cache_hash=True)
class LeaderAndIsrResponseReceived:
    """A broker answered a LeaderAndIsr request."""

    broker: BrokerId
    answers: Answers


@frozen(cache_hash=True)
class StopReplicaResponseReceived:
    """A broker answered a StopReplica request that deletes.

    Source: KafkaController.TopicDeletionStopReplicaResponseReceived.
    """

    broker: BrokerId
    answers: Answers


@frozen
class TopicDeletion:
    """A child of ``/admin/delete_topics`` came or went."""


@frozen
class ZkPartitionReassignment:
    """``/admin/reassign_partitions`` was created, changed or deleted."""


@frozen
class AlterPartitionReassignment:
    """An administrator asks to go back to the replicas that a partition had."""

    partition: PartitionId


@frozen
class PartitionReassignmentIsrChange:
    """The state of a partition that is being reassigned changed."""

    partition: PartitionId


class Strategy(Enum):
    """Why a leader is elected, which says who may be.

    Source: PartitionLeaderElectionStrategy.
    """

    OFFLINE = "the leader is offline"
    UNCLEAN = "the leader is offline, and a replica out of sync may lead"
    PREFERRED = "another than the preferred replica leads"
    CONTROLLED_SHUTDOWN = "the leader shuts down"
    REASSIGN = "the leader is none of the replicas that remain"


@frozen
class ReplicaLeaderElection:
    """An administrator asks for an election."""

    partition: PartitionId
    strategy: Strategy


@frozen
class ControlledShutdown:
    """A broker, registered in an epoch, is about to stop."""

    broker: BrokerId
    epoch: BrokerEpoch


@frozen
class LateShutdowns:
    """Requests to shut down that wait in a broker's queue of requests.

    Source: RequestChannel.
    """

    SEQUENCE = "requests"
    AT_END = frozenset({"append"})
    AT_HEAD = frozenset({"head", "is_empty", "pop"})

    requests: tuple[ControlledShutdown, ...] = ()

    def is_empty(self) -> bool:
        """Tell whether there is no such request."""
        return not self.requests

    @property
    def head(self) -> ControlledShutdown:
        """The first request; there must be one."""
        return self.requests[0]

    def append(self, request: ControlledShutdown) -> Self:
        """Put a request at the end."""
        return evolve(self, requests=(*self.requests, request))

    def pop(self) -> Self:
        """Take the first request away."""
        return evolve(self, requests=self.requests[1:])

    def clear(self) -> Self:
        """Drop everything, as the end of the process does."""
        return type(self)()


Event = (
    Reelect
    | RegisterBrokerAndReelect
    | BrokerChange
    | TopicChange
    | LogDirEventNotification
    | LeaderAndIsrResponseReceived
    | ReplicaLeaderElection
    | ControlledShutdown
    | TopicDeletion
    | StopReplicaResponseReceived
    | ZkPartitionReassignment
    | AlterPartitionReassignment
    | PartitionReassignmentIsrChange
    | IsrChangeNotification
)


@frozen
class EventQueue:
    """The events of one broker's controller, in the order of their arrival.

    Rules: C-Q-2.  Source: ControllerEventManager.
    """

    SEQUENCE = "events"
    AT_END = frozenset({"append"})
    AT_HEAD = frozenset({"become", "head", "head_is", "is_empty", "pop"})

    events: tuple[Event, ...] = ()

    def is_empty(self) -> bool:
        """Tell whether no event waits."""
        return not self.events

    def head_is(self, kind: type) -> bool:
        """Tell whether the first event is of a kind."""
        return bool(self.events) and isinstance(self.events[0], kind)

    def has(self, event: Event) -> bool:
        """Tell whether an event waits."""
        return event in self.events

    def tells_of_storage_error(self, broker: BrokerId, partition: PartitionId) -> bool:
        """Tell whether an answer waits that a replica is on an offline directory."""
        return any(
            isinstance(event, LeaderAndIsrResponseReceived)
            and event.broker == broker
            and (partition, Answer.STORAGE_ERROR) in event.answers
            for event in self.events
        )

    @property
    def head(self) -> Event:
        """The first event; there must be one."""
        return self.events[0]

    def append(self, event: Event) -> Self:
        """Put an event at the end."""
        return evolve(self, events=(*self.events, event))

    def drop_answers(self, brokers: frozenset[BrokerId]) -> Self:
        """Take the answers of brokers away, wherever they are."""
        answers = (LeaderAndIsrResponseReceived, StopReplicaResponseReceived)
        kept = tuple(
            event
            for event in self.events
            if not (isinstance(event, answers) and event.broker in brokers)
        )
        return evolve(self, events=kept)

    def pop(self) -> Self:
        """Take the first event away."""
        return evolve(self, events=self.events[1:])

    def become(self, event: Event) -> Self:
        """Replace the first event, whose handling goes on as another's."""
        return evolve(self, events=(event, *self.events[1:]))

    def clear(self) -> Self:
        """Drop all events."""
        return evolve(self, events=())
