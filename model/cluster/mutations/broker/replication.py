"""Mutations of what followers copy, and of what producers are told."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import clients, replication
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, PartitionId


def acknowledge_with_too_few_in_sync(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """Once a record is there, min.insync.replicas counts no more (M-37, B-PROD-1)."""
    for after in clients.complete_produce(cluster, leader, partition):
        yield _with_next_acknowledged(cluster, after, leader, partition)


def acknowledge_at_once(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A producer does not wait for the replicas in sync (B-PROD-1)."""
    produces = cluster.produces[leader][partition]
    if produces.is_empty():
        return
    if clients.client_error(cluster, leader, partition) is not None:
        return
    after = cluster.evolve(produces={(leader, partition): produces.pop()})
    yield _with_next_acknowledged(cluster, after, leader, partition)


def _with_next_acknowledged(
    before: Cluster, after: Cluster, leader: BrokerId, partition: PartitionId
) -> Cluster:
    offset = before.produces[leader][partition].next
    directory = before.directory_of(leader, partition)
    record = before.logs[leader][partition][directory].record_at(offset)
    known = before.acknowledged[partition].add(offset, record)
    return after.evolve(acknowledged={partition: known})


def fetch_without_truncating(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A new follower keeps what its leader does not have (B-FETCH-2)."""
    for after in replication.truncate(cluster, leader, follower, partition):
        truncated = {(follower, partition): after.fetchers[follower][partition]}
        yield cluster.evolve(fetchers=truncated)


def take_over_the_high_watermark(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A follower's high watermark is its leader's, wherever its log ends (B-HW-2)."""
    for after in replication.fetch(cluster, leader, follower, partition):
        high_watermark = cluster.replicas[leader][partition].high_watermark
        replica = after.replicas[follower][partition]
        replica = replica.with_high_watermark(high_watermark)
        yield after.evolve(replicas={(follower, partition): replica})


MUTATIONS: dict[str, Protocol] = {
    "m-37-acknowledge-with-too-few-in-sync": KAFKA_2_5.replacing(
        clients.complete_produce, by=acknowledge_with_too_few_in_sync
    ),
    "b-prod-1-acknowledge-at-once": KAFKA_2_5.replacing(
        clients.complete_produce, by=acknowledge_at_once
    ),
    "b-fetch-2-fetch-without-truncating": KAFKA_2_5.replacing(
        replication.truncate, by=fetch_without_truncating
    ),
    "b-hw-2-take-over-the-high-watermark": KAFKA_2_5.replacing(
        replication.fetch, by=take_over_the_high_watermark
    ),
}
