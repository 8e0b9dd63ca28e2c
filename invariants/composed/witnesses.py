"""What only the whole has: threads that wait for a leader that waits for ZooKeeper."""

from __future__ import annotations

from replicheck.model.composed.fetcher_view import seen_by_fetchers
from replicheck.model.composed.leader import is_to_join_isr
from replicheck.model.composed.state import Composed
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.state import ThreadId
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def fetch_waits_for_session(
    cluster: Composed, follower: BrokerId, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader without session would have to write who is in sync, to answer."""
    if not cluster.processes[leader].is_cut_off:
        return False
    thread = seen_by_fetchers(cluster).thread_for(follower, leader, partition)
    return is_asked(cluster, thread, partition) and is_to_join_isr(
        seen_by_fetchers(cluster), thread, partition
    )


def fetch_waits_for_isr_write(
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


def move_survives_new_leader_epoch(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> bool:
    """A log is copied to another directory in an epoch that a controller began."""
    epoch = cluster.replicas[broker][partition].epoch
    if not epoch:
        return False
    view = seen_by_fetchers(cluster)
    thread = view.thread_for(broker, broker, partition)
    return view.fetch_state(thread, partition).has_epoch(epoch)


def log_outlives_its_old_directory(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> bool:
    """What was moved is in use, and the directory where it was has failed."""
    directory = cluster.replicas[broker][partition].directory
    left = DirectoryId(partition % cluster.bounds.directories)
    if directory is None or directory == left:
        return False
    return cluster.directories[broker][left].is_offline()


def log_outlives_directory_of_future_log(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> bool:
    """A move was given up, as the directory failed to which it went."""
    directory = cluster.replicas[broker][partition].directory
    if directory is None or cluster.fetcher_faults.allow("moves"):
        return False
    further = (found for found in cluster.bounds.directory_ids if found != directory)
    if not any(cluster.directories[broker][found].is_offline() for found in further):
        return False
    return directory == partition % cluster.bounds.directories


def offline_replica_has_future_log(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> bool:
    """The directory of a log failed while it was being moved to another."""
    if not cluster.replicas[broker][partition].is_offline():
        return False
    return cluster.future_logs[broker][partition].exists()


WITNESSES = (
    fetch_waits_for_session,
    fetch_waits_for_isr_write,
    move_survives_new_leader_epoch,
    log_outlives_its_old_directory,
    log_outlives_directory_of_future_log,
    offline_replica_has_future_log,
)
