"""How the controller changes the partition: every change elects, if that is called for.

Source: PartitionChangeBuilder.
"""

from __future__ import annotations

from enum import Enum

from attrs import evolve, frozen

from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, DirectoryId, Epoch


class ElectionKind(Enum):
    """What a change may do to have a leader."""

    ONLINE = "ONLINE"
    PREFERRED = "PREFERRED"
    UNCLEAN = "UNCLEAN"


@frozen
class PartitionChange:
    """What an event wants of the partition.

    ``isr`` is the target ISR, ``acceptable`` are the brokers that may lead, and
    ``unclean`` those that had an unclean shutdown. ``ends_recovery`` is set where a
    leader says that it has recovered. ``directories`` are the log directories, None if
    they stay. ``knows_elr`` is not set where the builder is not told that ELR is on.

    Source: PartitionChangeBuilder.
    """

    isr: frozenset[BrokerId]
    acceptable: frozenset[BrokerId]
    kind: ElectionKind = ElectionKind.ONLINE
    unclean: frozenset[BrokerId] = frozenset()
    ends_recovery: bool = False
    directories: tuple[DirectoryId | None, ...] | None = None
    knows_elr: bool = True


@frozen
class ElectionResult:
    """Who leads after a change, and whether records may be lost by it."""

    leader: BrokerId | None
    is_unclean: bool = False


def build(cluster: KraftCluster, change: PartitionChange) -> PartitionRegistration:
    """The partition after a change: the ELR, then an election, then the epochs.

    A change that changes nothing is no record.

    Rules: KR-PCB-1, KR-REC-1, KR-REC-2.  Source: PartitionChangeBuilder.build.
    """
    old = cluster.stored
    elr = target_elr(cluster, change)
    result = elect(cluster, change, elr)
    after = evolve(
        old,
        leader=result.leader,
        isr=isr_after(cluster, change, elr, result),
        elr=elr_after(cluster, change, elr, result),
        last_known_leader=last_known_leader_after(cluster, change, result),
        is_recovering=is_recovering_after(cluster, change, result),
        directories=directories_after(cluster, change),
    )
    if after == old:
        return old
    return evolve(
        after,
        leader_epoch=leader_epoch_after(cluster, change, after),
        partition_epoch=old.partition_epoch + 1,
    )


@rule
def leader_epoch_after(
    cluster: KraftCluster, change: PartitionChange, after: PartitionRegistration
) -> Epoch:
    """The leader epoch grows when the leader changes, and not with the ISR alone.

    Rules: KR-REC-1, KR-PCB-9.  Source: PartitionRegistration.merge.
    """
    old = cluster.stored
    if after.leader == old.leader:
        return old.leader_epoch
    return Epoch(old.leader_epoch + 1)


@rule
def target_elr(cluster: KraftCluster, change: PartitionChange) -> frozenset[BrokerId]:
    """Who left an ISR that became too small stays eligible, but for the unclean.

    Rules: KR-ELR-1, KR-ELR-2, KR-ELR-3.
    Source: PartitionChangeBuilder.maybePopulateTargetElr.
    """
    old = cluster.stored
    if not has_elr(cluster, change):
        return old.elr
    if len(change.isr) >= controller_min_isr(cluster):
        return frozenset()
    return old.candidates - change.isr - change.unclean


def has_elr(cluster: KraftCluster, change: PartitionChange) -> bool:
    """Tell whether the builder is told that eligible leader replicas are on.

    Rules: KR-ELR-5, KR-ELR-6.
    Source: PartitionChangeBuilder.setEligibleLeaderReplicasEnabled.
    """
    return change.knows_elr and cluster.bounds.has_eligible_leader_replicas


def directories_after(
    cluster: KraftCluster, change: PartitionChange
) -> tuple[DirectoryId | None, ...]:
    """The log directories: those that the change names, or the old ones.

    Rules: KR-PCB-12.  Source: PartitionChangeBuilder.setAssignmentChanges.
    """
    if change.directories is None:
        return cluster.stored.directories
    return change.directories


def controller_min_isr(cluster: KraftCluster) -> int:
    """The number of members below which an ISR is too small, for the controller."""
    return min(cluster.min_isr, cluster.bounds.brokers)


