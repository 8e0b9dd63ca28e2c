"""The first half of a thread's loop: maybeTruncate, until the logs agree.

The locks are given up while the leader is asked, and between the two ways to truncate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import (
    NO_CALL,
    Call,
    EpochAnswer,
    EpochAsked,
    Error,
    NoEpoch,
)
from replicheck.model.fetching.cells.fetch_state import FetcherThread, ThreadPhase
from replicheck.model.fetching.cells.log import EpochEnd
from replicheck.model.fetching.fetchers.fetcher_manager import die
from replicheck.model.fetching.fetchers.log_truncation import (
    OffsetTruncationState,
    do_truncate,
)
from replicheck.model.fetching.fetchers.own_logs import has_own_log, own_log
from replicheck.model.fetching.fetchers.partition_errors import (
    delay_partitions,
    on_partition_fenced,
)
from replicheck.model.fetching.fetchers.partition_states import forget_order
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, PartitionId

Truncated = Mapping[PartitionId, OffsetTruncationState]


def fetch_truncating_partitions(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """The thread asks where its latest epochs end, for all partitions to be cut.

    Logs without any epoch are cut to their high watermark afterwards.

    Rules: F-TRUNC-1, F-TRUNC-2, F-THREAD-2.
    Source: AbstractFetcherThread.fetchTruncatingPartitions,
    ReplicaFetcherThread.fetchEpochEndOffsets,
    ReplicaAlterLogDirsThread.fetchEpochEndOffsets.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.thread(thread).is_at(ThreadPhase.MAYBE_TRUNCATE):
        return
    asked: dict[PartitionId, Call] = {}
    for partition in cluster.bounds.partition_ids:
        if cluster.fetch_state(thread, partition).is_truncating():
            if lookup_raises(cluster, thread, partition):
                yield die(cluster, thread)
                return
            asked[partition] = Call(classify(cluster, thread, partition))
    if not asked:
        return
    asks = any(call.asks_epoch() for call in asked.values())
    phase = ThreadPhase.EPOCHS_ASKED if asks else ThreadPhase.TO_HIGH_WATERMARK
    yield cluster.evolve(
        threads={thread.index: FetcherThread(phase)},
        calls={thread.at(partition): call for partition, call in asked.items()},
    )


