"""Bugs that Kafka had in how a thread cuts logs, fetches, and uses what came."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker import fetch_requests
from replicheck.model.fetching.cells.calls import FetchAnswer, FetchAsked
from replicheck.model.fetching.cells.fetch_state import InitialFetchState, ThreadPhase
from replicheck.model.fetching.fetchers import partition_errors, thread_pool
from replicheck.model.fetching.fetchers.fetcher_manager import die
from replicheck.model.fetching.fetchers.own_logs import own_log, with_own_log
from replicheck.model.fetching.fetchers.partition_errors import Caught
from replicheck.model.fetching.fetchers.partition_states import update_and_move_to_end
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import fetching, out_of_range, truncating
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId, RecordId

LARGE = RecordId(0)
"""A record that is larger than a limit of the follower, which the leader had not."""


def let_storage_errors_end_the_thread(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, caught: Caught
) -> Brokers:
    """Nothing catches a storage error of truncating (KAFKA-5864)."""
    if caught is Caught.STORAGE_ERROR:
        return die(cluster, thread)
    rule = original(partition_errors.handle_truncation_error)
    return rule(cluster, thread, partition, caught)


def cut_without_looking(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """A partition removed before the cut ends the thread (KAFKA-8012)."""
    thread = ThreadId(follower, leader, fetcher)
    if cluster.thread(thread).is_at(ThreadPhase.TO_HIGH_WATERMARK) and any(
        cluster.call(thread, partition).is_without_epoch()
        and not cluster.fetch_state(thread, partition).is_tracked()
        for partition in cluster.bounds.partition_ids
    ):
        yield die(cluster, thread)
        return
    yield from truncating.truncate_to_high_watermark(cluster, follower, leader, fetcher)


def serve_fetches_of_any_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> FetchAnswer:
    """A fetch has no epoch to be compared, since its session forgot it (KAFKA-9338)."""
    rule = original(fetch_requests.read_records)
    epoch = cluster.replicas[thread.leader][partition].epoch
    if epoch is None:
        return rule(cluster, thread, partition, asked)
    return rule(cluster, thread, partition, evolve(asked, current_epoch=epoch))


def wipe_below_the_high_watermark(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> Brokers:
    """A log begins anew at an offset, and its high watermark stays (KAFKA-9491)."""
    log = own_log(cluster, thread, partition).truncate_fully_and_start_at(offset)
    return with_own_log(cluster, thread, partition, log)


def advance_before_appending(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> Brokers:
    """The next record is fetched next, also if this one is corrupt (KAFKA-4384)."""
    rule = original(fetching.use_records)
    cluster = rule(cluster, thread, partition, answer)
    state = cluster.fetch_state(thread, partition)
    if not answer.is_corrupt or not state.is_tracked():
        return cluster
    advanced = state.fetched_up_to(Offset(state.offset + 1)).delay()
    return update_and_move_to_end(cluster, thread, partition, advanced)


def refuse_large_records(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> tuple[Brokers, Caught]:
    """A follower refuses a record that its leader accepted (KAFKA-9617)."""
    if answer.record is not None and answer.record.id == LARGE:
        return cluster, Caught.UNEXPECTED
    rule = original(fetching.process_partition_data)
    return rule(cluster, thread, partition, answer)


def migrate_all_but_the_last_thread(
    cluster: Brokers, thread: ThreadId
) -> tuple[InitialFetchState, ...]:
    """The loop over threads leaves one out, since it changes them (KAFKA-13772)."""
    if thread.fetcher == cluster.bounds.fetcher_ids[-1]:
        return ()
    return original(thread_pool.partitions_to_migrate)(cluster, thread)


MUTATIONS: dict[str, Protocol] = {
    "kafka-5864-let-storage-errors-end-the-thread": KAFKA_2_5.replacing(
        partition_errors.handle_truncation_error, by=let_storage_errors_end_the_thread
    ),
    "kafka-8012-cut-without-looking": KAFKA_2_5.replacing(
        truncating.truncate_to_high_watermark, by=cut_without_looking
    ),
    "kafka-9338-serve-fetches-of-any-epoch": KAFKA_2_5.replacing(
        fetch_requests.read_records, by=serve_fetches_of_any_epoch
    ),
    "kafka-9491-wipe-below-the-high-watermark": KAFKA_2_5.replacing(
        out_of_range.truncate_fully_and_start_at, by=wipe_below_the_high_watermark
    ),
    "kafka-4384-advance-before-appending": KAFKA_2_5.replacing(
        fetching.use_records, by=advance_before_appending
    ),
    "kafka-9617-refuse-large-records": KAFKA_2_5.replacing(
        fetching.process_partition_data, by=refuse_large_records
    ),
    "kafka-13772-migrate-all-but-the-last-thread": KAFKA_2_5.replacing(
        thread_pool.partitions_to_migrate, by=migrate_all_but_the_last_thread
    ),
}
