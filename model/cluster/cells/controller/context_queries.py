"""What the active controller remembers."""

from __future__ import annotations

from attrs import frozen

from replicheck.model.cluster.cells.channels import PartitionMetadata
from replicheck.model.cluster.cells.controller.partition_context import PartitionContext
from replicheck.model.cluster.cells.controller.state_machines import (
    LEGAL_BEFORE,
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
class ContextQueries:
    """The memory of one broker's controller, and what it can tell.

    That of an inactive controller is empty.

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
        """The ids of all brokers."""
        return tuple(BrokerId(broker) for broker in range(len(self.live)))

    @property
    def partition_ids(self) -> tuple[PartitionId, ...]:
        """The ids of the partitions whose assignment was read."""
        every = (PartitionId(number) for number in range(len(self.partitions)))
        return tuple(
            partition for partition in every if self.knows_partition(partition)
        )

    @property
    def live_or_shutting_down(self) -> frozenset[BrokerId]:
        """The brokers to which requests are sent."""
        return frozenset(
            broker for broker in self.broker_ids if self.live[broker] is not None
        )

    def assignment_of(self, partition: PartitionId) -> tuple[BrokerId, ...]:
        """The brokers that are to have a replica, the preferred one first."""
        return self.partitions[partition].assignment

    def full_assignment_of(self, partition: PartitionId) -> Assignment:
        """The replicas, with the added and the removed replicas."""
        return self.partitions[partition].full_assignment

    def info_of(self, partition: PartitionId) -> LeaderAndIsr | None:
        """The cached leader and ISR."""
        return self.partitions[partition].info

    def replicas_on(self, brokers: tuple[BrokerId, ...]) -> tuple[ReplicaId, ...]:
        """All replicas of some brokers."""
        return tuple(
            (broker, partition)
            for broker in brokers
            for partition in self.partition_ids
            if self.assigns(partition, broker)
        )

    def online_replicas(self, partition: PartitionId) -> tuple[BrokerId, ...]:
        """The brokers with online replicas, in the order of the assignment."""
        assignment = self.assignment_of(partition)
        return tuple(
            broker for broker in assignment if self.is_online(broker, partition)
        )

    def replicas_online_or_shutting_down(
        self, partition: PartitionId
    ) -> tuple[BrokerId, ...]:
        """The live brokers whose replica is not offline, in the assignment's order."""
        return tuple(
            broker
            for broker in self.assignment_of(partition)
            if self.live[broker] is not None
            and not self.holds_offline(broker, partition)
        )

    def lacks_online_leader(self, partition: PartitionId) -> bool:
        """Tell whether a partition was initialised and its leader is not online."""
        info = self.info_of(partition)
        if info is None:
            return False
        return info.leader is None or not self.is_online(info.leader, partition)

    def state_of(self, broker: BrokerId, partition: PartitionId) -> ReplicaState:
        """The state of a replica."""
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

        Rules: C-RSM-0.
        Source: ControllerContext.checkValidReplicaStateChange,
        ReplicaState.validPreviousStates.
        """
        return self.state_of(broker, partition) in LEGAL_BEFORE[target]

    def metadata_of(self, partition: PartitionId) -> PartitionMetadata | None:
        """Metadata of a partition for clients, None before it is initialised.

        Rules: C-UMR-1.
        Source: AbstractControllerBrokerRequestBatch.addUpdateMetadataRequestForBrokers.
        """
        info = self.info_of(partition)
        if info is None:
            return None
        offline = frozenset(self.assignment_of(partition)) - frozenset(
            self.online_replicas(partition)
        )
        metadata = PartitionMetadata(info.leader, info.epoch, info.isr, offline)
        return metadata.during_delete() if self.is_queued(partition) else metadata

    @property
    def metadata(self) -> tuple[PartitionMetadata | None, ...]:
        """Metadata of each partition for clients."""
        every = range(len(self.partitions))
        return tuple(self.metadata_of(PartitionId(number)) for number in every)

    def is_queued(self, partition: PartitionId) -> bool:
        """Tell whether the topic of a partition is queued for deletion."""
        return self.partitions[partition].is_queued_for_deletion

    @property
    def queued_for_deletion(self) -> tuple[PartitionId, ...]:
        """The partitions whose topics are queued for deletion."""
        every = (PartitionId(number) for number in range(len(self.partitions)))
        return tuple(partition for partition in every if self.is_queued(partition))

    def has_begun_to_delete(self, partition: PartitionId) -> bool:
        """Tell whether the deletion of a topic has begun."""
        return self.partitions[partition].deletion_has_begun
