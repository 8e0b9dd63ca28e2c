"""How a broker answers the requests of fetcher threads.

Abstraction: all partitions of one request are answered in one step.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker.leader import (
    can_expand_isr,
    update_follower_fetch_state,
)
from replicheck.model.fetching.cells.calls import (
    EpochAnswer,
    EpochAsked,
    Error,
    FetchAnswer,
    FetchAsked,
)
from replicheck.model.fetching.cells.fetch_state import FetcherThread, ThreadPhase
from replicheck.model.fetching.fetchers.partition_states import in_order
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


def handle_offset_for_leader_epoch_request(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """The source says of each partition where the follower's latest epoch ends.

    Rules: L-OFLE, L-VAL-1.  Source: ReplicaManager.lastOffsetForLeaderEpoch.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.thread(thread).is_at(ThreadPhase.EPOCHS_ASKED):
        return
    if not cluster.processes[leader].is_running:
        return
    for partition in cluster.bounds.partition_ids:
        if cluster.call(thread, partition).asks_epoch():
            asked = cluster.call(thread, partition).request
            assert isinstance(asked, EpochAsked)
            answer = last_offset_for_leader_epoch(cluster, thread, partition, asked)
            call = cluster.call(thread, partition).reply(answer)
            cluster = cluster.evolve(calls={thread.at(partition): call})
    answered = FetcherThread(ThreadPhase.EPOCHS_ANSWERED)
    yield cluster.evolve(threads={thread.index: answered})


@rule
def last_offset_for_leader_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: EpochAsked
) -> EpochAnswer:
    """Look an epoch up in the leader's cache.

    Rules: L-OFLE, F-ALT-2, E-5.  Source: Partition.lastOffsetForLeaderEpoch.
    """
    error = get_local_log(cluster, thread, partition, asked.current_epoch)
    if error is not Error.NONE:
        return EpochAnswer(error)
    found = cluster.logs[thread.leader][partition].end_offset_for(asked.epoch)
    return EpochAnswer(Error.NONE, found)


@rule
def get_local_log(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, epoch: Epoch
) -> Error:
    """The error of a broker that does not lead in the follower's epoch, if any.

    The epoch is compared first, so a follower fences as well. To move a log, its broker
    need not lead.

    Rules: L-VAL-1, F-ALT-2.
    Source: Partition.getLocalLog, Partition.checkCurrentLeaderEpoch.
    """
    leader = thread.leader
    if cluster.replicas[leader][partition].is_offline():
        return Error.STORAGE_ERROR
    if cluster.replicas[leader][partition].is_unknown():
        return Error.NOT_LEADER
    error = check_current_leader_epoch(cluster, leader, partition, epoch)
    if error is not Error.NONE or thread.moves_logs():
        return error
    if not cluster.replicas[leader][partition].is_led_by(leader):
        return Error.NOT_LEADER
    return Error.NONE


@rule
def check_current_leader_epoch(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, epoch: Epoch
) -> Error:
    """Compare the follower's epoch with the broker's own.

    Rules: L-VAL-1.  Source: Partition.checkCurrentLeaderEpoch.
    """
    if cluster.replicas[leader][partition].is_behind(epoch):
        return Error.UNKNOWN_LEADER_EPOCH
    if not cluster.replicas[leader][partition].is_in_epoch(epoch):
        return Error.FENCED_LEADER_EPOCH
    return Error.NONE


