"""Kafka 2.3 and 2.4: a fetcher is added first, and failures are cleared later.

The manager clears them without the lock of the thread, which may have failed meanwhile
(KAFKA-9750).
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.broker import replica_manager
from replicheck.model.fetching.cells.fetch_state import (
    FetchingState,
    PartitionFetchState,
)
from replicheck.model.fetching.cells.requests import Becoming
from replicheck.model.fetching.fetchers import fetcher_manager
from replicheck.model.fetching.fetchers.partition_states import update_and_move_to_end
from replicheck.model.fetching.log_moves.alter_log_dirs import find_future_log
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


def begin_with_truncating(
    cluster: Brokers,
    thread: ThreadId,
    partition: PartitionId,
    epoch: Epoch,
    offset: Offset,
) -> Brokers:
    """Begin with truncating, and leave failures to the manager; moves are as later.

    Rules: F-ADD.  Source: Kafka 2.4, AbstractFetcherThread.addPartitions.
    """
    if thread.moves_logs():
        rule = original(fetcher_manager.add_partitions)
        return rule(cluster, thread, partition, epoch, offset)
    if cluster.fetch_state(thread, partition).is_tracked_in(epoch):
        return cluster
    state = PartitionFetchState(FetchingState.TRUNCATING, offset, epoch)
    return update_and_move_to_end(cluster, thread, partition, state)


def replace_fetcher(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """The broker takes the partition to the new leader's thread, which begins at once.

    Rules: B-FOLLOW, F-MGR-2.  Source: Kafka 2.4, ReplicaManager.makeFollowers.
    """
    if not cluster.handlers[broker].is_making(Becoming.FOLLOWER):
        return
    partition, content = replica_manager.request_under_way(cluster, broker)
    cluster = replica_manager.move_fetcher(cluster, broker, partition, content)
    added = cluster.handlers[broker].fetched()
    yield cluster.evolve(handlers={broker: added})


def clear_failure(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """The manager forgets that the partition failed, be it since it was added.

    Rules: F-MGR-2, F-FAIL-3.
    Source: Kafka 2.4, AbstractFetcherManager.addFetcherForPartitions.
    """
    if not cluster.handlers[broker].is_making(Becoming.FETCHED):
        return
    partition, _ = replica_manager.request_under_way(cluster, broker)
    failed = cluster.failed[broker].remove(partition)
    cluster = cluster.evolve(failed={broker: failed})
    yield find_future_log(cluster, broker, partition)


def with_late_failure_clearing(protocol: Protocol) -> Protocol:
    """A protocol whose manager clears failures after it added a partition."""
    return (
        protocol.replacing(fetcher_manager.add_partitions, by=begin_with_truncating)
        .replacing(replica_manager.replace_fetcher, by=replace_fetcher)
        .adding(clear_failure)
    )
