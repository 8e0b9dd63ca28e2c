"""Rules that no release of Kafka has: the least change that ends a flaw."""

from __future__ import annotations

from replicheck.model.kraft.broker import metadata_publisher
from replicheck.model.kraft.cells.alter_partition import AlterPartitionRequest
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.cells.partition import FollowerState
from replicheck.model.kraft.controller import (
    alter_partition,
    broker_lifecycle,
    offline_directories,
)
from replicheck.model.kraft.controller.change_targets import (
    Assignment,
    PartitionChange,
    replicas_after,
)
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId


def follower_states_after_skipped_epoch(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> dict[BrokerId, FollowerState]:
    """A leader that has not seen a leader epoch forgets what it knew of followers.

    Another may have led in that epoch, and followers may have cut their logs.

    Rules: KR-LEAD-3.  Source: Replica.resetReplicaState.
    """
    known = cluster.partitions[broker].leader_epoch
    if known is not None and record.leader_epoch > known + 1:
        return {follower: FollowerState() for follower in cluster.bounds.broker_ids}
    return original(metadata_publisher.follower_states)(cluster, broker, record)


def follower_states_of_epoch(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> dict[BrokerId, FollowerState]:
    """A leader forgets what it knew of followers with each leader epoch.

    A follower may have been no replica in between, and may have deleted its log.

    Rules: KR-LEAD-3.  Source: Replica.resetReplicaState.
    """
    if not cluster.partitions[broker].is_behind(record.leader_epoch):
        return {}
    return {follower: FollowerState() for follower in cluster.bounds.broker_ids}


def make_leader_of_newer_partition_epoch(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A record of the partition epoch that an answer brought changes nothing.

    Rules: KR-PEND-8.  Source: Partition.makeLeader.
    """
    if cluster.partitions[broker].partition_epoch == record.partition_epoch:
        return cluster
    return original(metadata_publisher.make_leader)(cluster, broker, record)


def ineligible_in_offline_directory(
    cluster: KraftCluster, request: AlterPartitionRequest
) -> frozenset[BrokerId]:
    """A member whose log directory is offline is refused, too (R-3).

    Rules: KR-AP-2.  Source: ReplicationControlManager.ineligibleReplicasForIsr.
    """
    refused = original(alter_partition.ineligible)(cluster, request)
    return refused | (request.isr - cluster.acceptable())


def heartbeat_reports_first(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """A heartbeat reports directories before it ends a fencing (R-2).

    Rules: KR-HB-6.  Source: ReplicationControlManager.processBrokerHeartbeat.
    """
    reported = offline_directories.report_directories(cluster, cluster, broker)
    return broker_lifecycle.unfenced(reported, broker)


def eligible_replicas(
    cluster: KraftCluster, change: PartitionChange
) -> frozenset[BrokerId]:
    """The ELR has none that has no replica any more (R-7).

    Rules: KR-ELR-3.  Source: PartitionChangeBuilder.maybePopulateTargetElr.
    """
    return frozenset(replicas_after(cluster, change))


def is_complete_with_added(
    cluster: KraftCluster, assignment: Assignment, isr: frozenset[BrokerId]
) -> bool:
    """A reassignment needs all that it adds, and those that stay if it removes more.

    So it is since 4.3 (KAFKA-19975).

    Rules: KR-PCB-11.
    Source: PartitionReassignmentReplicas.maybeCompleteReassignment.
    """
    if not isr.issuperset(assignment.adding):
        return False
    if len(assignment.adding) >= len(assignment.removing):
        return True
    return isr.issuperset(assignment.target)


def assignment_keeps_elr(cluster: KraftCluster) -> bool:
    """The builder is told of ELR where a directory is assigned, as since 4.3.

    Rules: KR-ELR-6.  Source: ReplicationControlManager.handleAssignReplicasToDirs.
    """
    return True
