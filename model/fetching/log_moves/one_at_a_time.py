"""A thread that moves logs moves one after the other.

Source: ReplicaAlterLogDirsThread.selectPartitionToFetch.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import PartitionId


@rule
def select_partitions(cluster: Brokers, thread: ThreadId) -> Sequence[PartitionId]:
    """The partitions to be fetched if they are ready: all, or the one moved now.

    That is the one of before or, if it is not ready, the first that is.

    Rules: F-FETCH-1, F-ALT-4.
    Source: ReplicaAlterLogDirsThread.selectPartitionToFetch.
    """
    partitions = cluster.bounds.partition_ids
    if not thread.moves_logs():
        return partitions
    before = cluster.in_progress[thread.follower][thread.fetcher]
    if before is not None:
        partitions = (before, *partitions)
    for partition in partitions:
        if cluster.fetch_state(thread, partition).is_ready_for_fetch():
            return (partition,)
    return ()


def keep_in_progress(
    cluster: Brokers, thread: ThreadId, asked: Collection[PartitionId]
) -> Brokers:
    """Remember which log is moved now; if none is ready, that of before is forgotten.

    Abstraction: it is remembered only where there is another one.

    Rules: F-ALT-4.  Source: ReplicaAlterLogDirsThread.selectPartitionToFetch.
    """
    if not thread.moves_logs() or len(cluster.bounds.partition_ids) == 1:
        return cluster
    selected = next(iter(asked), None)
    if cluster.in_progress[thread.follower][thread.fetcher] == selected:
        return cluster
    return cluster.evolve(in_progress={(thread.follower, thread.fetcher): selected})
