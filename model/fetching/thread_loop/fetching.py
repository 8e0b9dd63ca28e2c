"""The second half of a thread's loop: maybeFetch, and what becomes of the answer."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker.leader import delete_below
from replicheck.model.fetching.cells.calls import (
    NO_CALL,
    Call,
    Error,
    FetchAnswer,
    FetchAsked,
)
from replicheck.model.fetching.cells.fetch_state import FetcherThread, ThreadPhase
from replicheck.model.fetching.fetchers.own_logs import (
    has_own_log,
    own_directory,
    own_log,
    with_own_high_watermark,
    with_own_log,
)
from replicheck.model.fetching.fetchers.partition_errors import (
    Caught,
    delay_partitions,
    handle_processing_error,
    on_partition_fenced,
)
from replicheck.model.fetching.fetchers.partition_states import update_and_move_to_end
from replicheck.model.fetching.log_moves.log_replacement import (
    maybe_replace_current_with_future_replica,
)
from replicheck.model.fetching.log_moves.one_at_a_time import (
    keep_in_progress,
    select_partitions,
)
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop.out_of_range import handle_out_of_range_error
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


def maybe_fetch(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """The thread asks for records of all partitions that are ready.

    If none is, it waits, and begins its loop anew. If none is to be truncated, it comes
    here at once.

    Rules: F-LOOP-1, F-FETCH-1.  Source: AbstractFetcherThread.maybeFetch.
    """
    thread = ThreadId(follower, leader, fetcher)
    begins = cluster.thread(thread).is_at(ThreadPhase.MAYBE_TRUNCATE)
    if not begins and not cluster.thread(thread).is_at(ThreadPhase.MAYBE_FETCH):
        return
    if begins and has_truncating(cluster, thread):
        return
    asked = build_fetch(cluster, thread)
    selected = keep_in_progress(cluster, thread, asked)
    if asked:
        yield selected.evolve(
            threads={thread.index: FetcherThread(ThreadPhase.FETCH_ASKED)},
            calls={thread.at(partition): call for partition, call in asked.items()},
        )
    elif not begins or selected is not cluster:
        idle = FetcherThread(ThreadPhase.MAYBE_TRUNCATE)
        yield selected.evolve(threads={thread.index: idle})


def has_truncating(cluster: Brokers, thread: ThreadId) -> bool:
    """Tell whether a thread has a partition to be cut."""
    return any(
        cluster.fetch_state(thread, partition).is_truncating()
        for partition in cluster.bounds.partition_ids
    )


@rule
def build_fetch(cluster: Brokers, thread: ThreadId) -> dict[PartitionId, Call]:
    """The fetch request: offset and epoch of each partition that is ready.

    Abstraction: nothing is throttled.

    Rules: F-FETCH-1.  Source: ReplicaFetcherThread.buildFetch.
    """
    asked = {}
    for partition in select_partitions(cluster, thread):
        if cluster.fetch_state(thread, partition).is_ready_for_fetch():
            state = cluster.fetch_state(thread, partition)
            epoch, offset = state.epoch, state.offset
            assert epoch is not None, "a partition that is tracked has an epoch"
            asked[partition] = Call(FetchAsked(epoch, offset))
    return asked


def process_fetch_request(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """The thread uses the whole answer, partition by partition.

    Rules: F-FETCH-2, F-FETCH-3, F-FETCH-4, F-FETCH-5.
    Source: AbstractFetcherThread.processFetchRequest.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.thread(thread).is_at(ThreadPhase.FETCH_ANSWERED):
        return
    for partition in cluster.bounds.partition_ids:
        if cluster.call(thread, partition).asks_records():
            cluster = use_fetch_answer(cluster, thread, partition)
            if cluster.thread(thread).is_at(ThreadPhase.DEAD):
                yield cluster
                return
            cluster = cluster.evolve(calls={thread.at(partition): NO_CALL})
    begins = FetcherThread(ThreadPhase.MAYBE_TRUNCATE)
    yield cluster.evolve(threads={thread.index: begins})


