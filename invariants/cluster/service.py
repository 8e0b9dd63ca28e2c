"""What the clients of a partition can lose: a record, writes, reads."""

from __future__ import annotations

from replicheck.invariants.cluster.subjects.quiescence import is_healthy, is_quiescent
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def acknowledged_record_is_lost(cluster: Cluster, partition: PartitionId) -> bool:
    """No good directory has an acknowledged record, or a current leader lacks it."""
    acknowledged = cluster.acknowledged[partition]
    if not acknowledged.has_any():
        return False
    if not any(
        cluster.directories[broker][directory].is_good()
        and acknowledged.are_in(cluster.logs[broker][partition][directory].records)
        for broker in cluster.bounds.broker_ids
        for directory in cluster.bounds.directory_ids
    ):
        return True
    return any(
        not acknowledged.are_in(
            cluster.logs[leader][partition][
                cluster.directory_of(leader, partition)
            ].records
        )
        for leader in cluster.bounds.broker_ids
        if cluster.leads_in_stored_epoch(leader, partition)
    )


def partition_accepts_no_records(cluster: Cluster, partition: PartitionId) -> bool:
    """When quiescent, a leader with its healthy followers is below min.insync.replicas.

    A follower that fetches in the leader's epoch counts, as it comes back into the ISR.
    """
    if not is_quiescent(cluster):
        return False
    return _replicas_in_use(cluster, partition) < cluster.bounds.min_isr


def partition_serves_no_reads(cluster: Cluster, partition: PartitionId) -> bool:
    """When quiescent, no healthy replica leads in the stored epoch."""
    return is_quiescent(cluster) and _replicas_in_use(cluster, partition) == 0


def _replicas_in_use(cluster: Cluster, partition: PartitionId) -> int:
    """Number of healthy replicas that lead, or fetch from the leader; 0 without one."""
    return max(
        (
            1 + _followers(cluster, leader, partition)
            for leader in cluster.bounds.broker_ids
            if cluster.leads_in_stored_epoch(leader, partition)
            and is_healthy(cluster, leader, partition)
        ),
        default=0,
    )


def _followers(cluster: Cluster, leader: BrokerId, partition: PartitionId) -> int:
    epoch = cluster.replicas[leader][partition].epoch
    return sum(
        follower != leader
        and is_healthy(cluster, follower, partition)
        and cluster.fetchers[follower][partition].is_of(leader, epoch)
        for follower in cluster.bounds.broker_ids
    )


SERVICE = (
    acknowledged_record_is_lost,
    partition_accepts_no_records,
    partition_serves_no_reads,
)
