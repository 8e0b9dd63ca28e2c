"""How a broker answers the requests of fetcher threads.

Abstraction: all partitions of one request are answered in one step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import evolve

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker.leader import (
    can_expand_isr,
    update_follower_fetch_state,
)
from replicheck.model.fetching.cells.calls import Error, FetchAnswer, FetchAsked
from replicheck.model.fetching.cells.fetch_state import FetcherThread, ThreadPhase
from replicheck.model.fetching.fetchers.partition_states import in_order
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId

Answers = Mapping[PartitionId, FetchAnswer]
"""What a broker answers of each partition of a fetch request."""


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

    An answer without records waits, and is read once more: it has the high watermark
    that this very fetch raised. Abstraction: a request that brings no news waits; Kafka
    would answer it after a while, and the same request would come again (L-SESS).

    Rules: L-READ, L-FU-1.
    Source: ReplicaManager.fetchMessages, DelayedFetch.tryComplete.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not is_due_to_answer(cluster, thread):
        return
    answers = read_from_local_log(cluster, thread)
    cluster = learn_from_reads(cluster, thread, answers)
    if can_wait(thread, answers):
        answers = read_from_local_log(cluster, thread)
    yield put_on_the_way(cluster, thread, answers)


def respond_immediately(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """An answer without records does not wait, and has the high watermark of before.

    Kafka does so if the leader's high watermark was above the last one that it sent to
    the follower (KIP-392). Abstraction: which one that was is left open.

    Rules: L-READ, L-FU-1.  Source: ReplicaManager.fetchMessages.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.faults.allow("immediate_answers"):
        return
    if not is_due_to_answer(cluster, thread):
        return
    answers = read_from_local_log(cluster, thread)
    if not can_wait(thread, answers):
        return
    cluster = learn_from_reads(cluster, thread, answers)
    if read_from_local_log(cluster, thread) == answers:
        return
    cluster = cluster.evolve(faults=cluster.faults.spend("immediate_answers"))
    yield put_on_the_way(cluster, thread, answers)


def is_due_to_answer(cluster: Brokers, thread: ThreadId) -> bool:
    """Tell whether a fetch request is at its source, and brings news."""
    if not cluster.thread(thread).is_at(ThreadPhase.FETCH_ASKED):
        return False
    if not cluster.processes[thread.leader].is_running:
        return False
    partitions = cluster.bounds.partition_ids
    return any(is_due(cluster, thread, partition) for partition in partitions)


def read_from_local_log(cluster: Brokers, thread: ThreadId) -> Answers:
    """Read what a request asks for, and bring no more records than its limit.

    Rules: L-READ, L-VAL-2.  Source: ReplicaManager.readFromLocalLog.
    """
    left = cluster.bounds.fetch_size or len(cluster.bounds.partition_ids)
    answers = {}
    for partition in in_order_of_request(cluster, thread):
        asked = cluster.call(thread, partition).request
        assert isinstance(asked, FetchAsked), "records are asked for"
        answer = read_records(cluster, thread, partition, asked)
        if answer.record is not None:
            if not left:
                answer = evolve(answer, record=None)
            left = max(0, left - 1)
        answers[partition] = answer
    return answers


def in_order_of_request(cluster: Brokers, thread: ThreadId) -> tuple[PartitionId, ...]:
    """The partitions of a request, also partitions that have left the thread since.

    Abstraction: these come last.

    Rules: F-STATE-1.  Source: PartitionStates.
    """
    tracked = tuple(in_order(cluster, thread))
    left = (p for p in cluster.bounds.partition_ids if p not in tracked)
    return tuple(p for p in (*tracked, *left) if cluster.call(thread, p).asks_records())


def learn_from_reads(cluster: Brokers, thread: ThreadId, answers: Answers) -> Brokers:
    """Learn how far the follower's logs reach; nothing is learned of a future log.

    Rules: L-FU-1.  Source: ReplicaManager.updateFollowerFetchState.
    """
    if thread.moves_logs():
        return cluster
    for partition, answer in answers.items():
        if not shows_progress(cluster, answer):
            continue
        asked = cluster.call(thread, partition).request
        assert isinstance(asked, FetchAsked), "records are asked for"
        cluster = update_follower_fetch_state(
            cluster, thread.leader, partition, thread.follower, asked.offset
        )
    return cluster


def can_wait(thread: ThreadId, answers: Answers) -> bool:
    """Tell whether an answer can be put off: it has no record, error or divergence.

    Rules: L-READ.  Source: ReplicaManager.fetchMessages.
    """
    return not thread.moves_logs() and not any(
        answer.error is not Error.NONE or answer.record or answer.diverging
        for answer in answers.values()
    )


def put_on_the_way(cluster: Brokers, thread: ThreadId, answers: Answers) -> Brokers:
    """Send an answer to a thread.

    Rules: L-READ.  Source: KafkaApis.handleFetchRequest.
    """
    return cluster.evolve(
        calls={
            thread.at(partition): cluster.call(thread, partition).reply(answer)
            for partition, answer in answers.items()
        },
        threads={thread.index: FetcherThread(ThreadPhase.FETCH_ANSWERED)},
    )


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
    if not cluster.logs[leader][partition].has_range(asked.offset):
        return FetchAnswer(Error.OFFSET_OUT_OF_RANGE)
    if touches_failed_directory(cluster, leader, partition, asked.offset):
        return FetchAnswer(Error.UNKNOWN_SERVER_ERROR)
    return FetchAnswer(
        Error.NONE,
        cluster.logs[leader][partition].record_at(asked.offset),
        cluster.replicas[leader][partition].high_watermark,
        cluster.logs[leader][partition].start_offset,
    )


@rule
def touches_failed_directory(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, offset: Offset
) -> bool:
    """Tell whether a read fails: at the end of a log nothing is read from the disk.

    The look-up of a position raises a KafkaException, which is no storage error.

    Rules: L-READ, F-FAIL-6.  Source: Log.read, LogSegment.translateOffset.
    """
    if cluster.logs[leader][partition].ends_at(offset):
        return False
    return not cluster.directory_of(leader, partition).is_good()


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
