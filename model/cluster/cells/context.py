"""What the active controller remembers."""

from __future__ import annotations

from enum import Enum
from typing import Any, Self

from attrs import evolve, frozen

from replicheck.model.cluster.cells.messages import DELETED, PartitionMetadata
from replicheck.model.cluster.cells.znodes import UNASSIGNED, Assignment, LeaderAndIsr
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    PartitionId,
    ReplicaId,
)


class ReplicaState(Enum):
    """The states of a replica in the controller's state machine.

    Source: ReplicaStateMachine.
    """

    NON_EXISTENT = "NonExistentReplica"
    NEW = "NewReplica"
    ONLINE = "OnlineReplica"
    OFFLINE = "OfflineReplica"
    INELIGIBLE = "ReplicaDeletionIneligible"
    DELETION_STARTED = "ReplicaDeletionStarted"
    DELETION_SUCCESSFUL = "ReplicaDeletionSuccessful"


class PartitionState(Enum):
    """The states of a partition in the controller's state machine.

    Source: PartitionStateMachine.
    """

    NON_EXISTENT = "NonExistentPartition"
    NEW = "NewPartition"
    ONLINE = "OnlinePartition"
    OFFLINE = "OfflinePartition"


_SERVING = frozenset(
    {
        ReplicaState.NEW,
        ReplicaState.ONLINE,
        ReplicaState.OFFLINE,
        ReplicaState.INELIGIBLE,
    }
)
LEGAL_BEFORE: dict[ReplicaState, frozenset[ReplicaState]] = {
    ReplicaState.NEW: frozenset({ReplicaState.NON_EXISTENT}),
    ReplicaState.ONLINE: _SERVING,
    ReplicaState.OFFLINE: _SERVING,
    ReplicaState.DELETION_STARTED: frozenset({ReplicaState.OFFLINE}),
    ReplicaState.DELETION_SUCCESSFUL: frozenset({ReplicaState.DELETION_STARTED}),
    ReplicaState.INELIGIBLE: frozenset(
        {ReplicaState.OFFLINE, ReplicaState.DELETION_STARTED}
    ),
    ReplicaState.NON_EXISTENT: frozenset({ReplicaState.DELETION_SUCCESSFUL}),
}
"""For each target state the states from which a replica may enter it."""


@frozen
class PartitionContext:
    """What the controller remembers of one partition.

    ``full_assignment`` is empty if the partition is not known; ``replicas`` has the
    state of each broker's replica; ``info`` is the cached leader and ISR;
    ``on_offline_dirs`` names the brokers whose replica is on an offline directory. A
    topic that is queued for deletion ``deletion_is_halted`` while something is in its
    way.

    Rules: C-CTX-2, C-CTX-3.  Source: ControllerContext.
    """

    replicas: tuple[ReplicaState, ...]
    full_assignment: Assignment = UNASSIGNED
    state: PartitionState = PartitionState.NON_EXISTENT
    info: LeaderAndIsr | None = None
    on_offline_dirs: frozenset[BrokerId] = frozenset()
    is_queued_for_deletion: bool = False
    deletion_is_halted: bool = False
    deletion_has_begun: bool = False
    is_being_reassigned: bool = False

    @property
    def assignment(self) -> tuple[BrokerId, ...]:
        """Return the brokers that are to have a replica."""
        return self.full_assignment.replicas

    def is_known(self) -> bool:
        """Tell whether the assignment was read."""
        return bool(self.assignment)

    def is_led_by(self, leader: BrokerId | None) -> bool:
        """Tell whether a broker leads, as far as the controller knows."""
        return self.info is not None and self.info.leader == leader


