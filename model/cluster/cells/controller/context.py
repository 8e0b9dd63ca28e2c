"""What the active controller remembers, and how that changes."""

from __future__ import annotations

from typing import Any, Self

from attrs import evolve, frozen

from replicheck.model.cluster.cells.controller.context_queries import ContextQueries
from replicheck.model.cluster.cells.controller.partition_context import PartitionContext
from replicheck.model.cluster.cells.controller.state_machines import (
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.zookeeper.topics import Assignment
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    PartitionId,
    ReplicaId,
)


@frozen
class ControllerContext(ContextQueries):
    """The memory of one broker's controller, with what changes in it.

    Source: ControllerContext.
    """

    def start(self, epoch: ControllerEpoch) -> Self:
        """Become active in a controller epoch."""
        return evolve(self, epoch=epoch)

    def reset(self) -> Self:
        """Forget everything, as a controller does that resigns."""
        unknown = PartitionContext((ReplicaState.NON_EXISTENT,) * len(self.live))
        return type(self)(
            live=(None,) * len(self.live), partitions=(unknown,) * len(self.partitions)
        )

    def set_live_brokers(self, epochs: tuple[BrokerEpoch | None, ...]) -> Self:
        """Know who is live, as a controller does that has forgotten everything."""
        return evolve(self, live=epochs)

    def add_brokers(self, brokers: tuple[tuple[BrokerId, BrokerEpoch], ...]) -> Self:
        """Add live brokers."""
        added = dict(brokers)
        live = tuple(added.get(broker, self.live[broker]) for broker in self.broker_ids)
        return evolve(self, live=live)

    def remove_brokers(self, brokers: frozenset[BrokerId]) -> Self:
        """Remove brokers."""
        live = tuple(
            None if broker in brokers else self.live[broker]
            for broker in self.broker_ids
        )
        left = self.shutting_down - brokers
        return evolve(self, live=live, shutting_down=left)

    def shut_down(self, broker: BrokerId) -> Self:
        """Remember that a broker is about to stop."""
        return evolve(self, shutting_down=self.shutting_down | {broker})

    def forget_directories(self, brokers: frozenset[BrokerId]) -> Self:
        """Forget which replicas of brokers are on offline directories."""
        partitions = tuple(
            evolve(partition, on_offline_dirs=partition.on_offline_dirs - brokers)
            for partition in self.partitions
        )
        return evolve(self, partitions=partitions)

    def load_topic(
        self, partition: PartitionId, assignment: tuple[BrokerId, ...]
    ) -> Self:
        """Take over the assignment of a partition."""
        return self.assign(partition, Assignment(assignment))

    def assign(self, partition: PartitionId, assignment: Assignment) -> Self:
        """Take over which replicas there are to be.

        Rules: Z-ASG-1.  Source: ControllerContext.updatePartitionFullReplicaAssignment.
        """
        return self._with(partition, full_assignment=assignment)

    def retarget(self, partition: PartitionId) -> Self:
        """Take the replicas that remain for all that there are."""
        target = self.full_assignment_of(partition).target
        return self.assign(partition, Assignment(target))

    def begin_reassignment(self, partition: PartitionId) -> Self:
        """Remember that a partition is being reassigned."""
        return self._with(partition, is_being_reassigned=True)

    def end_reassignment(self, partition: PartitionId) -> Self:
        """Remember that a partition is not being reassigned any more."""
        return self._with(partition, is_being_reassigned=False)

    def with_info(self, partition: PartitionId, info: LeaderAndIsr | None) -> Self:
        """Cache leader and ISR."""
        return self._with(partition, info=info)

    def with_partition(self, partition: PartitionId, state: PartitionState) -> Self:
        """Set the state of a partition."""
        return self._with(partition, state=state)

    def with_replica(
        self, broker: BrokerId, partition: PartitionId, state: ReplicaState
    ) -> Self:
        """Set the state of a replica."""
        known = self.partitions[partition].replicas
        replicas = (*known[:broker], state, *known[broker + 1 :])
        return self._with(partition, replicas=replicas)

    def move(self, replicas: tuple[ReplicaId, ...], state: ReplicaState) -> Self:
        """Set the state of those replicas that may enter it.

        Rules: C-RSM-0.  Source: ZkReplicaStateMachine.doHandleStateChanges.
        """
        context = self
        for replica in replicas:
            if context.may_become(*replica, state):
                context = context.with_replica(*replica, state)
        return context

    def queue_for_deletion(self, partition: PartitionId) -> Self:
        """Remember that a topic is to be deleted."""
        return self._with(partition, is_queued_for_deletion=True)

    def halt_deletion(self, partition: PartitionId) -> Self:
        """Let the deletion of a topic wait, if it is queued.

        Rules: C-DEL-1, C-DEL-5.
        Source: TopicDeletionManager.markTopicIneligibleForDeletion.
        """
        if not self.is_queued(partition):
            return self
        return self._with(partition, deletion_is_halted=True)

    def release_deletion(self, partition: PartitionId) -> Self:
        """Let the deletion of a topic wait no more.

        Rules: C-DEL-7.  Source: TopicDeletionManager.resumeDeletionForTopics.
        """
        return self._with(partition, deletion_is_halted=False)

    def begin_deletion(self, partition: PartitionId) -> Self:
        """Remember that the deletion of a topic has begun."""
        return self._with(partition, deletion_has_begun=True)

    def remove_topic(self, partition: PartitionId) -> Self:
        """Forget a topic, but not which of its replicas are on offline directories.

        Nor that it is being reassigned.

        Rules: C-CTX-2, X-4.
        Source: ControllerContext.removeTopic, ControllerContext.clearTopicsState.
        """
        known = self.partitions[partition].on_offline_dirs
        states = (ReplicaState.NON_EXISTENT,) * len(self.live)
        is_reassigned = self.partitions[partition].is_being_reassigned
        left = PartitionContext(
            states, on_offline_dirs=known, is_being_reassigned=is_reassigned
        )
        before, after = self.partitions[:partition], self.partitions[partition + 1 :]
        return evolve(self, partitions=(*before, left, *after))

    def mark_offline(self, broker: BrokerId, partition: PartitionId) -> Self:
        """Remember that a broker's replica is on an offline directory."""
        known = self.partitions[partition].on_offline_dirs
        return self._with(partition, on_offline_dirs=known | {broker})

    def mark_online(self, broker: BrokerId, partition: PartitionId) -> Self:
        """Forget that a broker's replica is on an offline directory."""
        known = self.partitions[partition].on_offline_dirs
        return self._with(partition, on_offline_dirs=known - {broker})

    def _with(self, partition: PartitionId, **changes: Any) -> Self:
        changed = evolve(self.partitions[partition], **changes)
        before, after = self.partitions[:partition], self.partitions[partition + 1 :]
        return evolve(self, partitions=(*before, changed, *after))
