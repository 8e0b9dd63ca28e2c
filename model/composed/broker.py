"""What a broker's requests and failures mean for its fetcher threads.

What the cluster's function does to ``fetchers``, the threads do after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from replicheck.model.cluster.broker import (
    duplicate_requests,
    leader_and_isr,
    log_dirs,
    requests,
)
from replicheck.model.cluster.environment import administration, faults
from replicheck.model.composed.fetcher_view import seen_by_fetchers, whole_of
from replicheck.model.composed.moves import fail_moves, obey_for_moves
from replicheck.model.composed.state import Composed, DirectoryLog
from replicheck.model.fetching.broker.processes import load_future_log
from replicheck.model.fetching.broker.replica_manager import assign_epoch_start_offset
from replicheck.model.fetching.cells.fetch_state import FailedPartitions
from replicheck.model.fetching.cells.requests import NO_UPDATE
from replicheck.model.fetching.fetchers.fetcher_manager import (
    add_fetcher_for_partitions,
    end_thread,
    remove_fetcher_for_partitions,
    shutdown_idle_fetcher_threads,
)
from replicheck.model.fetching.state import FetcherManager
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, DirectoryId, Offset, PartitionId


def handle_leader_and_isr(
    cluster: Composed, controller: BrokerId, broker: BrokerId
) -> Iterator[Composed]:
    """The broker leads or follows in a newer epoch, and moves its fetchers.

    Abstraction: fetcher threads do nothing while the request is handled.

    Rules: B-LIR-1, B-LIR-2, B-LEAD, B-FOLLOW, L-LEAD.
    Source: ReplicaManager.becomeLeaderOrFollower.
    """
    for after in leader_and_isr.handle_leader_and_isr(cluster, controller, broker):
        yield become_leader_or_follower(cluster, cast(Composed, after), broker)


def become_leader_or_follower(
    before: Composed, after: Composed, broker: BrokerId
) -> Composed:
    """Do in logs and threads what a request has done to the replicas of a broker.

    Rules: B-LEAD, B-FOLLOW, F-MGR-4.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    loaded = load_high_watermarks(before, after, broker)
    moved = move_fetchers(before, loaded, broker)
    cached = cache_epochs(moved, before, broker)
    return end_idle_threads(obey_for_moves(before, cached, broker), broker)


def load_high_watermarks(
    before: Composed, after: Composed, broker: BrokerId
) -> Composed:
    """Let no high watermark begin below the log.

    Rules: G-HW-1, G-LOAD.  Source: Partition.createLog, Log.updateHighWatermark.
    """
    for partition in after.bounds.partition_ids:
        if not before.replicas[broker][partition].is_unknown():
            continue
        replica = after.replicas[broker][partition]
        if replica.lacks_log():
            continue
        log = seen_by_fetchers(after).logs[broker][partition]
        known = replica.with_high_watermark(log.nearest_to(replica.high_watermark))
        after = after.evolve(replicas={(broker, partition): known})
    return after


def handle_duplicate_request(cluster: Composed, broker: BrokerId) -> Iterator[Composed]:
    """The broker handles a request once more, and moves its fetchers if it obeys.

    Rules: N-4, B-CHK-3, C-STOP-1, F-FAIL-3.  Source: KafkaApis.handle.
    """
    for after in duplicate_requests.handle_duplicate_request(cluster, broker):
        yield become_leader_or_follower(cluster, cast(Composed, after), broker)


def handle_stop_replica(
    cluster: Composed, controller: BrokerId, broker: BrokerId
) -> Iterator[Composed]:
    """The broker stops fetching partitions, failed or not.

    Rules: B-STOP-1, F-FAIL-3.  Source: KafkaApis.handleStopReplicaRequest.
    """
    for after in requests.handle_stop_replica(cluster, controller, broker):
        yield stop_fetching(cluster, cast(Composed, after), broker)


def stop_fetching(before: Composed, after: Composed, broker: BrokerId) -> Composed:
    """Take partitions that a request stops out of every thread; end those idle then.

    A thread that moves logs is ended later.

    Rules: B-STOP-1, F-MGR-4.  Source: KafkaApis.handleStopReplicaRequest.
    """
    moved = move_fetchers(before, after, broker)
    view = seen_by_fetchers(obey_for_moves(before, moved, broker))
    return whole_of(shutdown_idle_fetcher_threads(view, broker))


def mark_replicas_offline(
    cluster: Composed, broker: BrokerId, directory: DirectoryId
) -> Iterator[Composed]:
    """The handler stops fetching what is in the directory, failed or not.

    Rules: B-LDF-1, B-DIR-1, F-FAIL-3.  Source: ReplicaManager.handleLogDirFailure.
    """
    for after in log_dirs.mark_replicas_offline(cluster, broker, directory):
        yield fail_fetching(cluster, cast(Composed, after), broker)