@rule
def lookup_raises(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether a partition is none that the broker has, which nothing catches.

    Rules: F-THREAD-2, F-ALT-2.
    Source: ReplicaFetcherThread.latestEpoch, ReplicaFetcherThread.endOffsetForEpoch.
    """
    return not has_own_log(cluster, thread, partition)


@rule
def classify(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> EpochAsked | NoEpoch:
    """The question to the leader: the latest cached epoch of a partition, if any.

    Rules: F-TRUNC-1, F-ALT-3.  Source: AbstractFetcherThread.fetchTruncatingPartitions.
    """
    latest = own_log(cluster, thread, partition).latest_epoch
    if latest is None:
        return NoEpoch()
    current = cluster.fetch_state(thread, partition).epoch
    assert current is not None, "a partition that is tracked has an epoch"
    return EpochAsked(current, latest)


def truncate_to_epoch_end_offsets(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """The thread cuts what the answers say, and then the logs without an epoch.

    Rules: F-TRUNC-3, F-TRUNC-4, F-UPD, F-THREAD-2.
    Source: AbstractFetcherThread.truncateToEpochEndOffsets.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.thread(thread).is_at(ThreadPhase.EPOCHS_ANSWERED):
        return
    truncated: dict[PartitionId, OffsetTruncationState] = {}
    has_others = False
    for partition in cluster.bounds.partition_ids:
        if cluster.call(thread, partition).is_without_epoch():
            has_others = True
        elif cluster.call(thread, partition).asks_epoch():
            if is_fatal(cluster, thread, partition):
                yield die(cluster, thread)
                return
            cluster, state = use_epoch_answer(cluster, thread, partition)
            if cluster.thread(thread).is_at(ThreadPhase.DEAD):
                yield cluster
                return
            cluster = cluster.evolve(calls={thread.at(partition): NO_CALL})
            if state is not None:
                truncated[partition] = state
    cluster = update_fetch_offset_and_maybe_mark_truncation_complete(
        cluster, thread, truncated
    )
    phase = ThreadPhase.TO_HIGH_WATERMARK if has_others else ThreadPhase.MAYBE_FETCH
    yield cluster.evolve(threads={thread.index: FetcherThread(phase)})


def is_fatal(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether an answer would be used on a partition that the broker lacks.

    Rules: F-THREAD-2.  Source: AbstractFetcherThread.getOffsetTruncationState.
    """
    if not cluster.fetch_state(thread, partition).is_tracked():
        return False
    answer = cluster.call(thread, partition).answer
    if answer is None or answer.error is not Error.NONE:
        return False
    return lookup_raises(cluster, thread, partition)


def use_epoch_answer(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> tuple[Brokers, OffsetTruncationState | None]:
    """Cut one log, if the answer is still of use; the state, and where it was cut.

    Rules: F-TRUNC-3, F-TRUNC-4, F-FENCE.
    Source: AbstractFetcherThread.maybeTruncateToEpochEndOffsets.
    """
    if not cluster.fetch_state(thread, partition).is_tracked():
        return cluster, None
    call = cluster.call(thread, partition)
    asked, answer = call.request, call.answer
    assert isinstance(asked, EpochAsked)
    assert isinstance(answer, EpochAnswer)
    if not is_of_current_epoch(cluster, thread, partition, asked):
        return cluster, None
    if answer.error is Error.NONE:
        state = get_offset_truncation_state(cluster, thread, partition, answer.found)
        return do_truncate(cluster, thread, partition, state)
    if answer.error is Error.FENCED_LEADER_EPOCH:
        epoch = asked.current_epoch
        return on_partition_fenced(cluster, thread, partition, epoch), None
    return delay_partitions(cluster, thread, partition), None


@rule
def is_of_current_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: EpochAsked
) -> bool:
    """Tell whether an answer was asked for in the epoch in which the thread is now.

    Rules: F-TRUNC-3.  Source: AbstractFetcherThread.truncateToEpochEndOffsets.
    """
    return cluster.fetch_state(thread, partition).has_epoch(asked.current_epoch)


@rule
def get_offset_truncation_state(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, found: EpochEnd
) -> OffsetTruncationState:
    """The truncation offset by the leader's epoch and its end.

    Rules: F-OTS, F-OTS-1, F-OTS-2, F-OTS-3, F-OTS-4.
    Source: AbstractFetcherThread.getOffsetTruncationState.
    """
    if found.end is None:
        offset = cluster.fetch_state(thread, partition).offset
        return OffsetTruncationState(offset, is_completed=True)
    log = own_log(cluster, thread, partition)
    end = log.end_offset
    if found.epoch is None:
        return OffsetTruncationState(min(found.end, end), is_completed=True)
    own_end = log.end_offset_for(found.epoch)
    if own_end.end is None:
        return OffsetTruncationState(min(found.end, end), is_completed=True)
    if own_end.epoch != found.epoch:
        return OffsetTruncationState(min(own_end.end, end), is_completed=False)
    return OffsetTruncationState(min(own_end.end, found.end, end), is_completed=True)


def truncate_to_high_watermark(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """The thread cuts logs without an epoch to the offset at which they were added.

    Rules: F-TRUNC-HW, F-UPD.  Source: AbstractFetcherThread.truncateToHighWatermark.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.thread(thread).is_at(ThreadPhase.TO_HIGH_WATERMARK):
        return
    truncated: dict[PartitionId, OffsetTruncationState] = {}
    for partition in cluster.bounds.partition_ids:
        if not cluster.call(thread, partition).is_without_epoch():
            continue
        is_due = is_still_without_epoch(cluster, thread, partition)
        cluster = cluster.evolve(calls={thread.at(partition): NO_CALL})
        if not is_due:
            continue
        offset = cluster.fetch_state(thread, partition).offset
        target = OffsetTruncationState(offset, is_completed=True)
        cluster, state = do_truncate(cluster, thread, partition, target)
        if cluster.thread(thread).is_at(ThreadPhase.DEAD):
            yield cluster
            return
        if state is not None:
            truncated[partition] = state
    cluster = update_fetch_offset_and_maybe_mark_truncation_complete(
        cluster, thread, truncated
    )
    yield cluster.evolve(threads={thread.index: FetcherThread(ThreadPhase.MAYBE_FETCH)})


@rule
def is_still_without_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> bool:
    """Tell whether a partition is still to be cut: it is, if it is still there (K-9).

    Rules: F-TRUNC-HW.  Source: AbstractFetcherThread.truncateToHighWatermark.
    """
    return cluster.fetch_state(thread, partition).is_tracked()


@rule
def update_fetch_offset_and_maybe_mark_truncation_complete(
    cluster: Brokers, thread: ThreadId, truncated: Truncated
) -> Brokers:
    """Go on where the logs were cut; a partition that is done begins to fetch.

    Rules: F-UPD, F-STATE-2.
    Source: AbstractFetcherThread.updateFetchOffsetAndMaybeMarkTruncationComplete.
    """
    for partition, target in truncated.items():
        state = cluster.fetch_state(thread, partition)
        state = state.truncated(target.offset, target.is_completed)
        cluster = cluster.evolve(fetch_states={thread.at(partition): state})
    return forget_order(cluster, thread)
