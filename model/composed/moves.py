"""Moves of logs between directories, where they meet controllers and failed disks.

The future log and its thread are those of `model.fetching`.

Source: ReplicaManager.alterReplicaLogDirs, ReplicaManager.becomeLeaderOrFollower,
ReplicaManager.stopReplicas.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from replicheck.model.cluster.broker import deletion
from replicheck.model.cluster.broker.requests import is_stale
from replicheck.model.cluster.cells.channels import (
    Answer,
    LeaderAndIsrRequest,
    Request,
    StopReplicaRequest,
)
from replicheck.model.cluster.environment import faults
from replicheck.model.composed.fetcher_view import (
    place_of_log,
    seen_by_fetchers,
    whole_of,
)
from replicheck.model.composed.state import Composed, DirectoryLog
from replicheck.model.fetching.cells.future_log import NO_FUTURE_LOG
from replicheck.model.fetching.fetchers.fetcher_manager import (
    remove_fetcher_for_partitions,
)
from replicheck.model.fetching.log_moves import alter_log_dirs, log_replacement
from replicheck.model.fetching.state import Brokers, FetcherManager
from replicheck.model.rules import original, rule
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def alter_replica_log_dirs(
    cluster: Composed, broker: BrokerId, partition: PartitionId, directory: DirectoryId
) -> Iterator[Composed]:
    """An operator has a log moved to a directory; a move to another one is given up.

    Abstraction: a replica that was never told of a leader is not moved.

    Rules: F-ALT-1, F-ALT-5, F-FAIL-3.  Source: ReplicaManager.alterReplicaLogDirs.
    """
    replica = cluster.replicas[broker][partition]
    if replica.lacks_log() or replica.epoch is None or replica.is_locked():
        return
    view = seen_by_fetchers(cluster)
    for after in alter_log_dirs.alter_replica_log_dirs(
        view, broker, partition, directory
    ):
        yield whole_of(after)


def obey_for_moves(before: Composed, after: Composed, broker: BrokerId) -> Composed:
    """Take the moves up that a request names, or give up the moves that it stops.

    Rules: B-LAI-2, B-STOP-1.
    Source: ReplicaManager.becomeLeaderOrFollower, ReplicaManager.stopReplicas.
    """
    if not any(future.exists() for future in before.future_logs[broker]):
        return after
    request = request_handled(before, after, broker)
    if request is None or is_stale(before, broker, request):
        return after
    if isinstance(request, LeaderAndIsrRequest):
        return take_moves_up(after, broker, request)
    if isinstance(request, StopReplicaRequest):
        return stop_moves(after, broker, request)
    return after


def request_handled(
    before: Composed, after: Composed, broker: BrokerId
) -> Request | None:
    """The request that a broker took between two states, if it took one."""
    if after.duplicate_requests[broker] != before.duplicate_requests[broker]:
        return before.duplicate_requests[broker].head
    for controller in before.bounds.broker_ids:
        channel = before.channels[controller][broker]
        if after.channels[controller][broker] != channel:
            return channel.head
    return None


def take_moves_up(
    cluster: Composed, broker: BrokerId, request: LeaderAndIsrRequest
) -> Composed:
    """Put the moves of all partitions of a request into their leader epochs of now.

    Also of one whose leader epoch is not newer; but of none if the request was aborted.

    Rules: B-LAI-2, F-FAIL-3, F-ALT-5, F-ALT-7.
    Source: ReplicaManager.becomeLeaderOrFollower.
    """
    partitions = [asked.partition for asked in request.partitions]
    if any(is_placeholder(cluster, broker, partition) for partition in partitions):
        return cluster
    view = seen_by_fetchers(cluster)
    for partition in partitions:
        if finds_both_logs(cluster, broker, partition):
            view = move_on(view, broker, partition)
    return whole_of(view)


def is_placeholder(cluster: Composed, broker: BrokerId, partition: PartitionId) -> bool:
    """Tell whether an aborted request left a partition without a log.

    Rules: B-LIR-10.  Source: Partition.createLog.
    """
    replica = cluster.replicas[broker][partition]
    return replica.is_online() and replica.lacks_log()


def finds_both_logs(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a replica that has been told of a leader has a future log as well.

    Rules: F-ALT-7.  Source: LogManager.getLog.
    """
    replica = cluster.replicas[broker][partition]
    if not replica.is_online() or replica.epoch is None:
        return False
    directory = cluster.future_logs[broker][partition].directory
    if directory is None:
        return False
    return not cluster.directories[broker][directory].is_offline()


