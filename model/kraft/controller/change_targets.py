"""What an event wants of the partition, and who leads it in the end."""

from __future__ import annotations

from enum import Enum

from attrs import frozen

from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, DirectoryId


class ElectionKind(Enum):
    """What a change may do to have a leader."""

    ONLINE = "ONLINE"
    PREFERRED = "PREFERRED"
    UNCLEAN = "UNCLEAN"


@frozen
class Assignment:
    """The replicas, and which of them a reassignment adds and removes."""

    replicas: tuple[BrokerId, ...]
    adding: frozenset[BrokerId]
    removing: frozenset[BrokerId]

    @property
    def target(self) -> tuple[BrokerId, ...]:
        """The replicas that are left when the reassignment is complete."""
        return tuple(broker for broker in self.replicas if broker not in self.removing)

    def is_in_progress(self) -> bool:
        """Tell whether there is anything to add or to remove."""
        return bool(self.adding) or bool(self.removing)


@frozen
class PartitionChange:
    """What an event wants of the partition.

    ``isr`` is the target ISR, ``acceptable`` are the brokers that may lead, and
    ``unclean`` those that had an unclean shutdown. ``ends_recovery`` is set where a
    leader says that it has recovered. ``directories`` are the log directories, None if
    they stay, and ``assignment`` the replicas. ``knows_elr`` is not set where the
    builder is not told that ELR is on.

    Source: PartitionChangeBuilder.
    """

    isr: frozenset[BrokerId]
    acceptable: frozenset[BrokerId]
    kind: ElectionKind = ElectionKind.ONLINE
    unclean: frozenset[BrokerId] = frozenset()
    ends_recovery: bool = False
    directories: tuple[DirectoryId | None, ...] | None = None
    knows_elr: bool = True
    assignment: Assignment | None = None


@frozen
class ElectionResult:
    """Who leads after a change, and whether records may be lost by it."""

    leader: BrokerId | None
    is_unclean: bool = False


@rule
def has_elr(cluster: KraftCluster, change: PartitionChange) -> bool:
    """Tell whether the builder is told that eligible leader replicas are on.

    Rules: KR-ELR-5, KR-ELR-6.
    Source: PartitionChangeBuilder.setEligibleLeaderReplicasEnabled.
    """
    return change.knows_elr and cluster.has_elr


def replicas_after(
    cluster: KraftCluster, change: PartitionChange
) -> tuple[BrokerId, ...]:
    """The replicas after a change, in the order of preference."""
    if change.assignment is None:
        return cluster.stored.replicas
    return change.assignment.replicas
