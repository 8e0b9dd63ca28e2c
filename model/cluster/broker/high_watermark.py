"""How far a leader knows its log to be committed."""

from __future__ import annotations

from collections.abc import Iterable

from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def increment_high_watermark(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> Cluster:
    """Raise the leader's high watermark to the least end of the logs in its ISR.

    A follower that caught up of late holds it back, too (`caught_up_followers`).
    A member of the ISR that is no replica any more is not waited for.

    Rules: B-HW-1, C-REASG-7.  Source: Partition.maybeIncrementLeaderHW.
    """
    replica = cluster.replicas[leader][partition]
    caught_up = cluster.remotes[leader][partition].caught_up
    waited_for = (replica.isr | caught_up) - replica.unassigned_isr
    return commit_up_to_all_of(cluster, leader, partition, waited_for)


def commit_up_to_all_of(
    cluster: Cluster,
    leader: BrokerId,
    partition: PartitionId,
    members: Iterable[BrokerId],
) -> Cluster:
    """Raise the high watermark to the least end of these logs and the leader's own."""
    replica = cluster.replicas[leader][partition]
    log = cluster.logs[leader][partition][cluster.directory_of(leader, partition)]
    least = log.end_offset
    for follower in sorted(members):
        if follower != leader:
            end = cluster.remotes[leader][partition].of(follower)
            if end is None:
                return cluster
            least = min(least, end)
    if least <= replica.high_watermark:
        return cluster
    if cluster.partition_nodes[partition].is_in(leader, replica.epoch):
        records = log.up_to(least)
        cluster = cluster.evolve(
            committed={partition: cluster.committed[partition].extend(records)}
        )
    raised = cluster.replicas[leader][partition].with_high_watermark(least)
    return cluster.evolve(replicas={(leader, partition): raised})
