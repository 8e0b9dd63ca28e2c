"""The high watermark of a leader, which acknowledges records.

Source: Partition.maybeIncrementLeaderHW.
"""

from __future__ import annotations

from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, Offset


@rule
def increment_high_watermark(cluster: KraftCluster, leader: BrokerId) -> KraftCluster:
    """Commit what the leader and the maximal ISR have, if the ISR is large enough.

    Replicas outside the maximal ISR are never waited for. Without open ports, no client
    learns of it.

    Rules: KR-HW-1, KR-HW-2, KR-HW-3.  Source: Partition.maybeIncrementLeaderHW.
    """
    partition = cluster.partitions[leader]
    if keeps_high_watermark(cluster, leader):
        return cluster
    end = end_of_all(cluster, leader, awaited(cluster, leader))
    if end is None or end <= partition.high_watermark:
        return cluster
    after = cluster.evolve(partitions={leader: partition.raise_high_watermark(end)})
    if not cluster.processes[leader].is_serving:
        return after
    records = cluster.logs[leader].up_to(end)
    return after.evolve(
        acknowledged=cluster.acknowledged.count(
            partition.topic_id, partition.leader_epoch, records
        )
    )


@rule
def awaited(cluster: KraftCluster, leader: BrokerId) -> frozenset[BrokerId]:
    """The followers that must have a record before it is committed.

    Rules: KR-PEND-4, KR-HW-1.  Source: Partition.maybeIncrementLeaderHW.
    """
    return cluster.partitions[leader].maximal_isr - {leader}


@rule
def keeps_high_watermark(cluster: KraftCluster, leader: BrokerId) -> bool:
    """Tell whether the high watermark must not move, since the ISR is too small.

    Rules: KR-HW-2.  Source: Partition.maybeIncrementLeaderHW.
    """
    return is_under_min_isr(cluster, leader)


def is_under_min_isr(cluster: KraftCluster, leader: BrokerId) -> bool:
    """Tell whether the committed ISR is smaller than the leader's configuration asks.

    Rules: KR-HW-2.  Source: Partition.isUnderMinIsr.
    """
    least = cluster.caches[leader].min_isr
    return not cluster.partitions[leader].has_enough_in_sync(least)


def end_of_all(
    cluster: KraftCluster, leader: BrokerId, members: frozenset[BrokerId]
) -> Offset | None:
    """The least end among a leader and some followers, None if one is unknown."""
    ends = [cluster.followers[leader][member].end for member in sorted(members)]
    known = [end for end in ends if end is not None]
    if len(known) < len(ends):
        return None
    return min([cluster.logs[leader].end_offset, *known])
