"""The log that a thread writes to: the current log of its broker, or the future one.

Source: ReplicaFetcherThread, ReplicaAlterLogDirsThread; each has its own latestEpoch,
logEndOffset, endOffsetForEpoch and truncate.
"""

from __future__ import annotations

from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.shared.log_directory import LogDirectory
from replicheck.model.vocabulary import Offset, PartitionId


def has_own_log(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether the broker has the log: its replica is online, and moves if need be.

    Rules: F-ALT-2.
    Source: ReplicaManager.localLogOrException,
    ReplicaManager.futureLocalLogOrException.
    """
    if not cluster.replicas[thread.follower][partition].is_online():
        return False
    if not thread.moves_logs():
        return True
    return cluster.future_logs[thread.follower][partition].exists()


def own_log(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> PartitionLog:
    """The log.

    Rules: F-ALT-2.
    Source: ReplicaAlterLogDirsThread.latestEpoch,
    ReplicaAlterLogDirsThread.logEndOffset.
    """
    if thread.moves_logs():
        return cluster.future_logs[thread.follower][partition].log
    return cluster.logs[thread.follower][partition]


def own_directory(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> LogDirectory:
    """The directory of the log, which there must be."""
    if not thread.moves_logs():
        return cluster.directory_of(thread.follower, partition)
    directory = cluster.future_logs[thread.follower][partition].directory
    assert directory is not None, "a log that is written to has a directory"
    return cluster.directories[thread.follower][directory]


def own_high_watermark(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Offset:
    """The high watermark of the log."""
    if thread.moves_logs():
        return cluster.future_logs[thread.follower][partition].high_watermark
    return cluster.replicas[thread.follower][partition].high_watermark


def with_own_log(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, log: PartitionLog
) -> Brokers:
    """The state with other records or epochs in the log."""
    index = (thread.follower, partition)
    if not thread.moves_logs():
        return cluster.evolve(logs={index: log})
    future = cluster.future_logs[thread.follower][partition].with_log(log)
    return cluster.evolve(future_logs={index: future})


def with_own_high_watermark(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> Brokers:
    """The state with another high watermark of the log."""
    index = (thread.follower, partition)
    if thread.moves_logs():
        future = cluster.future_logs[thread.follower][partition]
        return cluster.evolve(future_logs={index: future.with_high_watermark(offset)})
    replica = cluster.replicas[thread.follower][partition].with_high_watermark(offset)
    return cluster.evolve(replicas={index: replica})
