"""What only the whole has: threads that wait for a leader that waits for ZooKeeper."""

from __future__ import annotations

from replicheck.model.composed.fetcher_view import seen_by_fetchers
from replicheck.model.composed.leader import is_to_join_isr
from replicheck.model.composed.state import Composed
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.state import ThreadId
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def a_fetch_waits_for_a_session(
    cluster: Composed, follower: BrokerId, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader without session would have to write who is in sync, to answer."""
    if not cluster.processes[leader].is_cut_off:
        return False
    thread = seen_by_fetchers(cluster).thread_for(follower, leader, partition)
    return is_asked(cluster, thread, partition) and is_to_join_isr(
        seen_by_fetchers(cluster), thread, partition
    )


def a_fetch_waits_for_a_lock(
    cluster: Composed, follower: BrokerId, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader does not know yet whether the ISR that it wrote is stored."""
    if not cluster.replicas[leader][partition].is_locked():
        return False
    thread = seen_by_fetchers(cluster).thread_for(follower, leader, partition)
    return is_asked(cluster, thread, partition)


def is_asked(cluster: Composed, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether a thread awaits records of a partition."""
    view = seen_by_fetchers(cluster)
    if not view.thread(thread).is_at(ThreadPhase.FETCH_ASKED):
        return False
    return view.call(thread, partition).asks_records()


def a_move_survives_a_new_epoch(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> bool:
    """A log is copied to another directory in an epoch that a controller began."""
    epoch = cluster.replicas[broker][partition].epoch
    if not epoch:
        return False
    view = seen_by_fetchers(cluster)
    thread = view.thread_for(broker, broker, partition)
    return view.fetch_state(thread, partition).has_epoch(epoch)


def a_log_outlives_the_directory_that_it_left(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> bool:
    """What was moved is in use, and the directory where it was has failed."""
    directory = cluster.replicas[broker][partition].directory
    left = DirectoryId(partition % cluster.bounds.directories)
    if directory is None or directory == left:
        return False
    return cluster.directories[broker][left].is_offline()


def a_log_outlives_the_directory_of_its_copy(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> bool:
    """A move was given up, as the directory failed to which it went."""
    directory = cluster.replicas[broker][partition].directory
    if directory is None or cluster.fetcher_faults.allow("moves"):
        return False
    rest = (found for found in cluster.bounds.directory_ids if found != directory)
    if not any(cluster.directories[broker][found].is_offline() for found in rest):
        return False
    return directory == partition % cluster.bounds.directories


def a_copy_is_left_of_an_offline_replica(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> bool:
    """The directory of a log failed while it was being moved to another."""
    if not cluster.replicas[broker][partition].is_offline():
        return False
    return cluster.future_logs[broker][partition].exists()


WITNESSES = (
    a_fetch_waits_for_a_session,
    a_fetch_waits_for_a_lock,
    a_move_survives_a_new_epoch,
    a_log_outlives_the_directory_that_it_left,
    a_log_outlives_the_directory_of_its_copy,
    a_copy_is_left_of_an_offline_replica,
)
