"""What the active controller remembers of one partition."""

from __future__ import annotations

from attrs import frozen

from replicheck.model.cluster.cells.controller.state_machines import (
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.zookeeper.topics import UNASSIGNED, Assignment
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId


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
        """The brokers that are to have a replica."""
        return self.full_assignment.replicas

    def is_known(self) -> bool:
        """Tell whether the assignment was read."""
        return len(self.assignment) > 0

    def is_led_by(self, leader: BrokerId | None) -> bool:
        """Tell whether a broker leads, as far as the controller knows."""
        return self.info is not None and self.info.leader == leader
