"""How a leader takes members that lag out of the ISR."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.high_watermark import increment_high_watermark
from replicheck.model.cluster.broker.replication import (
    end_of,
    is_version_current,
    store_isr,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, PartitionId


def shrink_isr(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A leader removes a lagging follower from the ISR if it knows the stored version.

    Rules: B-ISR-1, B-ISR-3, Z-STATE-1.  Source: Partition.maybeShrinkIsr.
    """
    if not cluster.faults.allow("isr_shrinks"):
        return
    if not is_out_of_sync(cluster, leader, follower, partition):
        return
    if cluster.processes[leader].is_cut_off:
        return
    if not is_version_current(cluster, leader, partition):
        return
    isr = cluster.replicas[leader][partition].isr - {follower}
    behind = cluster.remotes[leader][partition].fall_behind(follower)
    cluster = cluster.evolve(remotes={(leader, partition): behind})
    cluster = store_isr(cluster, leader, partition, isr)
    cluster = cluster.evolve(faults=cluster.faults.spend("isr_shrinks"))
    yield increment_high_watermark(cluster, leader, partition)


@rule
def is_out_of_sync(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a leader finds that a member of its ISR lags.

    A member of the ISR that is no replica makes the question end with an error,
    for every member.

    Rules: B-ISR-1, C-REASG-7.
    Source: Partition.getOutOfSyncReplicas, Partition.isFollowerOutOfSync.
    """
    if cluster.replicas[leader][partition].has_unassigned_isr():
        return False
    return lags(cluster, leader, follower, partition)


def lags(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a leader knows a member of its ISR not to have all records."""
    if leader == follower:
        return False
    if not cluster.presumes_leadership(leader, partition):
        return False
    if cluster.replicas[leader][partition].is_locked():
        return False
    if not cluster.replicas[leader][partition].counts_in_sync(follower):
        return False
    return not cluster.remotes[leader][partition].is_at(
        follower, end_of(cluster, leader, partition)
    )
