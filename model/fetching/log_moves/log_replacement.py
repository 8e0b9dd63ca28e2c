"""The end of a move: the future log becomes the current one.

Source: Partition.maybeReplaceCurrentWithFutureReplica.
"""

from __future__ import annotations

from replicheck.model.fetching.cells.calls import FetchAnswer
from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.fetchers.fetcher_manager import remove_partitions
from replicheck.model.fetching.fetchers.own_logs import own_directory
from replicheck.model.fetching.fetchers.partition_errors import Caught
from replicheck.model.fetching.log_moves.checkpoint_files import without_future_log
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


@rule
def maybe_replace_current_with_future_replica(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> tuple[Brokers, Caught]:
    """Replace the current log, if the future one ends where it does; drop the move.

    Abstraction: if either directory is failing, both logs stay what they are.

    Rules: F-ALT-6.  Source: ReplicaAlterLogDirsThread.processPartitionData.
    """
    if not has_caught_up(cluster, thread, partition, answer):
        return cluster, Caught.NONE
    current = cluster.directory_of(thread.follower, partition)
    if not current.is_good() or not own_directory(cluster, thread, partition).is_good():
        return cluster, Caught.STORAGE_ERROR
    cluster = replace_current_with_future_log(cluster, thread.follower, partition)
    return remove_partitions(cluster, thread, partition), Caught.NONE


@rule
def has_caught_up(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> bool:
    """Tell whether both logs end at one offset now; no record is compared.

    Nothing is appended to or cut from the current log in between.

    Rules: F-ALT-6.  Source: Partition.maybeReplaceCurrentWithFutureReplica.
    """
    current = cluster.logs[thread.follower][partition]
    future = cluster.future_logs[thread.follower][partition]
    return future.log.ends_at(current.end_offset)


@rule
def replace_current_with_future_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Brokers:
    """Rename the future log to the current one, and delete what it replaces.

    The checkpoint of the directory that is left keeps what it has.

    Rules: F-ALT-6, F-ALT-8, G-HW-1.  Source: LogManager.replaceCurrentWithFutureLog.
    """
    index = (broker, partition)
    left = without_future_log(cluster, cluster.checkpoints[broker][partition])
    directory = cluster.future_logs[broker][partition].directory
    assert directory is not None, "it has a future log"
    log = log_after_move(cluster, broker, partition)
    offset = high_watermark_after_move(cluster, broker, partition)
    replica = cluster.replicas[broker][partition].keep(directory)
    return cluster.evolve(
        checkpoints={index: checkpoint_after_move(cluster, broker, partition)},
        logs={index: log},
        locations={index: directory},
        replicas={index: replica.with_high_watermark(offset)},
        future_logs={index: left},
    )


@rule
def checkpoint_after_move(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Offset:
    """The high watermark that is on disk for the new log: its directory's file has it.

    Rules: G-HW-1, G-LOAD.  Source: LogManager.replaceCurrentWithFutureLog.
    """
    return cluster.future_logs[broker][partition].stored_high_watermark


@rule
def log_after_move(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> PartitionLog:
    """The log that becomes the current one; it lacks epochs without a record.

    Rules: F-ALT-8.  Source: LogManager.replaceCurrentWithFutureLog.
    """
    return cluster.future_logs[broker][partition].log


@rule
def high_watermark_after_move(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Offset:
    """The high watermark of the log that is replaced, within the new one.

    Rules: F-ALT-6, G-HW-1.  Source: LogManager.replaceCurrentWithFutureLog.
    """
    offset = cluster.replicas[broker][partition].high_watermark
    return cluster.future_logs[broker][partition].log.nearest_to(offset)
