"""What the controller's thread can have left to do to delete topics.

Source: TopicDeletionManager.
"""

from __future__ import annotations

from attrs import frozen

from replicheck.model.cluster.cells.controller.state_machines import ReplicaState
from replicheck.model.vocabulary import PartitionId, ReplicaId


@frozen
class ReadDeletions:
    """A new controller reads which topics are marked for deletion."""


@frozen
class ResumeDeletions:
    """The deletion of every queued topic is to go on; some are halted no more."""

    released: tuple[PartitionId, ...] = ()


@frozen
class OnTopicDeletion:
    """The deletion of the topics of these partitions is to begin, or begin again."""

    partitions: tuple[PartitionId, ...]


@frozen
class StartReplicaDeletion:
    """Replicas are to be deleted; topics that have others which are offline wait."""

    replicas: tuple[ReplicaId, ...]
    halted: tuple[PartitionId, ...]


@frozen
class SettleReplicas:
    """Replicas that were to be deleted are to get a state."""

    replicas: tuple[ReplicaId, ...]
    state: ReplicaState


@frozen
class DeleteTopic:
    """The znode of a topic is to be deleted."""

    partition: PartitionId


@frozen
class DeleteMarker:
    """The marker of a topic for deletion is to be deleted."""

    partition: PartitionId


DeletionTask = (
    ReadDeletions
    | ResumeDeletions
    | OnTopicDeletion
    | StartReplicaDeletion
    | SettleReplicas
    | DeleteTopic
    | DeleteMarker
)