def handle_fetch_request(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """The source reads a record of each partition, and learns what the follower has.

    Abstraction: a request that brings no news waits; Kafka would answer it after a
    while, and the same request would come again (L-SESS, purgatory).

    Rules: L-READ, L-FU-1.  Source: ReplicaManager.fetchMessages.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.thread(thread).is_at(ThreadPhase.FETCH_ASKED):
        return
    if not cluster.processes[leader].is_running:
        return
    partitions = cluster.bounds.partition_ids
    if not any(is_due(cluster, thread, partition) for partition in partitions):
        return
    left = cluster.bounds.fetch_size or len(partitions)
    for partition in in_order(cluster, thread):
        if cluster.call(thread, partition).asks_records():
            cluster, brought = answer_fetch(cluster, thread, partition, left)
            left -= brought
    answered = FetcherThread(ThreadPhase.FETCH_ANSWERED)
    yield cluster.evolve(threads={thread.index: answered})


def answer_fetch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, left: int
) -> tuple[Brokers, int]:
    """Read, then learn what the follower has, and put the answer on its way.

    Return also how many records it brings, which is none if none are ``left``. Nothing
    is learned of a future log. Only an empty answer has the high watermark that this
    very fetch raised: Kafka parks it, and reads once more.

    Rules: L-READ, L-FU-1, L-VAL-2.
    Source: ReplicaManager.fetchMessages, DelayedFetch.tryComplete.
    """
    asked = cluster.call(thread, partition).request
    assert isinstance(asked, FetchAsked)
    answer = read_records(cluster, thread, partition, asked)
    if not thread.moves_logs() and shows_progress(cluster, answer):
        cluster = update_follower_fetch_state(
            cluster, thread.leader, partition, thread.follower, asked.offset
        )
        if answer.record is None:
            answer = read_records(cluster, thread, partition, asked)
    brought = int(answer.record is not None and left > 0)
    if not brought:
        answer = evolve(answer, record=None)
    call = cluster.call(thread, partition).reply(answer)
    return cluster.evolve(calls={thread.at(partition): call}), brought


@rule
def shows_progress(cluster: Brokers, answer: FetchAnswer) -> bool:
    """Tell whether a read says how far the follower's log reaches.

    Rules: L-FU-1.  Source: ReplicaManager.updateFollowerFetchState.
    """
    return answer.error is Error.NONE


@rule
def read_records(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> FetchAnswer:
    """Read the record at an offset, with high watermark and log start offset.

    Rules: L-VAL-1, L-VAL-2, L-READ, F-ALT-2.  Source: Partition.readRecords.
    """
    leader = thread.leader
    error = get_local_log(cluster, thread, partition, asked.current_epoch)
    if error is not Error.NONE:
        return FetchAnswer(error)
    if not cluster.directory_of(leader, partition).is_good():
        return FetchAnswer(Error.STORAGE_ERROR)
    if not cluster.logs[leader][partition].has_range(asked.offset):
        return FetchAnswer(Error.OFFSET_OUT_OF_RANGE)
    return FetchAnswer(
        Error.NONE,
        cluster.logs[leader][partition].record_at(asked.offset),
        cluster.replicas[leader][partition].high_watermark,
        cluster.logs[leader][partition].start_offset,
    )


def is_due(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether an answer brings news, or the thread has to ask anew anyway."""
    asks = cluster.call(thread, partition).asks_records()
    if asks is not cluster.fetch_state(thread, partition).is_ready_for_fetch():
        return True
    if not asks:
        return False
    asked = cluster.call(thread, partition).request
    assert isinstance(asked, FetchAsked)
    if not cluster.fetch_state(thread, partition).is_at(asked.offset):
        return True
    if not cluster.fetch_state(thread, partition).has_epoch(asked.current_epoch):
        return True
    return brings_news(cluster, thread, partition, asked)


def brings_news(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> bool:
    """Tell whether leader or follower would learn anything.

    A thread that moves logs is answered at once.

    Rules: L-READ.  Source: DelayedFetch.tryComplete.
    """
    if thread.moves_logs():
        return True
    leader, follower, offset = thread.leader, thread.follower, asked.offset
    answer = read_records(cluster, thread, partition, asked)
    if answer.error is not Error.NONE:
        return True
    if answer.record is not None or answer.diverging is not None:
        return True
    if not cluster.remotes[leader][partition].is_at(follower, offset):
        return True
    if can_expand_isr(cluster, leader, partition, follower, offset):
        return True
    return is_told_more(cluster, thread, partition)


def is_told_more(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether high watermark or start of an empty answer are new."""
    leader, follower = thread.leader, thread.follower
    start = cluster.logs[leader][partition].start_offset
    if start > cluster.logs[follower][partition].start_offset:
        return True
    end = cluster.logs[follower][partition].end_offset
    told = min(cluster.replicas[leader][partition].high_watermark, end)
    known: Offset = cluster.replicas[follower][partition].high_watermark
    return told != known
