"""What the controller's thread can have left to do, and what a new controller does."""

from __future__ import annotations

from attrs import frozen

from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.cells.controller.deletion_tasks import (
    DeletionTask,
    ReadDeletions,
    ResumeDeletions,
)
from replicheck.model.cluster.cells.controller.events import Strategy
from replicheck.model.cluster.cells.controller.isr_tasks import IsrTask, ListIsrChanges
from replicheck.model.cluster.cells.controller.reassignment_tasks import (
    ReadReassignments,
    ReassignmentTask,
)
from replicheck.model.cluster.cells.zookeeper.znodes import LogDirNotification
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, PartitionId, ReplicaId


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
    """Tasks of a broker that was elected, in their order.

    Rules: C-INIT-1.  Source: KafkaController.onControllerFailover.
    """
    return (
        ListNotifications(),
        *((ListIsrChanges(),) if bounds.isr_notifications else ()),
        ReadBrokers(),
        ReadTopics(),
        *(ReadPartitionState(partition) for partition in bounds.partition_ids),
        *((ReadDeletions(),) if bounds.topic_deletions else ()),
        StartReplicaStateMachine(),
        StartPartitionStateMachine(),
        *((ReadReassignments(),) if bounds.reassignments else ()),
        *((ResumeDeletions(),) if bounds.topic_deletions else ()),
    )
