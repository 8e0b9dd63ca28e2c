"""The two managers of a broker's fetcher threads, and their failed partitions.

Abstraction: a thread that is shut down ends at once. Kafka waits for it, and it has no
partition left by then, so what it still does has no effect.
"""

from __future__ import annotations

from replicheck.model.fetching.cells.calls import NO_CALL
from replicheck.model.fetching.cells.fetch_state import (
    UNTRACKED,
    FetcherThread,
    FetchingState,
    PartitionFetchState,
    PartitionOrder,
    ThreadPhase,
)
from replicheck.model.fetching.fetchers.partition_states import (
    remove,
    update_and_move_to_end,
)
from replicheck.model.fetching.state import Brokers, FetcherManager, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


@rule
def add_fetcher_for_partitions(
    cluster: Brokers,
    follower: BrokerId,
    partition: PartitionId,
    leader: BrokerId,
    epoch: Epoch,
    offset: Offset,
) -> Brokers:
    """Give a partition to the thread that it belongs to, alive or not, or to a new one.

    Rules: F-MGR-1, F-MGR-2.  Source: AbstractFetcherManager.addFetcherForPartitions.
    """
    thread = cluster.thread_for(follower, leader, partition)
    if not cluster.thread(thread).exists():
        started = FetcherThread(ThreadPhase.MAYBE_TRUNCATE)
        cluster = cluster.evolve(threads={thread.index: started})
    return add_partitions(cluster, thread, partition, epoch, offset)


@rule
def add_partitions(
    cluster: Brokers,
    thread: ThreadId,
    partition: PartitionId,
    epoch: Epoch,
    offset: Offset,
) -> Brokers:
    """Begin with truncating, except in an epoch in which the partition is there.

    Rules: F-ADD, F-FAIL-3, F-STATE-4.  Source: AbstractFetcherThread.addPartitions.
    """
    if not is_to_be_added(cluster, thread, partition):
        return cluster
    failed = cluster.failed_of(thread.follower, thread.manager).remove(partition)
    cluster = cluster.with_failed(thread.follower, failed, thread.manager)
    if cluster.fetch_state(thread, partition).is_tracked_in(epoch):
        return cluster
    state = PartitionFetchState(FetchingState.TRUNCATING, offset, epoch)
    return update_and_move_to_end(cluster, thread, partition, state)


@rule
def is_to_be_added(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether a partition that is to be moved still has a future log.

    Rules: F-ADD, F-FAIL-3.  Source: ReplicaAlterLogDirsThread.addPartitions.
    """
    if not thread.moves_logs():
        return True
    return cluster.future_logs[thread.follower][partition].exists()


@rule
def remove_fetcher_for_partitions(
    cluster: Brokers,
    broker: BrokerId,
    partition: PartitionId,
    manager: FetcherManager = FetcherManager.REPLICA,
) -> Brokers:
    """Take a partition out of every thread of a manager and out of its failed ones.

    Rules: F-MGR-3, F-REMOVE, F-FAIL-3.
    Source: AbstractFetcherManager.removeFetcherForPartitions.
    """
    for thread in cluster.threads_of(broker, manager):
        cluster = remove_partitions(cluster, thread, partition)
    failed = cluster.failed_of(broker, manager).remove(partition)
    return cluster.with_failed(broker, failed, manager)


@rule
def remove_partitions(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """Take a partition out of a thread; answers on their way will be ignored.

    Rules: F-REMOVE.  Source: AbstractFetcherThread.removePartitions.
    """
    return remove(cluster, thread, partition)


@rule
def mark_partition_failed(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """Give a partition up until the broker is told anew.

    Rules: F-FAIL-1, F-FAIL-2.  Source: AbstractFetcherThread.markPartitionFailed.
    """
    failed = cluster.failed_of(thread.follower, thread.manager).add(partition)
    cluster = cluster.with_failed(thread.follower, failed, thread.manager)
    return remove_partitions(cluster, thread, partition)


@rule
def mark_partitions_for_truncation(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, offset: Offset
) -> Brokers:
    """Have a future log cut where its current log was, if it is being moved now.

    Rules: F-MARK.  Source: AbstractFetcherManager.markPartitionsForTruncation.
    """
    thread = cluster.thread_for(broker, broker, partition)
    if not cluster.fetch_state(thread, partition).is_tracked():
        return cluster
    state = cluster.fetch_state(thread, partition).marked(offset)
    return update_and_move_to_end(cluster, thread, partition, state)


@rule
def shutdown_idle_fetcher_threads(
    cluster: Brokers, broker: BrokerId, manager: FetcherManager = FetcherManager.REPLICA
) -> Brokers:
    """End every thread that has no partition, a dead one included.

    Rules: F-MGR-4, F-THREAD-3.
    Source: AbstractFetcherManager.shutdownIdleFetcherThreads, ReplicaManager.startup.
    """
    for thread in cluster.threads_of(broker, manager):
        if not cluster.thread(thread).exists():
            continue
        if not is_tracking(cluster, thread):
            cluster = end_thread(cluster, thread)
    return cluster


def is_tracking(cluster: Brokers, thread: ThreadId) -> bool:
    """Tell whether a thread has any partition."""
    return any(
        cluster.fetch_state(thread, partition).is_tracked()
        for partition in cluster.bounds.partition_ids
    )


@rule
def die(cluster: Brokers, thread: ThreadId) -> Brokers:
    """End by an error that nothing caught: the partitions stay, but without a thread.

    Rules: F-THREAD-1, F-THREAD-2.  Source: ShutdownableThread.run.
    """
    partitions = cluster.bounds.partition_ids
    return cluster.evolve(
        threads={thread.index: FetcherThread(ThreadPhase.DEAD)},
        calls={thread.at(partition): NO_CALL for partition in partitions},
    )


def end_thread(cluster: Brokers, thread: ThreadId) -> Brokers:
    """Let a thread be gone, with its partitions and its request."""
    partitions = cluster.bounds.partition_ids
    return cluster.evolve(
        threads={thread.index: FetcherThread(ThreadPhase.ABSENT)},
        fetch_states={thread.at(partition): UNTRACKED for partition in partitions},
        calls={thread.at(partition): NO_CALL for partition in partitions},
        orders={thread.index: PartitionOrder()},
        in_progress=(
            {(thread.follower, thread.fetcher): None} if thread.moves_logs() else {}
        ),
    )
