"""Kafka since 2.8: truncation on fetch, as replacements of single rules."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker import fetch_requests, replica_manager
from replicheck.model.fetching.cells.calls import NO_CALL, Call, FetchAnswer, FetchAsked
from replicheck.model.fetching.cells.fetch_state import (
    FetcherThread,
    FetchingState,
    PartitionFetchState,
    ThreadPhase,
)
from replicheck.model.fetching.fetchers import fetcher_manager, log_truncation
from replicheck.model.fetching.fetchers.log_truncation import OffsetTruncationState
from replicheck.model.fetching.fetchers.partition_states import update_and_move_to_end
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import fetching, out_of_range, truncating
from replicheck.model.fetching.versions.diverging_epochs import (
    read_or_tell_where_to_cut,
)
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original, rule
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


def begin_at_the_end(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, content: LeaderAndIsr
) -> Brokers:
    """A log with epochs is fetched from its end, not from its high watermark.

    Rules: B-FOLLOW.  Source: Kafka 2.8, ReplicaManager.initialFetchOffset.
    """
    log = cluster.logs[broker][partition]
    if log.latest_epoch is None:
        rule = original(replica_manager.move_fetcher)
        return rule(cluster, broker, partition, content)
    assert content.leader is not None, "a follower is told its leader"
    offset = log.end_offset
    cluster = fetcher_manager.remove_fetcher_for_partitions(cluster, broker, partition)
    return fetcher_manager.add_fetcher_for_partitions(
        cluster, broker, partition, content.leader, content.epoch, offset
    )


def begin_with_fetching(
    cluster: Brokers,
    thread: ThreadId,
    partition: PartitionId,
    epoch: Epoch,
    offset: Offset,
) -> Brokers:
    """A log with epochs is fetched at once, and cut when the leader says so.

    Moves are as before.

    Rules: F-ADD.  Source: Kafka 2.8, AbstractFetcherThread.partitionFetchState.
    """
    log = cluster.logs[thread.follower][partition]
    if thread.moves_logs() or log.latest_epoch is None:
        rule = original(fetcher_manager.add_partitions)
        return rule(cluster, thread, partition, epoch, offset)
    failed = cluster.failed[thread.follower].remove(partition)
    cluster = cluster.evolve(failed={thread.follower: failed})
    if cluster.fetch_state(thread, partition).is_tracked_in(epoch):
        return cluster
    latest = log.latest_epoch
    state = PartitionFetchState(
        FetchingState.FETCHING, offset, epoch, last_epoch=latest
    )
    return update_and_move_to_end(cluster, thread, partition, state)


def ask_with_the_last_epoch(
    cluster: Brokers, thread: ThreadId
) -> dict[PartitionId, Call]:
    """A fetch says in which epoch the record below its offset is.

    Rules: F-FETCH-1.  Source: Kafka 2.8, ReplicaFetcherThread.buildFetch.
    """
    asked = original(fetching.build_fetch)(cluster, thread)
    if thread.moves_logs():
        return asked
    for partition, call in asked.items():
        assert isinstance(call.request, FetchAsked)
        latest = cluster.fetch_state(thread, partition).last_epoch
        asked[partition] = Call(evolve(call.request, last_epoch=latest))
    return asked


def use_records_and_their_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> Brokers:
    """The epoch of the last record that came is sent with the next fetch.

    Rules: F-PPD-5.  Source: Kafka 2.8, AbstractFetcherThread.processFetchRequest.
    """
    rule = original(fetching.use_records)
    cluster = rule(cluster, thread, partition, answer)
    if answer.record is None:
        return cluster
    return remember_the_latest_epoch(cluster, thread, partition)


def reset_offset_and_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """What is left of a log that was cut or emptied has another latest epoch.

    Rules: F-OOR.  Source: Kafka 2.8, AbstractFetcherThread.fetchOffsetAndTruncate.
    """
    rule = original(out_of_range.fetch_offset_and_truncate)
    cluster = rule(cluster, thread, partition)
    return remember_the_latest_epoch(cluster, thread, partition)


def update_fetch_offset_and_epoch(
    cluster: Brokers, thread: ThreadId, truncated: truncating.Truncated
) -> Brokers:
    """What is left of a log that was cut has another latest epoch.

    Rules: F-UPD.  Source: Kafka 2.8, PartitionFetchState.lastFetchedEpoch.
    """
    rule = original(truncating.update_fetch_offset_and_maybe_mark_truncation_complete)
    cluster = rule(cluster, thread, truncated)
    for partition in truncated:
        cluster = remember_the_latest_epoch(cluster, thread, partition)
    return cluster


def remember_the_latest_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """Send the latest epoch of the log with the next fetch.

    Rules: F-STATE-5.  Source: Kafka 2.8, PartitionFetchState.lastFetchedEpoch.
    """
    if thread.moves_logs() or not cluster.fetch_state(thread, partition).is_tracked():
        return cluster
    latest = cluster.logs[thread.follower][partition].latest_epoch
    state = cluster.fetch_state(thread, partition).with_last_epoch(latest)
    return cluster.evolve(fetch_states={thread.at(partition): state})


def process_fetch_request(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """The thread uses the whole answer, and gives up the lock before it cuts logs.

    Rules: F-FETCH-2, F-FETCH-3.
    Source: Kafka 2.8, AbstractFetcherThread.processFetchRequest.
    """
    thread = ThreadId(follower, leader, fetcher)
    diverging_calls = {
        partition: cluster.call(thread, partition)
        for partition in cluster.bounds.partition_ids
        if is_told_to_cut(cluster, thread, partition)
    }
    processed = fetching.process_fetch_request(cluster, follower, leader, fetcher)
    for after in processed:
        left = {
            thread.at(partition): call
            for partition, call in diverging_calls.items()
            if after.fetch_state(thread, partition).is_tracked()
        }
        if left and not after.thread(thread).is_at(ThreadPhase.DEAD):
            threads = {thread.index: FetcherThread(ThreadPhase.ON_FETCH_RESPONSE)}
            after = after.evolve(calls=left, threads=threads)
        yield after


def is_told_to_cut(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether an answer that is of use says where to cut a log."""
    if not cluster.call(thread, partition).is_diverging():
        return False
    if not fetching.is_still_ready(cluster, thread, partition):
        return False
    asked = cluster.call(thread, partition).request
    assert isinstance(asked, FetchAsked)
    return fetching.is_asked_offset(cluster, thread, partition, asked)


