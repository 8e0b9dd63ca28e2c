"""What a leader does for producers and fetcher threads, where ZooKeeper comes in.

A leader writes the ISR to ZooKeeper; until it knows what became of that, the partition
is locked, and a thread that reads or writes it waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from replicheck.model.cluster.broker import high_watermark, replication
from replicheck.model.cluster.broker.clients import (
    accepts_record,
    await_acknowledgement,
)
from replicheck.model.cluster.environment.lost_replies import leave_unconfirmed
from replicheck.model.composed.fetcher_view import seen_by_fetchers, whole_of
from replicheck.model.composed.state import Composed
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker import (
    epoch_requests,
    fetch_requests,
    stalled_updates,
)
from replicheck.model.fetching.broker import leader as of_fetchers
from replicheck.model.fetching.cells.calls import FetchAsked
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.vocabulary import BrokerId, PartitionId


def append_records_to_leader(
    cluster: Composed, leader: BrokerId, partition: PartitionId
) -> Iterator[Composed]:
    """A producer's record is appended wherever a broker believes that it leads.

    Where producers wait for the whole ISR, one that is too small refuses the record.

    Rules: B-PROD-1, G-APP, L-HW.  Source: Partition.appendRecordsToLeader.
    """
    if not accepts_record(cluster, leader, partition):
        return
    waiting = await_acknowledgement(cluster, leader, partition)
    view = seen_by_fetchers(cast(Composed, waiting))
    for after in of_fetchers.append_records_to_leader(view, leader, partition):
        yield whole_of(after)


def delete_records(
    cluster: Composed, leader: BrokerId, partition: PartitionId
) -> Iterator[Composed]:
    """The leader deletes its first record, which is below its high watermark.

    Abstraction: not while a producer waits for an answer.

    Rules: G-LSO, E-7.  Source: Log.maybeIncrementLogStartOffset.
    """
    if not cluster.produces[leader][partition].is_empty():
        return
    view = seen_by_fetchers(cluster)
    for after in of_fetchers.delete_records(view, leader, partition):
        start = after.logs[leader][partition].start_offset
        known = cluster.acknowledged[partition].delete_below(start)
        yield whole_of(after).evolve(acknowledged={partition: known})


def handle_offset_for_leader_epoch_request(
    cluster: Composed, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Composed]:
    """The source says of each partition where the follower's latest epoch ends.

    Rules: L-OFLE, L-VAL-1.  Source: ReplicaManager.lastOffsetForLeaderEpoch.
    """
    thread = ThreadId(follower, leader, fetcher)
    view = seen_by_fetchers(cluster)
    if not view.thread(thread).is_at(ThreadPhase.EPOCHS_ASKED):
        return
    for partition in cluster.bounds.partition_ids:
        if not view.call(thread, partition).asks_epoch():
            continue
        if cluster.replicas[leader][partition].is_locked():
            return
    for after in epoch_requests.handle_offset_for_leader_epoch_request(
        view, follower, leader, fetcher
    ):
        yield whole_of(after)


def handle_fetch_request(
    cluster: Composed, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Composed]:
    """The source reads a record of each partition, and learns what the follower has.

    The answer waits for the lock of a partition, and for a session if the follower is
    to join the ISR.

    Rules: L-READ, L-FU-1, N-7.  Source: ReplicaManager.fetchMessages.
    """
    thread = ThreadId(follower, leader, fetcher)
    view = seen_by_fetchers(cluster)
    if not view.thread(thread).is_at(ThreadPhase.FETCH_ASKED):
        return
    for partition in cluster.bounds.partition_ids:
        if not view.call(thread, partition).asks_records():
            continue
        if cluster.replicas[leader][partition].is_locked():
            return
        cut_off = cluster.processes[leader].is_cut_off
        if cut_off and is_to_join_isr(view, thread, partition):
            return
    for after in fetch_requests.handle_fetch_request(view, follower, leader, fetcher):
        yield whole_of(after)


def record_late(cluster: Composed, leader: BrokerId) -> Iterator[Composed]:
    """A handler that was held up records where a follower was, in any epoch.

    It waits for the lock of the partition, and for a session.

    Rules: L-FU-2, N-7.  Source: Partition.updateFollowerFetchState.
    """
    partition = cluster.stalled[leader].partition
    if partition is None or cluster.processes[leader].is_cut_off:
        return
    if cluster.replicas[leader][partition].is_locked():
        return
    for after in stalled_updates.record_late(seen_by_fetchers(cluster), leader):
        yield whole_of(after)


def is_to_join_isr(view: Brokers, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether the leader wants to take a follower into the ISR for its fetch.

    Rules: L-ISR-1, L-FU-1.  Source: Partition.maybeExpandIsr.
    """
    if thread.moves_logs():
        return False
    asked = view.call(thread, partition).request
    assert isinstance(asked, FetchAsked), "records are asked for"
    answer = fetch_requests.read_records(view, thread, partition, asked)
    if not fetch_requests.shows_progress(view, answer):
        return False
    leader = thread.leader
    if view.replicas[leader][partition].counts_in_sync(thread.follower):
        return False
    return of_fetchers.is_follower_in_sync(view, leader, partition, asked.offset)


def lose_reply_to_expansion(
    cluster: Composed, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Composed]:
    """A leader stores an ISR with one more member, and does not know it yet.

    The fetch for which it did so is answered when it knows.

    Rules: Z-STATE-2, B-ISR-2.  Source: Partition.expandIsr.
    """
    if not cluster.faults.allow("lost_replies"):
        return
    view = seen_by_fetchers(cluster)
    thread = view.thread_for(follower, leader, partition)
    if not view.thread(thread).is_at(ThreadPhase.FETCH_ASKED):
        return
    if not cluster.processes[leader].is_running:
        return
    if not view.call(thread, partition).asks_records():
        return
    if cluster.replicas[leader][partition].is_locked():
        return
    if not is_to_join_isr(view, thread, partition):
        return
    isr = cluster.replicas[leader][partition].isr | {follower}
    for after in leave_unconfirmed(cluster, leader, partition, isr):
        yield cast(Composed, after)


def store_isr(
    view: Brokers, leader: BrokerId, partition: PartitionId, isr: frozenset[BrokerId]
) -> Brokers:
    """Write the ISR, of which controllers learn by watches and notifications.

    Rules: L-ISR-1, Z-STATE-1, Z-ISRN-1.  Source: Partition.expandIsr.
    """
    stored = replication.store_isr(whole_of(view), leader, partition, isr)
    return seen_by_fetchers(cast(Composed, stored))


def maybe_increment_leader_hw(
    view: Brokers, leader: BrokerId, partition: PartitionId
) -> Brokers:
    """Raise the high watermark, not waiting for who is no replica any more.

    Rules: L-HW, G-HW-2, C-REASG-7.  Source: Partition.maybeIncrementLeaderHW.
    """
    whole = whole_of(view)
    raised = high_watermark.increment_high_watermark(whole, leader, partition)
    return seen_by_fetchers(cast(Composed, raised))
