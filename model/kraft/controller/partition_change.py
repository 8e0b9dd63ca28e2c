"""How the controller changes the partition: every change elects, if that is called for.

Source: PartitionChangeBuilder.
"""

from __future__ import annotations

from attrs import evolve

from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.controller.change_targets import (
    Assignment,
    ElectionResult,
    PartitionChange,
    has_elr,
)
from replicheck.model.kraft.controller.leader_election import elect
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, DirectoryId, Epoch


def build(cluster: KraftCluster, change: PartitionChange) -> PartitionRegistration:
    """The partition after a change: replicas, the ELR, an election, then the epochs.

    A change that changes nothing is no record.

    Rules: KR-PCB-1, KR-REC-1, KR-REC-2.  Source: PartitionChangeBuilder.build.
    """
    old = cluster.stored
    assignment = change.assignment or assignment_of(old)
    change = complete_reassignment(cluster, change, assignment)
    assignment = change.assignment or assignment
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
        replicas=assignment.replicas,
        adding=assignment.adding,
        removing=assignment.removing,
    )
    if changes_nothing(cluster, change, after):
        return old
    return evolve(
        after,
        leader_epoch=leader_epoch_after(cluster, change, after),
        partition_epoch=old.partition_epoch + 1,
    )


@rule
def changes_nothing(
    cluster: KraftCluster, change: PartitionChange, after: PartitionRegistration
) -> bool:
    """Tell whether a change leaves the partition as it is, so that there is no record.

    Rules: KR-PCB-1.  Source: PartitionChangeBuilder.changeRecordIsNoOp.
    """
    return after == cluster.stored


@rule
def leader_epoch_after(
    cluster: KraftCluster, change: PartitionChange, after: PartitionRegistration
) -> Epoch:
    """The leader epoch grows when the leader changes, or a replica is removed.

    An ISR alone does not begin one, nor does a replica that is added.

    Rules: KR-REC-1, KR-PCB-8, KR-PCB-9.  Source: PartitionRegistration.merge.
    """
    old = cluster.stored
    removed = frozenset(old.replicas) - frozenset(after.replicas)
    if after.leader == old.leader and not removed:
        return old.leader_epoch
    return Epoch(old.leader_epoch + 1)


def assignment_of(partition: PartitionRegistration) -> Assignment:
    """The replicas as they are stored."""
    return Assignment(partition.replicas, partition.adding, partition.removing)


def complete_reassignment(
    cluster: KraftCluster, change: PartitionChange, assignment: Assignment
) -> PartitionChange:
    """The change, and the end of a reassignment if all that it needs are in the ISR.

    Rules: KR-PCB-11, KR-REA-2.
    Source: PartitionReassignmentReplicas.maybeCompleteReassignment.
    """
    if not assignment.is_in_progress():
        return change
    isr, target = change.isr - assignment.removing, assignment.target
    if not isr or not target or not is_complete(cluster, assignment, isr):
        return evolve(change, assignment=assignment)
    done = Assignment(target, frozenset(), frozenset())
    return evolve(change, isr=isr, assignment=done)


@rule
def is_complete(
    cluster: KraftCluster, assignment: Assignment, isr: frozenset[BrokerId]
) -> bool:
    """Tell whether the ISR has all replicas that are to be left.

    Rules: KR-PCB-11.
    Source: PartitionReassignmentReplicas.maybeCompleteReassignment.
    """
    return isr.issuperset(assignment.target)


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
    left = old.candidates - change.isr - change.unclean
    return left & eligible(cluster, change)


@rule
def eligible(cluster: KraftCluster, change: PartitionChange) -> frozenset[BrokerId]:
    """The brokers that the ELR may have: all, whether they have a replica or not.

    Rules: KR-ELR-3.  Source: PartitionChangeBuilder.maybePopulateTargetElr.
    """
    return frozenset(cluster.bounds.broker_ids)


def directories_after(
    cluster: KraftCluster, change: PartitionChange
) -> tuple[DirectoryId | None, ...]:
    """The log directories: those that the change names, or the old ones.

    A replica that is added lies in the only directory of its broker, or in one that is
    not known; one that is removed lies nowhere.

    Rules: KR-PCB-12, KR-DIR-2.
    Source: PartitionChangeBuilder.setAssignmentChanges.
    """
    old = cluster.stored
    known = old.directories if change.directories is None else change.directories
    if change.assignment is None:
        return known
    replicas = change.assignment.replicas
    return tuple(
        None
        if broker not in replicas
        else known[broker]
        if old.has_replica(broker)
        else cluster.registrations[broker].default_directory
        for broker in cluster.bounds.broker_ids
    )


def controller_min_isr(cluster: KraftCluster) -> int:
    """The number of members below which an ISR is too small, for the controller.

    It looks at the replication factor of the topic's first partition.

    Rules: KR-ELR-8.  Source: ReplicationControlManager.getTopicEffectiveMinIsr.
    """
    factor = cluster.bounds.first_partition_replicas or len(cluster.stored.replicas)
    return min(cluster.min_isr, factor)


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


@rule
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
