"""What the active controller remembers."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.cluster.cells.messages import PartitionMetadata
from replicheck.model.cluster.cells.znodes import LeaderAndIsr
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, ControllerEpoch


class ReplicaState(Enum):
    """The states of a replica in the controller's state machine.

    Source: ReplicaStateMachine.
    """

    NON_EXISTENT = "NonExistentReplica"
    NEW = "NewReplica"
    ONLINE = "OnlineReplica"
    OFFLINE = "OfflineReplica"
    INELIGIBLE = "ReplicaDeletionIneligible"


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
}
"""For each target state the states from which a replica may enter it."""


@frozen
class ControllerContext:
    """The memory of one broker's controller; of an inactive one it is empty.

    ``live`` has the epoch of each live broker, None for the others; ``on_offline_dirs``
    names the brokers whose replica is on an offline directory; ``info`` is the cached
    leader and ISR.

    Rules: C-CTX-2, C-CTX-3, C-CTX-4.  Source: ControllerContext.
    """

    live: tuple[BrokerEpoch | None, ...]
    replicas: tuple[ReplicaState, ...]
    epoch: ControllerEpoch | None = None
    has_topic: bool = False
    partition: PartitionState = PartitionState.NON_EXISTENT
    info: LeaderAndIsr | None = None
    on_offline_dirs: frozenset[BrokerId] = frozenset()

    def is_active(self) -> bool:
        """Tell whether the broker believes that it is the controller."""
        return self.epoch is not None

    def knows_live(self, broker: BrokerId, epoch: BrokerEpoch | None) -> bool:
        """Tell whether a broker is live in an epoch."""
        return epoch is not None and self.live[broker] == epoch

    def is_live(self, broker: BrokerId) -> bool:
        """Tell whether a broker is live."""
        return self.live[broker] is not None

    def holds_offline(self, broker: BrokerId) -> bool:
        """Tell whether a broker's replica is known to be on an offline directory."""
        return broker in self.on_offline_dirs

    def is_online(self, broker: BrokerId) -> bool:
        """Tell whether a broker is live and its replica on no offline directory.

        Rules: C-CTX-1.  Source: ControllerContext.isReplicaOnline.
        """
        return self.is_live(broker) and not self.holds_offline(broker)

    @property
    def broker_ids(self) -> tuple[BrokerId, ...]:
        """Return the ids of all brokers, which is the order of the assignment."""
        return tuple(BrokerId(broker) for broker in range(len(self.live)))

    @property
    def live_brokers(self) -> frozenset[BrokerId]:
        """Return the live brokers."""
        return frozenset(each for each in self.broker_ids if self.is_live(each))

    @property
    def online_replicas(self) -> tuple[BrokerId, ...]:
        """Return the brokers with online replicas, in the order of the assignment."""
        return tuple(each for each in self.broker_ids if self.is_online(each))

    def lacks_online_leader(self) -> bool:
        """Tell whether the partition was initialised and its leader is not online."""
        if self.info is None:
            return False
        return self.info.leader is None or not self.is_online(self.info.leader)

    def state_of(self, broker: BrokerId) -> ReplicaState:
        """Return the state of a replica."""
        return self.replicas[broker]

    def is_in(self, broker: BrokerId, state: ReplicaState) -> bool:
        """Tell whether a replica is in a state."""
        return self.replicas[broker] is state

    def may_become(self, broker: BrokerId, target: ReplicaState) -> bool:
        """Tell whether a replica may enter a state; otherwise it is skipped.

        Rules: C-RSM-0.  Source: ReplicaStateMachine.checkValidReplicaStateChange.
        """
        return self.replicas[broker] in LEGAL_BEFORE[target]

    @property
    def metadata(self) -> PartitionMetadata | None:
        """Return what clients may know of the partition, None before it is initialised.

        Rules: C-UMR-1.  Source: addUpdateMetadataRequestForBrokers.
        """
        if self.info is None:
            return None
        offline = frozenset(self.broker_ids) - frozenset(self.online_replicas)
        return PartitionMetadata(
            self.info.leader, self.info.epoch, self.info.isr, offline
        )

    def start(self, epoch: ControllerEpoch) -> Self:
        """Become active in a controller epoch."""
        return evolve(self, epoch=epoch)

    def reset(self) -> Self:
        """Forget everything, as a controller does that resigns."""
        return type(self)(
            live=(None,) * len(self.live),
            replicas=(ReplicaState.NON_EXISTENT,) * len(self.replicas),
        )

    def add_brokers(self, brokers: tuple[tuple[BrokerId, BrokerEpoch], ...]) -> Self:
        """Add live brokers, and forget what was known of their directories."""
        added = dict(brokers)
        live = tuple(added.get(each, self.live[each]) for each in self.broker_ids)
        known = self.on_offline_dirs - frozenset(added)
        return evolve(self, live=live, on_offline_dirs=known)

    def remove_brokers(self, brokers: frozenset[BrokerId]) -> Self:
        """Remove brokers, and forget what was known of their directories."""
        live = tuple(
            None if each in brokers else self.live[each] for each in self.broker_ids
        )
        known = self.on_offline_dirs - brokers
        return evolve(self, live=live, on_offline_dirs=known)

    def load_topic(self) -> Self:
        """Take over the assignment."""
        return evolve(self, has_topic=True)

    def with_info(self, info: LeaderAndIsr | None) -> Self:
        """Cache leader and ISR."""
        return evolve(self, info=info)

    def with_partition(self, state: PartitionState) -> Self:
        """Set the state of the partition."""
        return evolve(self, partition=state)

    def with_replica(self, broker: BrokerId, state: ReplicaState) -> Self:
        """Set the state of a replica."""
        replicas = tuple(
            state if each == broker else self.replicas[each] for each in self.broker_ids
        )
        return evolve(self, replicas=replicas)

    def mark_offline(self, broker: BrokerId) -> Self:
        """Remember that a broker's replica is on an offline directory."""
        return evolve(self, on_offline_dirs=self.on_offline_dirs | {broker})

    def mark_online(self, broker: BrokerId) -> Self:
        """Forget that a broker's replica is on an offline directory."""
        return evolve(self, on_offline_dirs=self.on_offline_dirs - {broker})
