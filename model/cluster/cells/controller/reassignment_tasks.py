"""What the controller's thread can have left to do to reassign partitions.

Source: KafkaController.onPartitionReassignment.
"""

from __future__ import annotations

from attrs import frozen

from replicheck.model.cluster.cells.zookeeper.topics import Assignment
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, PartitionId, ReplicaId


@frozen
class ReadReassignments:
    """A new controller reads which reassignments there are."""


@frozen
class Reassign:
    """A partition's reassignment is to begin, or to go on."""

    partition: PartitionId
    assignment: Assignment


@frozen
class CheckReassignment:
    """It is to be read whether all target replicas of a partition are in sync."""

    partition: PartitionId


@frozen
class ReadForEpoch:
    """Leader and ISR are to be read, to write them again in a new epoch."""

    partition: PartitionId
    told: tuple[BrokerId, ...]


@frozen
class WriteEpoch:
    """A new epoch is to be written over the version that was read."""

    reading: ReadForEpoch
    content: LeaderAndIsr


@frozen
class StartNewReplicas:
    """The brokers that are added are to be told to create their replicas."""

    partition: PartitionId


@frozen
class RemoveReplicas:
    """Replicas are to be deleted and forgotten, for any answer."""

    replicas: tuple[ReplicaId, ...]


@frozen
class WriteAssignment:
    """The assignment that remains is to be written."""

    partition: PartitionId


@frozen
class DropRequest:
    """A request that is not to be met is to be deleted."""

    partition: PartitionId


@frozen
class FinishReassignment:
    """A request that was met is to be deleted."""

    partition: PartitionId


ReassignmentTask = (
    ReadReassignments
    | Reassign
    | CheckReassignment
    | ReadForEpoch
    | WriteEpoch
    | StartNewReplicas
    | RemoveReplicas
    | WriteAssignment
    | DropRequest
    | FinishReassignment
)