def truncate_on_fetch_response(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """The thread cuts the logs that diverge; the partitions go on fetching.

    Rules: F-OTS, F-UPD.
    Source: Kafka 2.8, AbstractFetcherThread.truncateOnFetchResponse.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.thread(thread).is_at(ThreadPhase.ON_FETCH_RESPONSE):
        return
    truncated: dict[PartitionId, OffsetTruncationState] = {}
    for partition in cluster.bounds.partition_ids:
        if not cluster.call(thread, partition).is_diverging():
            continue
        answer = cluster.call(thread, partition).answer
        assert isinstance(answer, FetchAnswer)
        is_due = is_still_there(cluster, thread, partition)
        cluster = cluster.evolve(calls={thread.at(partition): NO_CALL})
        if not is_due:
            continue
        assert answer.diverging is not None, "the logs diverge"
        target = truncating.get_offset_truncation_state(
            cluster, thread, partition, answer.diverging
        )
        cluster, state = log_truncation.do_truncate(cluster, thread, partition, target)
        if state is not None and cluster.fetch_state(thread, partition).is_tracked():
            truncated[partition] = evolve(state, is_completed=True)
    cluster = truncating.update_fetch_offset_and_maybe_mark_truncation_complete(
        cluster, thread, truncated
    )
    begins = FetcherThread(ThreadPhase.MAYBE_TRUNCATE)
    yield cluster.evolve(threads={thread.index: begins})


@rule
def is_still_there(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether a log is still to be cut: the thread has the partition.

    Rules: F-UPD, F-REMOVE.
    Source: Kafka 2.8.1, AbstractFetcherThread.maybeTruncateToEpochEndOffsets.
    """
    return cluster.fetch_state(thread, partition).is_tracked()


def is_still_in_the_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> bool:
    """A log is cut only in the leader epoch in which the answer was asked for.

    Rules: F-UPD.  Source: no version of Kafka.
    """
    asked = cluster.call(thread, partition).request
    assert isinstance(asked, FetchAsked)
    return cluster.fetch_state(thread, partition).is_tracked_in(asked.current_epoch)


def truncate_requested_partition(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> bool:
    """A log is cut also if its partition was removed meanwhile (KAFKA-13207).

    Rules: F-UPD.
    Source: Kafka 2.8.0, AbstractFetcherThread.maybeTruncateToEpochEndOffsets.
    """
    return True


def use_records_unless_logs_diverge(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> Brokers:
    """An answer that says where to cut says nothing else (KAFKA-14704).

    Rules: F-PPD.  Source: Kafka 3.5, AbstractFetcherThread.processFetchRequest.
    """
    if answer.diverging is not None:
        return cluster
    return use_records_and_their_epoch(cluster, thread, partition, answer)


def is_asked_in_this_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> bool:
    """An answer is of use only in the leader epoch in which it was asked (KAFKA-18991).

    Rules: F-FETCH-3.  Source: AbstractFetcherThread.processFetchRequest.
    """
    if not original(fetching.is_asked_offset)(cluster, thread, partition, asked):
        return False
    return cluster.fetch_state(thread, partition).has_epoch(asked.current_epoch)


def with_truncation_on_fetch(protocol: Protocol) -> Protocol:
    """A protocol with truncation on fetch."""
    return (
        protocol.replacing(replica_manager.move_fetcher, by=begin_at_the_end)
        .replacing(fetcher_manager.add_partitions, by=begin_with_fetching)
        .replacing(fetching.build_fetch, by=ask_with_the_last_epoch)
        .replacing(fetch_requests.read_records, by=read_or_tell_where_to_cut)
        .replacing(fetching.use_records, by=use_records_and_their_epoch)
        .replacing(out_of_range.fetch_offset_and_truncate, by=reset_offset_and_epoch)
        .replacing(
            truncating.update_fetch_offset_and_maybe_mark_truncation_complete,
            by=update_fetch_offset_and_epoch,
        )
        .replacing(fetching.process_fetch_request, by=process_fetch_request)
        .adding(truncate_on_fetch_response)
    )