@frozen
class ControllerContext:
    """The memory of one broker's controller; of an inactive one it is empty.

    ``live`` has the epoch of each broker that is live or shutting down, None for the
    others.

    Rules: C-CTX-2, C-CTX-3, C-CTX-4.  Source: ControllerContext.
    """

    live: tuple[BrokerEpoch | None, ...]
    partitions: tuple[PartitionContext, ...]
    epoch: ControllerEpoch | None = None
    shutting_down: frozenset[BrokerId] = frozenset()

    def is_active(self) -> bool:
        """Tell whether the broker believes that it is the controller."""
        return self.epoch is not None

    def knows_live(self, broker: BrokerId, epoch: BrokerEpoch | None) -> bool:
        """Tell whether a broker is live in an epoch."""
        return epoch is not None and self.live[broker] == epoch

    def is_live(self, broker: BrokerId) -> bool:
        """Tell whether a broker is live, and not about to stop."""
        return self.live[broker] is not None and broker not in self.shutting_down

    def knows_partition(self, partition: PartitionId) -> bool:
        """Tell whether the assignment of a partition was read."""
        return self.partitions[partition].is_known()

    def assigns(self, partition: PartitionId, broker: BrokerId) -> bool:
        """Tell whether a broker is to have a replica of a partition."""
        return broker in self.partitions[partition].assignment

    def holds_offline(self, broker: BrokerId, partition: PartitionId) -> bool:
        """Tell whether a broker's replica is known to be on an offline directory."""
        return broker in self.partitions[partition].on_offline_dirs

    def is_online(self, broker: BrokerId, partition: PartitionId) -> bool:
        """Tell whether a broker is live and its replica on no offline directory.

        Rules: C-CTX-1.  Source: ControllerContext.isReplicaOnline.
        """
        return self.is_live(broker) and not self.holds_offline(broker, partition)

    @property
    def broker_ids(self) -> tuple[BrokerId, ...]:
        """Return the ids of all brokers."""
        return tuple(BrokerId(broker) for broker in range(len(self.live)))

    @property
    def partition_ids(self) -> tuple[PartitionId, ...]:
        """Return the ids of the partitions whose assignment was read."""
        every = (PartitionId(number) for number in range(len(self.partitions)))
        return tuple(each for each in every if self.knows_partition(each))

    @property
    def live_or_shutting_down(self) -> frozenset[BrokerId]:
        """Return the brokers to which requests are sent."""
        return frozenset(
            each for each in self.broker_ids if self.live[each] is not None
        )

    def assignment_of(self, partition: PartitionId) -> tuple[BrokerId, ...]:
        """Return the brokers that are to have a replica, the preferred one first."""
        return self.partitions[partition].assignment

    def full_assignment_of(self, partition: PartitionId) -> Assignment:
        """Return the replicas, and which of them come and go."""
        return self.partitions[partition].full_assignment

    def info_of(self, partition: PartitionId) -> LeaderAndIsr | None:
        """Return the cached leader and ISR."""
        return self.partitions[partition].info

    def replicas_on(self, brokers: tuple[BrokerId, ...]) -> tuple[ReplicaId, ...]:
        """Return all replicas of some brokers."""
        return tuple(
            (broker, partition)
            for broker in brokers
            for partition in self.partition_ids
            if self.assigns(partition, broker)
        )

    def online_replicas(self, partition: PartitionId) -> tuple[BrokerId, ...]:
        """Return the brokers with online replicas, in the order of the assignment."""
        assignment = self.assignment_of(partition)
        return tuple(each for each in assignment if self.is_online(each, partition))

    def replicas_online_or_shutting_down(
        self, partition: PartitionId
    ) -> tuple[BrokerId, ...]:
        """Return the brokers with readable replicas, in the order of the assignment."""
        return tuple(
            each
            for each in self.assignment_of(partition)
            if self.live[each] is not None and not self.holds_offline(each, partition)
        )

    def lacks_online_leader(self, partition: PartitionId) -> bool:
        """Tell whether a partition was initialised and its leader is not online."""
        info = self.info_of(partition)
        if info is None:
            return False
        return info.leader is None or not self.is_online(info.leader, partition)

    def state_of(self, broker: BrokerId, partition: PartitionId) -> ReplicaState:
        """Return the state of a replica."""
        return self.partitions[partition].replicas[broker]

    def is_in(
        self, broker: BrokerId, partition: PartitionId, state: ReplicaState
    ) -> bool:
        """Tell whether a replica is in a state."""
        return self.state_of(broker, partition) is state

    def may_become(
        self, broker: BrokerId, partition: PartitionId, target: ReplicaState
    ) -> bool:
        """Tell whether a replica may enter a state; otherwise it is skipped.

        Rules: C-RSM-0.  Source: ReplicaStateMachine.checkValidReplicaStateChange.
        """
        return self.state_of(broker, partition) in LEGAL_BEFORE[target]

    def metadata_of(self, partition: PartitionId) -> PartitionMetadata | None:
        """Return what clients may know of a partition, None before it is initialised.

        Rules: C-UMR-1.  Source: addUpdateMetadataRequestForBrokers.
        """
        info = self.info_of(partition)
        if info is None:
            return None
        if self.is_queued(partition):
            return DELETED
        offline = frozenset(self.assignment_of(partition)) - frozenset(
            self.online_replicas(partition)
        )
        return PartitionMetadata(info.leader, info.epoch, info.isr, offline)

    @property
    def metadata(self) -> tuple[PartitionMetadata | None, ...]:
        """Return what clients may know of each partition."""
        every = range(len(self.partitions))
        return tuple(self.metadata_of(PartitionId(each)) for each in every)

    def is_queued(self, partition: PartitionId) -> bool:
        """Tell whether the topic of a partition is queued for deletion."""
        return self.partitions[partition].is_queued_for_deletion

    @property
    def queued_for_deletion(self) -> tuple[PartitionId, ...]:
        """Return the partitions whose topics are queued for deletion."""
        every = (PartitionId(number) for number in range(len(self.partitions)))
        return tuple(each for each in every if self.is_queued(each))

    def has_begun_to_delete(self, partition: PartitionId) -> bool:
        """Tell whether the deletion of a topic has begun."""
        return self.partitions[partition].deletion_has_begun

    def start(self, epoch: ControllerEpoch) -> Self:
        """Become active in a controller epoch."""
        return evolve(self, epoch=epoch)

    def reset(self) -> Self:
        """Forget everything, as a controller does that resigns."""
        nothing = PartitionContext((ReplicaState.NON_EXISTENT,) * len(self.live))
        return type(self)(
            live=(None,) * len(self.live), partitions=(nothing,) * len(self.partitions)
        )

    def add_brokers(self, brokers: tuple[tuple[BrokerId, BrokerEpoch], ...]) -> Self:
        """Add live brokers, and forget what was known of their directories."""
        added = dict(brokers)
        live = tuple(added.get(each, self.live[each]) for each in self.broker_ids)
        return evolve(self, live=live)._forget_directories(frozenset(added))

    def remove_brokers(self, brokers: frozenset[BrokerId]) -> Self:
        """Remove brokers, and forget what was known of their directories."""
        live = tuple(
            None if each in brokers else self.live[each] for each in self.broker_ids
        )
        stopping = self.shutting_down - brokers
        left = evolve(self, live=live, shutting_down=stopping)
        return left._forget_directories(brokers)

    def shut_down(self, broker: BrokerId) -> Self:
        """Remember that a broker is about to stop."""
        return evolve(self, shutting_down=self.shutting_down | {broker})

    def _forget_directories(self, brokers: frozenset[BrokerId]) -> Self:
        partitions = tuple(
            evolve(each, on_offline_dirs=each.on_offline_dirs - brokers)
            for each in self.partitions
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

        Rules: C-RSM-0.  Source: ReplicaStateMachine.doHandleStateChanges.
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

        Rules: C-CTX-2, X-4.  Source: ControllerContext.removeTopic.
        """
        known = self.partitions[partition].on_offline_dirs
        nothing = (ReplicaState.NON_EXISTENT,) * len(self.live)
        moving = self.partitions[partition].is_being_reassigned
        left = PartitionContext(
            nothing, on_offline_dirs=known, is_being_reassigned=moving
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
