"""Mutations of what a leader takes for sure of its followers and of ZooKeeper."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import replication
from replicheck.model.cluster.environment import lost_replies
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, PartitionId


def count_fetches_of_the_process_before(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A follower that had caught up joins the ISR at a fetch (KAFKA-15221, B-ISR-2).

    Whether the same process fetches now is not asked.
    """

    def had_caught_up(
        cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
    ) -> bool:
        if replication.reaches_epoch_start(cluster, leader, follower, partition):
            return True
        replica = cluster.replicas[leader][partition]
        if replica.counts_in_sync(follower):
            return False
        known = cluster.remotes[leader][partition].of(follower)
        if known is None or known < replica.epoch_start:
            return False
        return known >= replica.high_watermark

    yield from replication.serve_fetch(
        cluster, leader, follower, partition, had_caught_up
    )


def give_up_on_another_version(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A leader whose write was refused does not look what is stored (KAFKA-1382)."""
    if not cluster.replicas[leader][partition].is_locked():
        return
    if cluster.processes[leader].is_cut_off:
        return
    settled = cluster.replicas[leader][partition].settle()
    yield cluster.evolve(replicas={(leader, partition): settled})


MUTATIONS: dict[str, Protocol] = {
    "kafka-15221-count-fetches-of-the-process-before": KAFKA_2_5.replacing(
        replication.fetch, by=count_fetches_of_the_process_before
    ),
    "kafka-1382-give-up-on-another-version": KAFKA_2_5.replacing(
        lost_replies.confirm_isr, by=give_up_on_another_version
    ),
}
