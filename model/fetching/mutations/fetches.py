"""Mutations of how answers to a fetch are used."""

from __future__ import annotations

from replicheck.model.fetching.cells.calls import FetchAnswer, FetchAsked
from replicheck.model.fetching.cells.fetch_state import (
    FetchingState,
    PartitionFetchState,
)
from replicheck.model.fetching.fetchers import (
    fetcher_manager,
    partition_errors,
    partition_states,
)
from replicheck.model.fetching.fetchers.fetcher_manager import die
from replicheck.model.fetching.fetchers.own_logs import own_high_watermark, own_log
from replicheck.model.fetching.fetchers.partition_errors import Caught, delay_partitions
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import fetching, out_of_range
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import Epoch, Offset, PartitionId


def begin_to_fetch_at_the_end(
    cluster: Brokers,
    thread: ThreadId,
    partition: PartitionId,
    epoch: Epoch,
    offset: Offset,
) -> Brokers:
    """Fetch in a new epoch from the end of the log, and never cut it (K-2, F-ADD)."""
    failed = cluster.failed_of(thread.follower, thread.manager).remove(partition)
    end = own_log(cluster, thread, partition).end_offset
    state = PartitionFetchState(FetchingState.FETCHING, end, epoch)
    cluster = cluster.with_failed(thread.follower, failed, thread.manager)
    return partition_states.update_and_move_to_end(cluster, thread, partition, state)


def use_records_of_tracked_partition(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> bool:
    """Records are of use also for a partition that is to be cut (K-6b, F-FETCH-3)."""
    return cluster.fetch_state(thread, partition).is_tracked()


def use_records_of_any_offset(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> bool:
    """Records are of use wherever the partition is by now (F-FETCH-3)."""
    return True


def take_any_error_for_corrupt_records(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, caught: Caught
) -> Brokers:
    """Fetch again after every error, for ever (F-FETCH-4)."""
    return delay_partitions(cluster, thread, partition)


def let_corrupt_records_fail_the_partition(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, caught: Caught
) -> Brokers:
    """Corrupt records are final (F-FETCH-4)."""
    return fetcher_manager.mark_partition_failed(cluster, thread, partition)


def let_any_error_end_the_thread(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, caught: Caught
) -> Brokers:
    """Nothing catches an error of appending (F-FETCH-4)."""
    return die(cluster, thread)


def skip_the_high_watermark(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> tuple[Brokers, Caught]:
    """Take over the leader's high watermark beyond the end of the log (F-PPD-3)."""
    rule = original(fetching.process_partition_data)
    cluster, caught = rule(cluster, thread, partition, answer)
    if caught is not Caught.NONE:
        return cluster, caught
    set_to = fetching.set_follower_high_watermark
    offset = answer.high_watermark
    return set_to(cluster, thread, partition, offset), caught


def never_lower_the_high_watermark(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> Brokers:
    """A follower's high watermark only grows (F-PPD-3)."""
    known = own_high_watermark(cluster, thread, partition)
    rule = original(fetching.set_follower_high_watermark)
    return rule(cluster, thread, partition, max(known, offset))


def be_one_record_behind(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> Brokers:
    """A high watermark is taken for the last offset below it (F-PPD-3)."""
    start = own_log(cluster, thread, partition).start_offset
    rule = original(fetching.set_follower_high_watermark)
    return rule(cluster, thread, partition, max(start, Offset(offset - 1)))


def start_at_the_leaders_start(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """Begin anew at the leader's start, also where the log goes beyond it (F-OOR)."""
    start = cluster.logs[thread.leader][partition].start_offset
    cluster = out_of_range.truncate_fully_and_start_at(
        cluster, thread, partition, start
    )
    state = cluster.fetch_state(thread, partition).fetched_up_to(start)
    return partition_states.update_and_move_to_end(cluster, thread, partition, state)


def fetch_from_the_leaders_start(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """Go on at the leader's start, with the log as it is (F-OOR)."""
    start = cluster.logs[thread.leader][partition].start_offset
    state = cluster.fetch_state(thread, partition).fetched_up_to(start)
    return partition_states.update_and_move_to_end(cluster, thread, partition, state)


def never_rotate(
    cluster: Brokers,
    thread: ThreadId,
    partition: PartitionId,
    state: PartitionFetchState,
) -> Brokers:
    """Keep the order in which partitions are asked for (F-STATE-1)."""
    return cluster.evolve(fetch_states={thread.at(partition): state})


def delay_all_alike(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, epoch: Epoch
) -> Brokers:
    """Ask again after being fenced, for ever (F-FENCE)."""
    return delay_partitions(cluster, thread, partition)


def fail_fenced_partition(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, epoch: Epoch
) -> Brokers:
    """A fenced partition failed, also in an epoch that has passed (F-FENCE)."""
    return fetcher_manager.mark_partition_failed(cluster, thread, partition)


MUTATIONS: dict[str, Protocol] = {
    "k-2-begin-to-fetch-at-the-end": KAFKA_2_5.replacing(
        fetcher_manager.add_partitions, by=begin_to_fetch_at_the_end
    ),
    "k-6b-use-records-of-another-epoch": KAFKA_2_5.replacing(
        fetching.is_still_ready, by=use_records_of_tracked_partition
    ),
    "f-fetch-3-use-records-of-any-offset": KAFKA_2_5.replacing(
        fetching.is_asked_offset, by=use_records_of_any_offset
    ),
    "f-fetch-4-retry-every-error": KAFKA_2_5.replacing(
        partition_errors.handle_processing_error, by=take_any_error_for_corrupt_records
    ),
    "f-fetch-4-fail-for-corrupt-records": KAFKA_2_5.replacing(
        partition_errors.handle_processing_error,
        by=let_corrupt_records_fail_the_partition,
    ),
    "f-fetch-4-let-errors-end-the-thread": KAFKA_2_5.replacing(
        partition_errors.handle_processing_error, by=let_any_error_end_the_thread
    ),
    "f-ppd-3-skip-the-high-watermark": KAFKA_2_5.replacing(
        fetching.process_partition_data, by=skip_the_high_watermark
    ),
    "f-ppd-3-never-lower-the-high-watermark": KAFKA_2_5.replacing(
        fetching.set_follower_high_watermark, by=never_lower_the_high_watermark
    ),
    "f-ppd-3-be-one-record-behind": KAFKA_2_5.replacing(
        fetching.set_follower_high_watermark, by=be_one_record_behind
    ),
    "f-oor-start-at-the-leaders-start": KAFKA_2_5.replacing(
        out_of_range.fetch_offset_and_truncate, by=start_at_the_leaders_start
    ),
    "f-oor-fetch-from-the-leaders-start": KAFKA_2_5.replacing(
        out_of_range.fetch_offset_and_truncate, by=fetch_from_the_leaders_start
    ),
    "f-state-1-never-rotate": KAFKA_2_5.replacing(
        partition_states.update_and_move_to_end, by=never_rotate
    ),
    "f-fence-ask-again": KAFKA_2_5.replacing(
        partition_errors.on_partition_fenced, by=delay_all_alike
    ),
    "f-fence-fail-in-any-epoch": KAFKA_2_5.replacing(
        partition_errors.on_partition_fenced, by=fail_fenced_partition
    ),
}
