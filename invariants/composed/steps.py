"""What a leader does not do while it waits for ZooKeeper."""

from __future__ import annotations

from replicheck.model.composed.state import Composed
from replicheck.model.composed.view import seen_by_fetchers
from replicheck.model.fetching.cells.calls import Error
from replicheck.model.vocabulary import BrokerId, PartitionId


def a_leader_without_session_writes_no_isr(
    before: Composed, after: Composed, leader: BrokerId, partition: PartitionId
) -> bool:
    """Who is cut off from ZooKeeper stores no ISR (N-7; holds)."""
    if not before.processes[leader].is_cut_off:
        return True
    if after.partition_nodes[partition] is before.partition_nodes[partition]:
        return True
    known = before.replicas[leader][partition].version
    return bool(after.replicas[leader][partition].version == known)


def nobody_reads_a_locked_partition(
    before: Composed,
    after: Composed,
    follower: BrokerId,
    leader: BrokerId,
    partition: PartitionId,
) -> bool:
    """No thread is answered before the leader knows what became of its write.

    Z-STATE-2; holds.
    """
    if not before.replicas[leader][partition].is_locked():
        return True
    view = seen_by_fetchers(before)
    thread = view.thread_for(follower, leader, partition)
    call = view.call(thread, partition)
    if call.request is None or call.answer is not None:
        return True
    answer = seen_by_fetchers(after).call(thread, partition).answer
    return answer is None or answer.error is Error.NETWORK


STEPS = (a_leader_without_session_writes_no_isr, nobody_reads_a_locked_partition)
