"""Moves of logs between the directories of a broker: begun, taken up anew, given up.

The copying is that of the fetcher threads: a thread that fetches from its own broker.

Source: ReplicaManager.alterReplicaLogDirs, ReplicaAlterLogDirsManager.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.cells.future_log import FutureLog
from replicheck.model.fetching.cells.requests import IDLE, Becoming, RequestHandler
from replicheck.model.fetching.fetchers.fetcher_manager import (
    add_fetcher_for_partitions,
    remove_fetcher_for_partitions,
    shutdown_idle_fetcher_threads,
)
from replicheck.model.fetching.log_moves.checkpoint_files import without_future_log
from replicheck.model.fetching.state import Brokers, FetcherManager
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, DirectoryId, Offset, PartitionId


def alter_replica_log_dirs(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, directory: DirectoryId
) -> Iterator[Brokers]:
    """An operator has a log moved to a directory; a move to another one is given up.

    To name the directory where the log is only gives up its move. Abstraction: what the
    broker refuses is not asked for.

    Rules: F-ALT-1, F-ALT-5, F-FAIL-3.  Source: ReplicaManager.alterReplicaLogDirs.
    """
    if not cluster.faults.allow("moves"):
        return
    if not cluster.processes[broker].is_running:
        return
    if not cluster.handlers[broker].is_idle():
        return
    if not cluster.replicas[broker][partition].is_online():
        return
    if any(not found.is_good() for found in cluster.directories[broker]):
        return
    future = cluster.future_logs[broker][partition]
    begins = is_elsewhere(cluster, broker, partition, directory)
    if future.is_in(directory) or not (begins or future.exists()):
        return
    cluster = cluster.evolve(faults=cluster.faults.spend("moves"))
    cluster = give_up_move(cluster, broker, partition)
    if begins:
        cluster = begin_move(cluster, broker, partition, directory)
    yield cluster


@rule
def is_elsewhere(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, directory: DirectoryId
) -> bool:
    """Tell whether a log is not in a directory.

    Rules: F-ALT-1.  Source: Partition.maybeCreateFutureReplica.
    """
    return cluster.locations[broker][partition] != directory


def begin_move(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, directory: DirectoryId
) -> Brokers:
    """Create an empty future log, and add its fetcher in the replica's leader epoch.

    The checkpoint of its directory keeps what it has.

    Rules: F-ALT-1, F-ALT-5, G-HW-1.  Source: Partition.maybeCreateFutureReplica.
    """
    stored = cluster.future_logs[broker][partition].stored_high_watermark
    future = FutureLog(directory, stored_high_watermark=stored)
    cluster = cluster.evolve(future_logs={(broker, partition): future})
    return add_mover(cluster, broker, partition, future.high_watermark)


def add_mover(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, offset: Offset
) -> Brokers:
    """Add a future log to the thread that fetches from its own broker.

    Rules: F-ALT-1.  Source: ReplicaAlterLogDirsManager.addPartitionsToFetcherThread.
    """
    epoch = cluster.replicas[broker][partition].epoch
    assert epoch is not None, "a replica that is online has an epoch"
    return add_fetcher_for_partitions(cluster, broker, partition, broker, epoch, offset)


def give_up_move(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> Brokers:
    """Remove the fetcher of a future log, and the log.

    The checkpoint of its directory keeps what it has.

    Rules: F-FAIL-3.  Source: Partition.removeFutureLocalReplica.
    """
    cluster = remove_fetcher_for_partitions(
        cluster, broker, partition, FetcherManager.ALTER_LOG_DIRS
    )
    stored = cluster.future_logs[broker][partition].stored_high_watermark
    left = without_future_log(cluster, stored)
    return cluster.evolve(future_logs={(broker, partition): left})


def handle_future_log_dir_failure(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The handler gives up a move into a failing directory; the current log stays.

    Rules: B-DIR-1, F-FAIL-3.  Source: ReplicaManager.handleLogDirFailure.
    """
    directory = cluster.future_logs[broker][partition].directory
    if directory is None or not cluster.directories[broker][directory].is_failing():
        return
    if not cluster.replicas[broker][partition].is_online():
        return
    if not cluster.handlers[broker].is_idle():
        return
    yield give_up_move(cluster, broker, partition)


def find_future_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Brokers:
    """Go on with the move of a replica that was changed, or end the request.

    Rules: B-LAI-2, F-ALT-7.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    if not is_to_be_moved_on(cluster, broker, partition):
        return end_request(cluster, broker)
    if cannot_host_future_log(cluster, broker, partition):
        return cluster.evolve(handlers={broker: IDLE})
    return await_mover(cluster, broker, partition)


@rule
def cannot_host_future_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether the high watermark of a future log that was found cannot be read.

    That is a storage error which ends the request; idle threads stay.

    Rules: B-LAI-2, F-ALT-7.  Source: Partition.createLog, OffsetCheckpointFile.read.
    """
    future = cluster.future_logs[broker][partition]
    assert future.directory is not None, "the replica is to be moved on"
    if future.is_hosted:
        return False
    return not cluster.directories[broker][future.directory].is_good()


def await_mover(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> Brokers:
    """Host a future log, and remember where its fetcher is to begin.

    Rules: F-ALT-5.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    offset = initial_offset_of_move(cluster, broker, partition)
    handler = RequestHandler(Becoming.MOVER, partition, offset=offset)
    hosted = cluster.future_logs[broker][partition].host()
    return cluster.evolve(
        handlers={broker: handler}, future_logs={(broker, partition): hosted}
    )


@rule
def is_to_be_moved_on(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a replica that a request named has a current and a future log.

    Rules: B-LAI-2, F-FAIL-3, F-ALT-7.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    if not cluster.future_logs[broker][partition].exists():
        return False
    return not cluster.directory_of(broker, partition).is_offline()


@rule
def initial_offset_of_move(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Offset:
    """The current log's high watermark, also if the future one ends below it.

    Rules: F-ALT-5.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    return cluster.replicas[broker][partition].high_watermark


def move_on(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """The broker adds the fetcher of a future log in the replica's leader epoch.

    Rules: B-LAI-2, F-FAIL-3, F-ALT-7.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    if not cluster.handlers[broker].is_making(Becoming.MOVER):
        return
    partition = cluster.handlers[broker].partition
    offset = cluster.handlers[broker].offset
    assert partition is not None, "a request is under way"
    assert offset is not None, "its partition is moved"
    cluster = add_mover(cluster, broker, partition, offset)
    yield end_request(cluster, broker)


def end_request(cluster: Brokers, broker: BrokerId) -> Brokers:
    """End idle threads of both managers, and unlock the replicas.

    Rules: B-LAI-2, F-MGR-4.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    for manager in FetcherManager:
        cluster = shutdown_idle_fetcher_threads(cluster, broker, manager)
    return cluster.evolve(handlers={broker: IDLE})


def shutdown_idle_replica_alter_log_dirs_thread(
    cluster: Brokers, broker: BrokerId
) -> Iterator[Brokers]:
    """The broker ends those threads that have no log to move any more.

    Rules: F-MGR-4.  Source: ReplicaManager.shutdownIdleReplicaAlterLogDirsThread.
    """
    after = shutdown_idle_fetcher_threads(
        cluster, broker, FetcherManager.ALTER_LOG_DIRS
    )
    if after is not cluster:
        yield after