def use_fetch_answer(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """Do what the answer says of one partition, if it is still of use.

    Abstraction: the delay is at once; Kafka gives up the lock before it.

    Rules: F-FETCH-3, F-FETCH-4, F-FETCH-5, F-FENCE, F-OOR, F-PPD-5.
    Source: AbstractFetcherThread.processFetchRequest.
    """
    if not is_still_ready(cluster, thread, partition):
        return cluster
    call = cluster.call(thread, partition)
    asked, answer = call.request, call.answer
    assert isinstance(asked, FetchAsked)
    assert isinstance(answer, FetchAnswer)
    if not is_asked_offset(cluster, thread, partition, asked):
        return cluster
    epoch = asked.current_epoch
    match answer.error:
        case Error.NONE:
            return use_records(cluster, thread, partition, answer)
        case Error.OFFSET_OUT_OF_RANGE:
            return handle_out_of_range_error(cluster, thread, partition, epoch)
        case Error.FENCED_LEADER_EPOCH:
            return on_partition_fenced(cluster, thread, partition, epoch)
        case _:
            return delay_partitions(cluster, thread, partition)


@rule
def is_still_ready(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether a partition is ready for records when they come.

    Rules: F-FETCH-3.  Source: AbstractFetcherThread.processFetchRequest.
    """
    return cluster.fetch_state(thread, partition).is_ready_for_fetch()


@rule
def is_asked_offset(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> bool:
    """Tell whether the records that come are the next ones.

    Rules: F-FETCH-3.  Source: AbstractFetcherThread.processFetchRequest.
    """
    return cluster.fetch_state(thread, partition).is_at(asked.offset)


@rule
def use_records(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> Brokers:
    """Append what came; corrupt records are fetched again, other errors are final.

    A move that is over is not fetched any more.

    Rules: F-FETCH-4, F-PPD-5, F-STATE-4, F-ALT-6.
    Source: AbstractFetcherThread.processFetchRequest.
    """
    cluster, caught = process_partition_data(cluster, thread, partition, answer)
    if caught is Caught.NONE and thread.moves_logs():
        cluster, caught = maybe_replace_current_with_future_replica(
            cluster, thread, partition, answer
        )
    if caught is not Caught.NONE:
        return handle_processing_error(cluster, thread, partition, caught)
    if answer.record is None:
        return cluster
    if not cluster.fetch_state(thread, partition).is_tracked():
        return cluster
    next_offset = Offset(cluster.fetch_state(thread, partition).offset + 1)
    state = cluster.fetch_state(thread, partition).fetched_up_to(next_offset)
    return update_and_move_to_end(cluster, thread, partition, state)


@rule
def process_partition_data(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> tuple[Brokers, Caught]:
    """Append to the log, then take over high watermark and log start offset.

    Rules: F-PPD, F-PPD-1, F-PPD-2, F-PPD-3, F-PPD-4, F-ALT-6, G-HW-1.
    Source: ReplicaFetcherThread.processPartitionData,
    Partition.appendRecordsToFollowerOrFutureReplica.
    """
    if not has_own_log(cluster, thread, partition):
        return cluster, Caught.UNEXPECTED
    log = own_log(cluster, thread, partition)
    if not log.ends_at(cluster.fetch_state(thread, partition).offset):
        return cluster, Caught.UNEXPECTED
    if answer.is_corrupt:
        return cluster, Caught.CORRUPT
    if log.is_broken:
        repaired = with_own_log(cluster, thread, partition, log.repair())
        return repaired, Caught.UNEXPECTED
    end = log.end_offset
    if answer.record is not None:
        if not own_directory(cluster, thread, partition).is_good():
            log = log.assign(answer.record.epoch, end)
            after = with_own_log(cluster, thread, partition, log)
            return after, Caught.STORAGE_ERROR
        log = log.append(answer.record)
    high_watermark = log.nearest_to(answer.high_watermark)
    cluster = set_follower_high_watermark(cluster, thread, partition, high_watermark)
    if answer.start_offset > high_watermark:
        after = with_own_log(cluster, thread, partition, log)
        return after, Caught.UNEXPECTED
    log = delete_below(cluster, log, answer.start_offset)
    return with_own_log(cluster, thread, partition, log), Caught.NONE


@rule
def set_follower_high_watermark(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> Brokers:
    """Take over the leader's high watermark, also if it is lower.

    Rules: F-PPD-3, G-HW-1.  Source: Log.updateHighWatermark.
    """
    return with_own_high_watermark(cluster, thread, partition, offset)
