"""Mutations of what a broker remembers of its replicas."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.fetching.broker import replica_manager
from replicheck.model.fetching.cells.log import EpochEntry
from replicheck.model.fetching.fetchers import fetcher_manager
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers, FetcherManager
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.shared.replica import Replica
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId


def lead_instead_of_following(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A broker that is told who leads leads itself (L-FOLLOW)."""
    for after in replica_manager.make_followers(cluster, broker, partition):
        content = cluster.inboxes[broker][partition].head
        directory = cluster.bounds.directory_of(partition)
        end = cluster.logs[broker][partition].end_offset
        replica = cluster.replicas[broker][partition]
        leader = replica.lead(broker, content, directory, end)
        yield after.evolve(replicas={(broker, partition): leader})


def lose_the_epoch_that_was_not_stored(
    cluster: Brokers, broker: BrokerId
) -> Iterator[Brokers]:
    """A leader whose epoch cannot be stored is in no epoch any more (L-LEAD)."""
    for after in replica_manager.make_leader(cluster, broker):
        partition, _ = replica_manager.request_under_way(cluster, broker)
        if not cluster.directory_of(broker, partition).is_good():
            blank = Replica().keep(cluster.bounds.directory_of(partition))
            after = after.evolve(replicas={(broker, partition): blank})
        yield after


def keep_an_epoch_that_has_no_record(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, epoch: Epoch
) -> Brokers:
    """Two epochs can start at one offset (E-1)."""
    log = cluster.logs[broker][partition]
    kept = evolve(log, epochs=(*log.epochs, EpochEntry(epoch, log.end_offset)))
    return cluster.evolve(logs={(broker, partition): kept})


def forget_failures_with_idle_threads(
    cluster: Brokers, broker: BrokerId, manager: FetcherManager = FetcherManager.REPLICA
) -> Brokers:
    """Partitions that failed are forgotten with the threads that end (F-MGR-4)."""
    for partition in cluster.bounds.partition_ids:
        failed = cluster.failed_of(broker, manager).remove(partition)
        cluster = cluster.with_failed(broker, failed, manager)
    rule = original(fetcher_manager.shutdown_idle_fetcher_threads)
    return rule(cluster, broker, manager)


MUTATIONS: dict[str, Protocol] = {
    "l-follow-lead-instead-of-following": KAFKA_2_5.replacing(
        replica_manager.make_followers, by=lead_instead_of_following
    ),
    "l-lead-lose-the-epoch-that-was-not-stored": KAFKA_2_5.replacing(
        replica_manager.make_leader, by=lose_the_epoch_that_was_not_stored
    ),
    "e-1-keep-an-epoch-that-has-no-record": KAFKA_2_5.replacing(
        replica_manager.assign_epoch_start_offset, by=keep_an_epoch_that_has_no_record
    ),
    "f-mgr-4-forget-failures-with-idle-threads": KAFKA_2_5.replacing(
        fetcher_manager.shutdown_idle_fetcher_threads,
        by=forget_failures_with_idle_threads,
    ),
}
