"""What metadata, failed disks and the end of a process mean for fetcher threads.

What a function of `model.kraft` does to a broker, its threads do after it.

Abstraction: fetcher threads do nothing meanwhile.
"""

from __future__ import annotations

from typing import cast

from replicheck.model.fetching.broker import replica_manager
from replicheck.model.fetching.cells.fetch_state import FailedPartitions
from replicheck.model.fetching.cells.offset_log import OffsetLog
from replicheck.model.fetching.fetchers.fetcher_manager import (
    end_thread,
    remove_fetcher_for_partitions,
    shutdown_idle_fetcher_threads,
)
from replicheck.model.kraft_composed.bounds import KraftComposedBounds
from replicheck.model.kraft_composed.fetcher_view import seen_by_fetchers, whole_of
from replicheck.model.kraft_composed.state import PARTITION, KraftComposed
from replicheck.model.rules import rule
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, ControllerEpoch


def apply_delta(
    before: KraftComposed, after: KraftComposed, broker: BrokerId
) -> KraftComposed:
    """Move the fetcher of a partition that a delta has changed.

    Rules: KR-LEAD-1, KR-FOL-2, KR-FOL-4, KR-DEL-1, F-MGR-4.
    Source: ReplicaManager.applyDelta.
    """
    old, new = before.partitions[broker], after.partitions[broker]
    if old.partition_epoch == new.partition_epoch:
        return after
    if new.partition_epoch is None:
        after = stop_partition(after, broker)
    elif is_stopped(after, broker):
        after = stop_fetching(after, broker)
    elif is_to_be_moved(before, after, broker):
        after = move_fetcher(after, broker)
    if cast(KraftComposedBounds, after.bounds).keeps_threads:
        return after
    view = shutdown_idle_fetcher_threads(seen_by_fetchers(after), broker)
    return whole_of(view)


@rule
def is_to_be_moved(
    before: KraftComposed, after: KraftComposed, broker: BrokerId
) -> bool:
    """Tell whether the leader epoch is another one; a partition epoch alone is not.

    Rules: KR-FOL-2, KR-EPOCH-1.  Source: ReplicaManager.applyLocalFollowersDelta.
    """
    epoch = before.partitions[broker].leader_epoch
    return after.partitions[broker].leader_epoch != epoch


@rule
def is_stopped(cluster: KraftComposed, broker: BrokerId) -> bool:
    """Tell whether a broker in controlled shutdown is to fetch no more.

    Rules: KR-FOL-4.  Source: ReplicaManager.applyLocalFollowersDelta.
    """
    if not cluster.processes[broker].is_stopping:
        return False
    record = cluster.caches[broker].partition
    if record.is_led_by(broker):
        return False
    return record.is_leaderless() or not record.counts_in_sync(broker)


@rule
def move_fetcher(cluster: KraftComposed, broker: BrokerId) -> KraftComposed:
    """Do in thread and log what a new leader epoch asks for.

    A leader fetches no more, and caches where its epoch starts. A follower is removed
    from its thread, and then added to that of the leader, if there is one.

    Rules: KR-LEAD-1, KR-LEAD-2, KR-FOL-2, E-4.
    Source: ReplicaManager.applyLocalLeadersDelta,
    ReplicaManager.applyLocalFollowersDelta.
    """
    partition = cluster.partitions[broker]
    leader, epoch = partition.leader, partition.leader_epoch
    assert epoch is not None, "a replica that is online has a leader epoch"
    if leader is None:
        return stop_fetching(cluster, broker)
    if leader == broker:
        view = seen_by_fetchers(stop_fetching(cluster, broker))
        return whole_of(
            replica_manager.assign_epoch_start_offset(view, broker, PARTITION, epoch)
        )
    content = LeaderAndIsr(leader, epoch, frozenset(), ControllerEpoch(0), 0)
    view = seen_by_fetchers(cluster)
    return whole_of(replica_manager.move_fetcher(view, broker, PARTITION, content))


@rule
def stop_partition(cluster: KraftComposed, broker: BrokerId) -> KraftComposed:
    """A replica that was removed is fetched no more, failed or not.

    Rules: KR-DEL-1, KR-REA-4, F-MGR-3.  Source: ReplicaManager.stopPartitions.
    """
    return stop_fetching(cluster, broker)


@rule
def stop_fetching(cluster: KraftComposed, broker: BrokerId) -> KraftComposed:
    """Take the partition out of every thread of a broker, failed or not.

    Rules: KR-LEAD-1, KR-FOL-4, F-MGR-3.
    Source: ReplicaFetcherManager.removeFetcherForPartitions.
    """
    view = seen_by_fetchers(cluster)
    return whole_of(remove_fetcher_for_partitions(view, broker, PARTITION))


def fail_directory(
    before: KraftComposed, after: KraftComposed, broker: BrokerId
) -> KraftComposed:
    """Stop fetching to a log whose disk is dead.

    Rules: KR-DISK-2, F-FAIL-3.  Source: ReplicaManager.handleLogDirFailure.
    """
    after = end_threads_with_process(before, after, broker)
    if after.partitions[broker].is_offline:
        return stop_fetching(after, broker)
    return after


def end_threads_with_process(
    before: KraftComposed, after: KraftComposed, broker: BrokerId
) -> KraftComposed:
    """End all threads of a broker whose process ended; epochs without records go.

    Rules: F-MGR-6, G-LOAD.  Source: ReplicaManager.shutdown, LogLoader.load.
    """
    if after.processes[broker].is_running or not before.processes[broker].is_running:
        return after
    view = seen_by_fetchers(after)
    for thread in view.threads_of(broker):
        view = end_thread(view, thread)
    whole = whole_of(view)
    log = cast(OffsetLog, whole.logs[broker])
    return whole.evolve(failed={broker: FailedPartitions()}, logs={broker: log.load()})
