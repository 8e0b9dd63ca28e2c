"""The controller's event queue, and what is left to do of the event being handled.

Kafka handles an event in one go, with blocking calls to ZooKeeper in it. Here what is
left of it is a list of tasks, each of which makes at most one such call; so whatever
happens elsewhere can happen between two calls.
"""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.cells.deletion_tasks import (
    DeletionTask,
    ReadDeletions,
    ResumeDeletions,
)
from replicheck.model.cluster.cells.isr_tasks import (
    IsrChangeNotification,
    IsrTask,
    ListIsrChanges,
)
from replicheck.model.cluster.cells.messages import Answer, Answers
from replicheck.model.cluster.cells.reassignment_tasks import (
    ReadReassignments,
    ReassignmentTask,
)
from replicheck.model.cluster.cells.znodes import LeaderAndIsr, LogDirNotification
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    PartitionId,
    ReplicaId,
)


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


@frozen
class LeaderAndIsrResponseReceived:
    """A broker answered a LeaderAndIsr request."""

    broker: BrokerId
    answers: Answers


@frozen
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
    REASSIGN = "the leader is none of those that remain"


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
            isinstance(each, LeaderAndIsrResponseReceived)
            and each.broker == broker
            and (partition, Answer.STORAGE_ERROR) in each.answers
            for each in self.events
        )

    @property
    def head(self) -> Event:
        """Return the first event; there must be one."""
        return self.events[0]

    def append(self, event: Event) -> Self:
        """Put an event at the end."""
        return evolve(self, events=(*self.events, event))

    def pop(self) -> Self:
        """Take the first event away."""
        return evolve(self, events=self.events[1:])

    def become(self, event: Event) -> Self:
        """Replace the first event, whose handling goes on as another's."""
        return evolve(self, events=(event, *self.events[1:]))

    def clear(self) -> Self:
        """Drop all events."""
        return evolve(self, events=())


@frozen
class ListNotifications:
    """A new controller lists the log directory notifications, which it is to delete."""


@frozen
class ReadBrokers:
    """A new controller reads the live brokers."""


@frozen
class ReadTopics:
    """A new controller reads the topics."""


@frozen
class ReadPartitionState:
    """A new controller reads leader and ISR of a partition."""

    partition: PartitionId


@frozen
class StartReplicaStateMachine:
    """A new controller gives each replica its state."""


@frozen
class StartPartitionStateMachine:
    """A new controller gives each partition its state."""


@frozen
class OnBrokerStartup:
    """Brokers came, with these epochs."""

    brokers: tuple[tuple[BrokerId, BrokerEpoch], ...]


@frozen
class OnBrokerFailure:
    """Brokers went."""

    brokers: frozenset[BrokerId]


@frozen
class InitializePartition:
    """A partition's first leader and ISR are to be stored.

    With the last partition of several the requests for all of them go out.
    """

    partition: PartitionId
    is_last: bool


@frozen
class ReadForElection:
    """Leader and ISR of a partition are to be read, to elect.

    With the last partition of several the requests for all of them go out.
    """

    partition: PartitionId
    is_last: bool
    strategy: Strategy = Strategy.OFFLINE


@frozen
class WriteElection:
    """The result of an election is to be written over the version that was read."""

    reading: ReadForElection
    content: LeaderAndIsr
    told: tuple[BrokerId, ...]


@frozen
class ReadForIsrRemoval:
    """Leader and ISR are to be read, to take the first of these replicas out."""

    replicas: tuple[ReplicaId, ...]


@frozen
class WriteIsrRemoval:
    """The ISR without the first of these replicas is to be written."""

    replicas: tuple[ReplicaId, ...]
    content: LeaderAndIsr


@frozen
class StopReplicas:
    """The brokers of these replicas are to be told to stop them."""

    replicas: tuple[ReplicaId, ...]


@frozen
class AnnounceBrokers:
    """The live brokers are to be told to all of them."""


@frozen
class DeleteNotifications:
    """The log directory notifications that were listed are to be deleted."""

    nodes: frozenset[LogDirNotification]


Task = (
    ListNotifications
    | ReadBrokers
    | ReadTopics
    | ReadPartitionState
    | StartReplicaStateMachine
    | StartPartitionStateMachine
    | OnBrokerStartup
    | OnBrokerFailure
    | InitializePartition
    | ReadForElection
    | WriteElection
    | ReadForIsrRemoval
    | WriteIsrRemoval
    | StopReplicas
    | AnnounceBrokers
    | DeleteNotifications
    | DeletionTask
    | ReassignmentTask
    | IsrTask
)


def failover(bounds: Bounds) -> tuple[Task, ...]:
    """Return what a broker does that was elected, in this order.

    Rules: C-INIT-1.  Source: KafkaController.onControllerFailover.
    """
    return (
        ListNotifications(),
        *((ListIsrChanges(),) if bounds.isr_notifications else ()),
        ReadBrokers(),
        ReadTopics(),
        *(ReadPartitionState(each) for each in bounds.partition_ids),
        *((ReadDeletions(),) if bounds.topic_deletions else ()),
        StartReplicaStateMachine(),
        StartPartitionStateMachine(),
        *((ReadReassignments(),) if bounds.reassignments else ()),
        *((ResumeDeletions(),) if bounds.topic_deletions else ()),
    )


WITHOUT_ZOOKEEPER: frozenset[type] = frozenset(
    {
        LeaderAndIsrResponseReceived,
        ReplicaLeaderElection,
        ControlledShutdown,
        StartReplicaStateMachine,
        StartPartitionStateMachine,
        OnBrokerStartup,
        OnBrokerFailure,
        StopReplicas,
        AnnounceBrokers,
    }
)
"""The events and tasks that ask nothing of ZooKeeper in the step that they are."""


@frozen
class Thread:
    """The one thread that handles events: what is left to do of the current one.

    While the broker has no session, the thread is cut off: a task or an event that asks
    ZooKeeper waits, and only what needs memory and channels alone goes on.

    Rules: C-Q-1, N-7.  Source: ControllerEventManager.ControllerEventThread;
    ZooKeeperClient.waitUntilConnected.
    """

    tasks: tuple[Task, ...] = ()
    is_cut_off: bool = False

    def is_idle(self) -> bool:
        """Tell whether no event is being handled."""
        return not self.tasks

    def may_take(self, kind: type) -> bool:
        """Tell whether the thread can take an event of a kind."""
        return self.is_idle() and (not self.is_cut_off or kind in WITHOUT_ZOOKEEPER)

    def is_at(self, kind: type) -> bool:
        """Tell whether the next task is of a kind, and can be done."""
        if not self.tasks or not isinstance(self.tasks[0], kind):
            return False
        return not self.is_cut_off or kind in WITHOUT_ZOOKEEPER

    def has(self, kind: type) -> bool:
        """Tell whether a task of a kind is left."""
        return any(isinstance(each, kind) for each in self.tasks)

    @property
    def task(self) -> Task:
        """Return the next task; there must be one."""
        return self.tasks[0]

    def begin(self, tasks: tuple[Task, ...]) -> Self:
        """Put tasks at the end; an event begins with them."""
        return evolve(self, tasks=self.tasks + tasks)

    def finish(self, then: tuple[Task, ...]) -> Self:
        """Replace the next task by what follows from it."""
        return evolve(self, tasks=then + self.tasks[1:])

    def clear(self) -> Self:
        """Drop everything, as a controller does that resigns."""
        return type(self)()

    def lose_session(self) -> Self:
        """Get no more answers from ZooKeeper."""
        return evolve(self, is_cut_off=True)
