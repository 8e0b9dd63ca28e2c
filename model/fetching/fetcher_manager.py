"""The manager of a broker's replica fetcher threads, and its failed partitions.

Abstraction: a thread that is shut down ends at once. Kafka waits for it, and it has no
partition left by then, so what it still does has no effect.
"""

from __future__ import annotations

from replicheck.model.fetching.cells.calls import NO_CALL
from replicheck.model.fetching.cells.fetch_state import (
    UNTRACKED,
    FetcherThread,
    PartitionFetchState,
    PartitionOrder,
    Phase,
    ReplicaState,
)
from replicheck.model.fetching.partition_states import remove, update_and_move_to_end
from replicheck.model.fetching.state import Cluster, Thread
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


@rule
def add_fetcher_for_partitions(
    cluster: Cluster,
    follower: BrokerId,
    partition: PartitionId,
    leader: BrokerId,
    epoch: Epoch,
    offset: Offset,
) -> Cluster:
    """Give a partition to the thread that it belongs to, alive or not, or to a new one.

    Rules: F-MGR-1, F-MGR-2.  Source: AbstractFetcherManager.addFetcherForPartitions.
    """
    thread = Thread(follower, leader, cluster.bounds.fetcher_of(partition))
    if not cluster.thread(thread).exists():
        started = FetcherThread(Phase.MAYBE_TRUNCATE)
        cluster = cluster.evolve(threads={thread.index: started})
    return add_partitions(cluster, thread, partition, epoch, offset)


@rule
def add_partitions(
    cluster: Cluster,
    thread: Thread,
    partition: PartitionId,
    epoch: Epoch,
    offset: Offset,
) -> Cluster:
    """Begin with truncating, except in an epoch in which the partition is there.

    Rules: F-ADD, F-FAIL-3, F-STATE-4.  Source: AbstractFetcherThread.addPartitions.
    """
    failed = cluster.failed[thread.follower].remove(partition)
    cluster = cluster.evolve(failed={thread.follower: failed})
    if cluster.fetch_state(thread, partition).is_tracked_in(epoch):
        return cluster
    state = PartitionFetchState(ReplicaState.TRUNCATING, offset, epoch)
    return update_and_move_to_end(cluster, thread, partition, state)


@rule
def remove_fetcher_for_partitions(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Cluster:
    """Take a partition out of every thread and out of the failed ones.

    Rules: F-MGR-3, F-REMOVE, F-FAIL-3.
    Source: AbstractFetcherManager.removeFetcherForPartitions.
    """
    for thread in cluster.threads_of(broker):
        cluster = remove_partitions(cluster, thread, partition)
    failed = cluster.failed[broker].remove(partition)
    return cluster.evolve(failed={broker: failed})


@rule
def remove_partitions(
    cluster: Cluster, thread: Thread, partition: PartitionId
) -> Cluster:
    """Take a partition out of a thread; answers on their way will be ignored.

    Rules: F-REMOVE.  Source: AbstractFetcherThread.removePartitions.
    """
    return remove(cluster, thread, partition)


@rule
def mark_partition_failed(
    cluster: Cluster, thread: Thread, partition: PartitionId
) -> Cluster:
    """Give a partition up until the broker is told anew.

    Rules: F-FAIL-1, F-FAIL-2.  Source: AbstractFetcherThread.markPartitionFailed.
    """
    failed = cluster.failed[thread.follower].add(partition)
    cluster = cluster.evolve(failed={thread.follower: failed})
    return remove_partitions(cluster, thread, partition)


@rule
def shutdown_idle_fetcher_threads(cluster: Cluster, broker: BrokerId) -> Cluster:
    """End every thread that has no partition, a dead one included.

    Rules: F-MGR-4, F-THREAD-3.
    Source: AbstractFetcherManager.shutdownIdleFetcherThreads.
    """
    for thread in cluster.threads_of(broker):
        if not cluster.thread(thread).exists():
            continue
        if not is_tracking(cluster, thread):
            cluster = end_thread(cluster, thread)
    return cluster


def is_tracking(cluster: Cluster, thread: Thread) -> bool:
    """Tell whether a thread has any partition."""
    return any(
        cluster.fetch_state(thread, each).is_tracked()
        for each in cluster.bounds.partition_ids
    )


@rule
def die(cluster: Cluster, thread: Thread) -> Cluster:
    """End by an error that nothing caught: the partitions stay, and nobody serves them.

    Rules: F-THREAD-1, F-THREAD-2.  Source: ShutdownableThread.run.
    """
    partitions = cluster.bounds.partition_ids
    return cluster.evolve(
        threads={thread.index: FetcherThread(Phase.DEAD)},
        calls={thread.at(each): NO_CALL for each in partitions},
    )


def end_thread(cluster: Cluster, thread: Thread) -> Cluster:
    """Let a thread be gone, with its partitions and its request."""
    partitions = cluster.bounds.partition_ids
    return cluster.evolve(
        threads={thread.index: FetcherThread(Phase.ABSENT)},
        fetch_states={thread.at(each): UNTRACKED for each in partitions},
        calls={thread.at(each): NO_CALL for each in partitions},
        orders={thread.index: PartitionOrder()},
    )
