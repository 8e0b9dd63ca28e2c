"""Mutations of how failed partitions are remembered, and fetchers added and removed."""

from __future__ import annotations

from replicheck.model.fetching import metrics
from replicheck.model.fetching.broker import replica_manager
from replicheck.model.fetching.cells.fetch_state import UNTRACKED
from replicheck.model.fetching.fetchers import fetcher_manager
from replicheck.model.fetching.fetchers.fetcher_manager import remove_partitions
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers, FetcherManager, ThreadId
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, PartitionId


def fail_without_removing(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """A partition that failed stays in its thread (F-FAIL-1)."""
    failed = cluster.failed_of(thread.follower, thread.manager).add(partition)
    return cluster.with_failed(thread.follower, failed, thread.manager)


def remove_without_failing(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """Nothing remembers that a partition failed (F-FAIL-1)."""
    return remove_partitions(cluster, thread, partition)


def remove_and_leave_the_failure(
    cluster: Brokers,
    broker: BrokerId,
    partition: PartitionId,
    manager: FetcherManager = FetcherManager.REPLICA,
) -> Brokers:
    """Taking a partition out of every thread leaves it failed (F-MGR-3)."""
    for thread in cluster.threads_of(broker, manager):
        cluster = remove_partitions(cluster, thread, partition)
    return cluster


def add_before_removing(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, content: LeaderAndIsr
) -> Brokers:
    """A new fetcher is removed together with the old one (B-FOLLOW)."""
    assert content.leader is not None, "a follower is told its leader"
    offset = cluster.replicas[broker][partition].high_watermark
    cluster = fetcher_manager.add_fetcher_for_partitions(
        cluster, broker, partition, content.leader, content.epoch, offset
    )
    return fetcher_manager.remove_fetcher_for_partitions(cluster, broker, partition)


def add_without_removing(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, content: LeaderAndIsr
) -> Brokers:
    """The old leader's thread keeps the partition (B-FOLLOW)."""
    assert content.leader is not None, "a follower is told its leader"
    offset = cluster.replicas[broker][partition].high_watermark
    return fetcher_manager.add_fetcher_for_partitions(
        cluster, broker, partition, content.leader, content.epoch, offset
    )


def move_only_to_another_leader(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, content: LeaderAndIsr
) -> Brokers:
    """A new epoch of the same leader leaves the fetcher as it is (L-FOLLOW)."""
    assert content.leader is not None, "a follower is told its leader"
    thread = cluster.thread_for(broker, content.leader, partition)
    if cluster.fetch_state(thread, partition).is_tracked():
        return cluster
    if cluster.failed[broker].has(partition):
        return cluster
    rule = original(replica_manager.move_fetcher)
    return rule(cluster, broker, partition, content)


def count_delayed_partitions_too(
    cluster: Brokers, broker: BrokerId, manager: FetcherManager = FetcherManager.REPLICA
) -> int:
    """The metric counts what will be tried again, too (F-FAIL-5)."""
    delayed = sum(
        cluster.fetch_state(thread, partition).is_delayed
        for thread in cluster.threads_of(broker, manager)
        for partition in cluster.bounds.partition_ids
    )
    count = original(metrics.failed_partitions_count)
    return delayed + count(cluster, broker, manager)


def remove_from_no_other_thread(
    cluster: Brokers,
    broker: BrokerId,
    partition: PartitionId,
    manager: FetcherManager = FetcherManager.REPLICA,
) -> Brokers:
    """Only the first thread drops a partition (F-MGR-3)."""
    thread, *_others = cluster.threads_of(broker, manager)
    failed = cluster.failed_of(broker, manager).remove(partition)
    cluster = cluster.with_failed(broker, failed, manager)
    return cluster.evolve(fetch_states={thread.at(partition): UNTRACKED})


MUTATIONS: dict[str, Protocol] = {
    "f-fail-1-fail-without-removing": KAFKA_2_5.replacing(
        fetcher_manager.mark_partition_failed, by=fail_without_removing
    ),
    "f-fail-1-remove-without-failing": KAFKA_2_5.replacing(
        fetcher_manager.mark_partition_failed, by=remove_without_failing
    ),
    "f-mgr-3-remove-and-leave-the-failure": KAFKA_2_5.replacing(
        fetcher_manager.remove_fetcher_for_partitions, by=remove_and_leave_the_failure
    ),
    "f-mgr-3-remove-from-no-other-thread": KAFKA_2_5.replacing(
        fetcher_manager.remove_fetcher_for_partitions, by=remove_from_no_other_thread
    ),
    "f-fail-5-count-delayed-partitions-too": KAFKA_2_5.replacing(
        metrics.failed_partitions_count, by=count_delayed_partitions_too
    ),
    "b-follow-add-before-removing": KAFKA_2_5.replacing(
        replica_manager.move_fetcher, by=add_before_removing
    ),
    "b-follow-add-without-removing": KAFKA_2_5.replacing(
        replica_manager.move_fetcher, by=add_without_removing
    ),
    "l-follow-move-only-to-another-leader": KAFKA_2_5.replacing(
        replica_manager.move_fetcher, by=move_only_to_another_leader
    ),
}