def move_on(view: Brokers, broker: BrokerId, partition: PartitionId) -> Brokers:
    """Add the fetcher of a future log in the replica's leader epoch.

    Abstraction: also in a failing directory, whose checkpoint cannot be read.

    Rules: F-FAIL-3, F-ALT-5, F-ALT-7.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    if not alter_log_dirs.is_to_be_moved_on(view, broker, partition):
        return view
    hosted = view.future_logs[broker][partition].host()
    view = view.evolve(future_logs={(broker, partition): hosted})
    offset = alter_log_dirs.initial_offset_of_move(view, broker, partition)
    return alter_log_dirs.add_mover(view, broker, partition, offset)


def stop_moves(
    cluster: Composed, broker: BrokerId, request: StopReplicaRequest
) -> Composed:
    """Take the partitions of a request out of the threads that move logs.

    Rules: B-STOP-1, F-FAIL-3.  Source: ReplicaManager.stopReplicas.
    """
    for partition in request.partitions:
        cluster = stop_move(cluster, broker, partition)
    return cluster


@rule
def stop_move(cluster: Composed, broker: BrokerId, partition: PartitionId) -> Composed:
    """Take a partition out of the threads that move logs, failed or not.

    Rules: F-MGR-3, F-FAIL-3.
    Source: ReplicaAlterLogDirsManager.removeFetcherForPartitions.
    """
    view = remove_fetcher_for_partitions(
        seen_by_fetchers(cluster), broker, partition, FetcherManager.ALTER_LOG_DIRS
    )
    return whole_of(view)


def fail_moves(before: Composed, after: Composed, broker: BrokerId) -> Composed:
    """End moves out of the directory that the handler marks, and give up those into it.

    The copy of a log that is offline now stays where it is.

    Rules: B-DIR-1, F-FAIL-3.  Source: ReplicaManager.handleLogDirFailure.
    """
    for partition in after.bounds.partition_ids:
        if after.replicas[broker][partition].is_offline():
            if not before.replicas[broker][partition].is_offline():
                after = stop_move(after, broker, partition)
        elif is_moved_into_marked(after, broker, partition):
            after = give_up_move(after, broker, partition)
    return after


def is_moved_into_marked(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a future log is in the directory that the handler marks."""
    directory = cluster.future_logs[broker][partition].directory
    if directory is None:
        return False
    return cluster.handlers[broker].has_marked(directory)


@rule
def give_up_move(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> Composed:
    """Forget a future log whose directory fails, and its fetcher before.

    Rules: B-DIR-1, F-FAIL-3.  Source: ReplicaManager.handleLogDirFailure.
    """
    view = seen_by_fetchers(cluster)
    return whole_of(alter_log_dirs.give_up_move(view, broker, partition))


def delete_replica(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> Iterator[tuple[Composed, Answer]]:
    """Delete a replica's future log together with its log.

    Rules: B-STOP-1.  Source: Partition.delete, ReplicaManager.stopReplica.
    """
    for after, answer in original(deletion.delete_replica)(cluster, broker, partition):
        whole = cast(Composed, after)
        if answer is Answer.NONE:
            whole = whole.evolve(future_logs={(broker, partition): NO_FUTURE_LOG})
        yield whole, answer


def replace_directory(
    cluster: Composed, broker: BrokerId, directory: DirectoryId
) -> Iterator[Composed]:
    """An operator puts an empty disk in the place of a failed one.

    Rules: B-DIR-1, B-START-6.  Source: KIP-112, scenario 4.
    """
    for after in faults.replace_directory(cluster, broker, directory):
        whole = cast(Composed, after)
        lost = {
            (broker, partition): NO_FUTURE_LOG
            for partition in whole.bounds.partition_ids
            if whole.future_logs[broker][partition].is_in(directory)
        }
        yield whole.evolve(future_logs=lost)


def replace_current_with_future_log(
    view: Brokers, broker: BrokerId, partition: PartitionId
) -> Brokers:
    """The future log becomes the current one; what it replaces is deleted.

    Rules: F-ALT-6, F-ALT-8, G-HW-1.  Source: LogManager.replaceCurrentWithFutureLog.
    """
    whole, index = whole_of(view), (broker, partition)
    directory = whole.future_logs[broker][partition].directory
    assert directory is not None, "it has a future log"
    log = DirectoryLog.of(log_replacement.log_after_move(view, broker, partition))
    offset = log_replacement.high_watermark_after_move(view, broker, partition)
    replica = whole.replicas[broker][partition].keep(directory)
    replaced = whole.evolve(
        logs={
            (*index, place_of_log(whole, broker, partition)): DirectoryLog(),
            (*index, directory): log,
        },
        replicas={index: replica.with_high_watermark(offset)},
        future_logs={index: NO_FUTURE_LOG},
    )
    return seen_by_fetchers(replaced)
