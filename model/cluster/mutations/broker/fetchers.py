"""Mutations of who fetches what, and of who leads."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.cluster.broker import (
    leader_and_isr,
    log_dirs,
    replica_roles,
    replication,
)
from replicheck.model.cluster.broker.log_creation import Creation
from replicheck.model.cluster.cells.channels import Answer, PartitionToLead
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def let_one_partition_end_the_thread(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """All partitions of the thread of a replica that fails stop too (M-35).

    That was so before KIP-461; in Kafka 2.5.1 it is the rule B-FETCH-4.
    """
    every = cluster.bounds.partition_ids
    for after in log_dirs.mark_replicas_offline(cluster, broker, directory):
        before = cluster.fetchers[broker]
        ended = {
            before[partition].leader
            for partition in every
            if not before[partition].is_idle()
            and after.fetchers[broker][partition].is_idle()
        }
        stopped = {
            (broker, partition): after.fetchers[broker][partition].stop()
            for partition in every
            if before[partition].leader in ended
        }
        yield after.evolve(fetchers=stopped)


def mark_and_go_on_fetching(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """The handler leaves the fetchers as they are (B-LDF-1)."""
    for after in log_dirs.mark_replicas_offline(cluster, broker, directory):
        yield _with_fetchers_of(cluster, after, broker)


def obey_and_go_on_fetching(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """A new leader epoch leaves the fetchers as they are (B-LIR-5, B-LIR-6)."""
    for after in leader_and_isr.handle_leader_and_isr(cluster, controller, broker):
        yield _with_fetchers_of(cluster, after, broker)


def _with_fetchers_of(before: Cluster, after: Cluster, broker: BrokerId) -> Cluster:
    every = before.bounds.partition_ids
    kept = {
        (broker, partition): before.fetchers[broker][partition] for partition in every
    }
    return after.evolve(fetchers=kept)


def lead_instead_of_following(
    cluster: Cluster, broker: BrokerId, asked: PartitionToLead, creation: Creation
) -> tuple[Cluster, Answer]:
    """A broker that is told who leads leads itself (B-LIR-6)."""
    return next(replica_roles.become_leader(cluster, broker, asked, creation))


def serve_removed_replicas(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A leader serves a replica that a reassignment took away (KAFKA-1097, B-FETCH-1).

    Neither a fetch nor its leader says in which epoch it is.
    """
    known = cluster.fetchers[follower][partition]
    if known.leader == leader and cluster.presumes_leadership(leader, partition):
        now = cluster.replicas[leader][partition].epoch
        current = {(follower, partition): evolve(known, epoch=now)}
        informed = cluster.evolve(fetchers=current)
        for after in replication.fetch(informed, leader, follower, partition):
            yield after.evolve(fetchers={(follower, partition): known})


MUTATIONS: dict[str, Protocol] = {
    "kafka-1097-serve-removed-replicas": KAFKA_2_5.replacing(
        replication.fetch, by=serve_removed_replicas
    ),
    "m-35-let-one-partition-end-the-thread": KAFKA_2_5.replacing(
        log_dirs.mark_replicas_offline, by=let_one_partition_end_the_thread
    ),
    "b-ldf-1-mark-and-go-on-fetching": KAFKA_2_5.replacing(
        log_dirs.mark_replicas_offline, by=mark_and_go_on_fetching
    ),
    "b-lir-5-obey-and-go-on-fetching": KAFKA_2_5.replacing(
        leader_and_isr.handle_leader_and_isr, by=obey_and_go_on_fetching
    ),
    "b-lir-6-lead-instead-of-following": KAFKA_2_5.replacing(
        replica_roles.become_follower, by=lead_instead_of_following
    ),
}
