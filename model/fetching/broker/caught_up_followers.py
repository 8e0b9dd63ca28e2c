"""Followers outside the ISR that caught up of late: the high watermark waits."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.state import Brokers
from replicheck.model.vocabulary import BrokerId, PartitionId


def catch_up(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, follower: BrokerId
) -> Iterator[Brokers]:
    """A follower outside the ISR has had all records of late.

    Abstraction: of when is left open; Kafka compares its offset with the leader's end
    at this fetch and at the one before.

    Rules: L-HW.  Source: Replica.updateFetchState.
    """
    if leader == follower or not cluster.faults.allow("caught_up_followers"):
        return
    if not cluster.presumes_leadership(leader, partition):
        return
    if cluster.replicas[leader][partition].counts_in_sync(follower):
        return
    if cluster.remotes[leader][partition].of(follower) is None:
        return
    if cluster.remotes[leader][partition].has_caught_up(follower):
        return
    caught_up = cluster.remotes[leader][partition].catch_up(follower)
    yield cluster.evolve(
        remotes={(leader, partition): caught_up},
        faults=cluster.faults.spend("caught_up_followers"),
    )


def fall_behind(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, follower: BrokerId
) -> Iterator[Brokers]:
    """A follower has not caught up for too long; nothing follows from that at once.

    Rules: L-HW.  Source: Partition.maybeIncrementLeaderHW.
    """
    if not cluster.remotes[leader][partition].has_caught_up(follower):
        return
    behind = cluster.remotes[leader][partition].fall_behind(follower)
    yield cluster.evolve(remotes={(leader, partition): behind})
