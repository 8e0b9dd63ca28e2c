"""What only the whole has: threads that wait for a leader that waits for ZooKeeper."""

from __future__ import annotations

from replicheck.model.composed.leader import is_to_join_isr
from replicheck.model.composed.state import Composed
from replicheck.model.composed.view import seen_by_fetchers
from replicheck.model.fetching.cells.fetch_state import Phase
from replicheck.model.fetching.state import Thread
from replicheck.model.vocabulary import BrokerId, PartitionId


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


def is_asked(cluster: Composed, thread: Thread, partition: PartitionId) -> bool:
    """Tell whether a thread awaits records of a partition."""
    view = seen_by_fetchers(cluster)
    if not view.thread(thread).is_at(Phase.FETCH_ASKED):
        return False
    return view.call(thread, partition).asks_records()


WITNESSES = (a_fetch_waits_for_a_session, a_fetch_waits_for_a_lock)
