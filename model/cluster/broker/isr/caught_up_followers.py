"""Followers outside the ISR that caught up of late: the high watermark waits."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def catch_up(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A follower outside the ISR has had all records of late.

    Abstraction: of when is left open; Kafka compares its offset with the leader's end
    at this fetch and at the one before.

    Rules: B-HW-1.  Source: Replica.updateFetchState.
    """
    if leader == follower or not cluster.faults.allow("caught_up_followers"):
        return
    if not cluster.presumes_leadership(leader, partition):
        return
    if cluster.replicas[leader][partition].is_locked():
        return
    if cluster.replicas[leader][partition].counts_in_sync(follower):
        return
    known = cluster.remotes[leader][partition]
    if known.of(follower) is None or known.has_caught_up(follower):
        return
    yield cluster.evolve(
        remotes={(leader, partition): known.catch_up(follower)},
        faults=cluster.faults.spend("caught_up_followers"),
    )


def fall_behind(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A follower has not caught up for too long; nothing follows from that at once.

    Rules: B-HW-1.  Source: Partition.maybeIncrementLeaderHW.
    """
    known = cluster.remotes[leader][partition]
    if not known.has_caught_up(follower):
        return
    yield cluster.evolve(remotes={(leader, partition): known.fall_behind(follower)})
