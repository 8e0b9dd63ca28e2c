"""Rules that no release of Kafka has: the least change that ends a flaw."""

from __future__ import annotations

from replicheck.model.kraft.broker import metadata_publisher
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.cells.partition import FollowerState
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


def make_leader_of_newer_partition_epoch(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A record of the partition epoch that an answer brought changes nothing.

    Rules: KR-PEND-8.  Source: Partition.makeLeader.
    """
    if cluster.partitions[broker].partition_epoch == record.partition_epoch:
        return cluster
    return original(metadata_publisher.make_leader)(cluster, broker, record)