@rule
def elect(
    cluster: KraftCluster, change: PartitionChange, elr: frozenset[BrokerId]
) -> ElectionResult:
    """The leader after a change: one of the ISR, or of the ELR if the ISR is empty.

    Rules: KR-PCB-3, KR-PCB-4, KR-PCB-5.
    Source: PartitionChangeBuilder.electLeader.
    """
    present = cluster.stored.leader
    replicas = cluster.bounds.broker_ids
    valid = valid_leaders(change, elr)
    preferred = replicas[:1] if change.kind is ElectionKind.PREFERRED else ()
    for broker in (*preferred, present, *replicas):
        if broker in valid:
            return ElectionResult(broker)
    last = electable_last_known_leader(cluster, change, elr)
    if last is not None:
        return ElectionResult(last, is_unclean=True)
    if change.kind is ElectionKind.UNCLEAN:
        for broker in replicas:
            if broker in change.acceptable:
                return ElectionResult(broker, is_unclean=True)
    return ElectionResult(None)


def valid_leaders(
    change: PartitionChange, elr: frozenset[BrokerId]
) -> frozenset[BrokerId]:
    """The brokers that can be elected cleanly.

    Rules: KR-PCB-2.  Source: PartitionChangeBuilder.isValidNewLeader.
    """
    return (change.isr or elr) & change.acceptable


@rule
def electable_last_known_leader(
    cluster: KraftCluster, change: PartitionChange, elr: frozenset[BrokerId]
) -> BrokerId | None:
    """The last known leader leads when ISR and ELR are empty, and it is there.

    Rules: KR-PCB-6.  Source: PartitionChangeBuilder.canElectLastKnownLeader.
    """
    if not has_elr(cluster, change):
        return None
    if change.isr or elr:
        return None
    last = cluster.stored.last_known_leader
    return last if last in change.acceptable else None


@rule
def isr_after(
    cluster: KraftCluster,
    change: PartitionChange,
    elr: frozenset[BrokerId],
    result: ElectionResult,
) -> frozenset[BrokerId]:
    """The ISR: the target, the one that was elected from outside, or the last member.

    Without ELR the last member stays although it cannot lead.

    Rules: KR-PCB-5, KR-PCB-7, KR-PCB-10, KR-SHUT-3.
    Source: PartitionChangeBuilder.tryElection, PartitionChangeBuilder.build.
    """
    if result.leader is not None and result.leader not in change.isr:
        return frozenset({result.leader})
    if change.isr or has_elr(cluster, change):
        return change.isr
    return cluster.stored.isr


def elr_after(
    cluster: KraftCluster,
    change: PartitionChange,
    elr: frozenset[BrokerId],
    result: ElectionResult,
) -> frozenset[BrokerId]:
    """The ELR without the elected; none if it is off, or records may be lost.

    Rules: KR-PCB-7, KR-ELR-5.  Source: PartitionChangeBuilder.maybeUpdateRecordElr.
    """
    if not has_elr(cluster, change) or result.is_unclean:
        return frozenset()
    return elr - {result.leader}


@rule
def last_known_leader_after(
    cluster: KraftCluster, change: PartitionChange, result: ElectionResult
) -> BrokerId | None:
    """Who led when the partition became leaderless, while it is leaderless.

    Rules: KR-ELR-4.  Source: PartitionChangeBuilder.maybeUpdateLastKnownLeader.
    """
    old = cluster.stored
    if not has_elr(cluster, change):
        return old.last_known_leader
    if result.leader is not None:
        return None
    if old.last_known_leader is None:
        return old.leader
    return old.last_known_leader


@rule
def is_recovering_after(
    cluster: KraftCluster, change: PartitionChange, result: ElectionResult
) -> bool:
    """Whether the partition was elected uncleanly, and no leader has recovered since.

    Rules: KR-PCB-5.  Source: PartitionChangeBuilder.setLeaderRecoveryState.
    """
    old = cluster.stored
    if result.is_unclean:
        return not (old.is_recovering and change.ends_recovery)
    return old.is_recovering and not change.ends_recovery
