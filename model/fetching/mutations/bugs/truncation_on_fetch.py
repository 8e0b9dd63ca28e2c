"""Bugs that Kafka had since it truncates on fetch."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.broker import fetch_requests, replica_manager
from replicheck.model.fetching.cells.calls import FetchAnswer, FetchAsked
from replicheck.model.fetching.cells.requests import Becoming
from replicheck.model.fetching.fetchers import fetcher_manager
from replicheck.model.fetching.log_moves.alter_log_dirs import find_future_log
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import fetching
from replicheck.model.fetching.versions import truncation_on_fetch
from replicheck.model.fetching.versions.diverging_epochs import (
    read_or_tell_where_to_cut,
)
from replicheck.model.fetching.versions.history import KAFKA_2_8, KAFKA_3_5
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, PartitionId


def count_a_fetch_that_diverges(cluster: Brokers, answer: FetchAnswer) -> bool:
    """A follower that is told to cut its log counts as far as that (KAFKA-13141)."""
    return original(fetch_requests.shows_progress)(cluster, answer)


def truncate_removed_partition(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> bool:
    """A log is cut although its partition was taken away meanwhile (KAFKA-13207)."""
    return truncation_on_fetch.truncate_requested_partition(cluster, thread, partition)


def take_the_high_watermark_before_cutting(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> Brokers:
    """An answer that says where to cut raises the high watermark, too (KAFKA-14704)."""
    use = truncation_on_fetch.use_records_and_their_epoch
    return use(cluster, thread, partition, answer)


def forget_the_epoch_with_an_empty_answer(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> Brokers:
    """An answer without records leaves no epoch for the next fetch (KAFKA-15510)."""
    use = truncation_on_fetch.use_records_unless_logs_diverge
    cluster = use(cluster, thread, partition, answer)
    if answer.record is not None or answer.diverging is not None:
        return cluster
    if not cluster.fetch_state(thread, partition).is_tracked():
        return cluster
    state = cluster.fetch_state(thread, partition).with_last_epoch(None)
    return cluster.evolve(fetch_states={thread.at(partition): state})


def compare_epochs_below_the_start(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> FetchAnswer:
    """An offset below the start is told to diverge (KAFKA-12996)."""
    return read_or_tell_where_to_cut(cluster, thread, partition, asked)


def note_the_end_before_removing(
    cluster: Brokers, broker: BrokerId
) -> Iterator[Brokers]:
    """The end of the log is looked up while the old fetcher appends (KAFKA-13266)."""
    if not cluster.handlers[broker].is_making(Becoming.FOLLOWER):
        return
    partition, content = replica_manager.request_under_way(cluster, broker)
    offset = cluster.handlers[broker].offset
    if offset is None:
        end = cluster.logs[broker][partition].end_offset
        noted = cluster.handlers[broker].begin_at(end)
        yield cluster.evolve(handlers={broker: noted})
        return
    assert content.leader is not None, "a follower is told its leader"
    cluster = fetcher_manager.remove_fetcher_for_partitions(cluster, broker, partition)
    cluster = fetcher_manager.add_fetcher_for_partitions(
        cluster, broker, partition, content.leader, content.epoch, offset
    )
    yield find_future_log(cluster, broker, partition)


MUTATIONS: dict[str, Protocol] = {
    "kafka-13141-count-a-fetch-that-diverges": KAFKA_3_5.replacing(
        fetch_requests.shows_progress, by=count_a_fetch_that_diverges
    ),
    "kafka-13207-truncate-removed-partition": KAFKA_3_5.replacing(
        truncation_on_fetch.is_still_there, by=truncate_removed_partition
    ),
    "kafka-14704-take-the-high-watermark-before-cutting": KAFKA_3_5.replacing(
        fetching.use_records, by=take_the_high_watermark_before_cutting
    ),
    "kafka-15510-forget-the-epoch-with-an-empty-answer": KAFKA_3_5.replacing(
        fetching.use_records, by=forget_the_epoch_with_an_empty_answer
    ),
    "kafka-13266-note-the-end-before-removing": KAFKA_3_5.replacing(
        replica_manager.replace_fetcher, by=note_the_end_before_removing
    ),
}
OF_KAFKA_2_8: dict[str, Protocol] = {
    "kafka-12996-compare-epochs-below-the-start": KAFKA_2_8.replacing(
        fetch_requests.read_records, by=compare_epochs_below_the_start
    ),
}
"""Since 3.5 an answer that says where to cut does nothing else, and this no harm."""
