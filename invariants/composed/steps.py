"""What a leader does not do while it waits for ZooKeeper."""

from __future__ import annotations

from typing import cast

from replicheck.model.composed.fetcher_view import seen_by_fetchers
from replicheck.model.composed.state import Composed, DirectoryLog
from replicheck.model.fetching.cells.calls import Error
from replicheck.model.vocabulary import BrokerId, PartitionId


def leader_without_session_writes_no_isr(
    before: Composed, after: Composed, leader: BrokerId, partition: PartitionId
) -> bool:
    """A broker cut off from ZooKeeper stores no ISR (N-7; holds)."""
    if after.partition_nodes[partition] is before.partition_nodes[partition]:
        return True
    if not before.processes[leader].is_cut_off:
        return True
    known = before.replicas[leader][partition].version
    return after.replicas[leader][partition].version == known


def locked_partition_answers_no_fetch(
    before: Composed,
    after: Composed,
    follower: BrokerId,
    leader: BrokerId,
    partition: PartitionId,
) -> bool:
    """No thread is answered before the leader knows what became of its write.

    Z-STATE-2; holds.
    """
    view = seen_by_fetchers(before)
    thread = view.thread_for(follower, leader, partition)
    call = view.call(thread, partition)
    new_call = seen_by_fetchers(after).call(thread, partition)
    if new_call is call or not before.replicas[leader][partition].is_locked():
        return True
    if call.request is None or call.answer is not None:
        return True
    answer = new_call.answer
    return answer is None or answer.error is Error.NETWORK


def only_complete_copy_replaces_log(
    before: Composed, after: Composed, broker: BrokerId, partition: PartitionId
) -> bool:
    """What was in a log is in the log that replaces it, and nothing else.

    I-FUTUREPREFIX; known to be violated: only the ends are compared, and a mark for
    truncation can be lost (F-MARK).
    """
    replica = before.replicas[broker][partition]
    if after.replicas[broker][partition] is replica:
        return True
    old, new = replica.directory, after.replicas[broker][partition].directory
    if old is None or new is None or old == new:
        return True
    replaced = before.logs[broker][partition][old]
    log = cast(DirectoryLog, after.logs[broker][partition][new])
    if not log.ends_at(replaced.end_offset):
        return False
    return log.agrees_below(replaced.end_offset, replaced.records)


STEPS = (
    leader_without_session_writes_no_isr,
    locked_partition_answers_no_fetch,
    only_complete_copy_replaces_log,
)
