"""Kafka's metrics of the fetchers, as functions of the state.

Source: AbstractFetcherManager, FetcherLagMetrics.
"""

from __future__ import annotations

from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.state import Brokers, FetcherManager
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, PartitionId


@rule
def failed_partitions_count(
    cluster: Brokers, broker: BrokerId, manager: FetcherManager = FetcherManager.REPLICA
) -> int:
    """FailedPartitionsCount: the number of a fetcher manager's failed partitions.

    Rules: F-FAIL-5.  Source: AbstractFetcherManager, FailedPartitionsCount.
    """
    return len(cluster.failed_of(broker, manager).partitions)


def dead_thread_count(
    cluster: Brokers, broker: BrokerId, manager: FetcherManager = FetcherManager.REPLICA
) -> int:
    """DeadThreadCount: the number of a manager's threads that ended by an error.

    Rules: F-THREAD-1.  Source: AbstractFetcherManager.deadThreadCount.
    """
    threads = cluster.threads_of(broker, manager)
    return sum(cluster.thread(thread).is_at(ThreadPhase.DEAD) for thread in threads)


def consumer_lag(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> int | None:
    """ConsumerLag: the committed records that a broker has yet to fetch, if it does.

    Abstraction: Kafka keeps the number that the last answer gave; this is the number
    that an answer would give now.

    Rules: F-FAIL-5, F-STATE-4.
    Source: FetcherLagMetrics, ReplicaFetcherThread.shouldFollowerThrottle.
    """
    for thread in cluster.threads_of(broker):
        if cluster.fetch_state(thread, partition).is_tracked():
            committed = cluster.replicas[thread.leader][partition].high_watermark
            return max(0, committed - cluster.fetch_state(thread, partition).offset)
    return None