def fail_fetching(before: Composed, after: Composed, broker: BrokerId) -> Composed:
    """Take what is in a failed directory, or moves to it, out of every thread.

    Rules: B-DIR-1, F-FAIL-3.  Source: ReplicaManager.handleLogDirFailure.
    """
    return fail_moves(before, move_fetchers(before, after, broker), broker)


def close_directory(
    cluster: Composed, broker: BrokerId, directory: DirectoryId
) -> Iterator[Composed]:
    """The handler takes the directory out of use; without another the broker halts.

    Rules: B-LDF-2, F-MGR-6.  Source: LogManager.handleLogDirFailure.
    """
    for after in log_dirs.close_directory(cluster, broker, directory):
        yield end_threads_with_process(cast(Composed, after), broker)


def crash(cluster: Composed, broker: BrokerId) -> Iterator[Composed]:
    """A broker's process ends, and its threads with it.

    Rules: N-2, F-MGR-6.  Source: KafkaServer.
    """
    for after in faults.crash(cluster, broker):
        yield end_threads_with_process(cast(Composed, after), broker)


def finish_shutdown(cluster: Composed, broker: BrokerId) -> Iterator[Composed]:
    """A broker that shuts down stops, and its threads with it.

    Rules: C-CSD-1, F-MGR-6.  Source: KafkaServer.shutdown.
    """
    for after in administration.finish_shutdown(cluster, broker):
        yield end_threads_with_process(cast(Composed, after), broker)


def move_fetchers(before: Composed, after: Composed, broker: BrokerId) -> Composed:
    """Take partitions that stop, or follow anew, out of every thread, then add them.

    Rules: B-FOLLOW, F-FAIL-3.  Source: ReplicaManager.makeFollowers.
    """
    for partition in after.bounds.partition_ids:
        if after.fetchers[broker][partition] != before.fetchers[broker][partition]:
            after = move_fetcher(after, broker, partition)
    return after


@rule
def move_fetcher(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> Composed:
    """Do in the threads what a broker was told of one partition.

    Rules: B-FOLLOW.  Source: ReplicaManager.makeFollowers.
    """
    told = cluster.fetchers[broker][partition]
    view = remove_fetcher_for_partitions(seen_by_fetchers(cluster), broker, partition)
    if told.is_idle():
        return whole_of(view)
    leader, epoch = told.leader, told.epoch
    assert leader is not None, "a fetcher that is not idle has a leader"
    assert epoch is not None, "a fetcher that is not idle has an epoch"
    offset = initial_fetch_offset(cluster, broker, partition)
    view = add_fetcher_for_partitions(view, broker, partition, leader, epoch, offset)
    return whole_of(view)


@rule
def initial_fetch_offset(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> Offset:
    """The offset from which a follower begins to fetch: its high watermark.

    Rules: B-FOLLOW.  Source: ReplicaManager.makeFollowers.
    """
    return cluster.replicas[broker][partition].high_watermark


@rule
def cache_epochs(after: Composed, before: Composed, broker: BrokerId) -> Composed:
    """Cache where an epoch starts in which the broker begins to lead.

    On a directory that fails it is not stored, and yet cached.

    Rules: L-LEAD, E-1, E-4.  Source: Log.maybeAssignEpochStartOffset.
    """
    for partition in after.bounds.partition_ids:
        epoch = after.replicas[broker][partition].epoch
        if not after.presumes_leadership(broker, partition):
            continue
        if epoch is None or before.leads_in(broker, partition, epoch):
            continue
        view = seen_by_fetchers(after)
        view = assign_epoch_start_offset(view, broker, partition, epoch)
        after = whole_of(view)
    return after


def end_idle_threads(cluster: Composed, broker: BrokerId) -> Composed:
    """End every thread of both managers that has no partition.

    Rules: B-LAI-2, F-MGR-4.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    view = seen_by_fetchers(cluster)
    for manager in FetcherManager:
        view = shutdown_idle_fetcher_threads(view, broker, manager)
    return whole_of(view)


def end_threads_with_process(cluster: Composed, broker: BrokerId) -> Composed:
    """End all threads of a broker whose process ended; epochs without records go.

    Rules: F-MGR-6, G-LOAD.  Source: ReplicaManager.shutdown, Log.loadSegments.
    """
    if cluster.processes[broker].is_running:
        return cluster
    view = seen_by_fetchers(cluster)
    for manager in FetcherManager:
        for thread in view.threads_of(broker, manager):
            view = end_thread(view, thread)
    whole = whole_of(view)
    for partition in whole.bounds.partition_ids:
        future = load_future_log(view, broker, partition)
        whole = whole.evolve(future_logs={(broker, partition): future})
        for directory in whole.bounds.directory_ids:
            log = cast(DirectoryLog, whole.logs[broker][partition][directory])
            whole = whole.evolve(logs={(broker, partition, directory): log.load()})
    none = {broker: FailedPartitions()}
    return whole.evolve(failed=none, failed_moves=none, stalled={broker: NO_UPDATE})
