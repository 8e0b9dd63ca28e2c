"""Mutations of how logs are moved between the directories of a broker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replicheck.model.fetching.broker import replica_removal
from replicheck.model.fetching.cells.calls import FetchAnswer
from replicheck.model.fetching.cells.future_log import NO_FUTURE_LOG
from replicheck.model.fetching.fetchers import fetcher_manager
from replicheck.model.fetching.fetchers.partition_errors import Caught
from replicheck.model.fetching.log_moves import (
    alter_log_dirs,
    log_replacement,
    one_at_a_time,
)
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, DirectoryId, Offset, PartitionId


def keep_epoch_of_unfinished_moves(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A move that is under way, or failed, stays in its old epoch (KAFKA-9654)."""
    if cluster.failed_moves[broker].has(partition):
        return False
    thread = cluster.thread_for(broker, broker, partition)
    if cluster.fetch_state(thread, partition).is_tracked():
        return False
    return original(alter_log_dirs.is_to_be_moved_on)(cluster, broker, partition)


def add_finished_moves(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> bool:
    """A move that is over by now is added all the same (KAFKA-9750)."""
    return True


def add_nothing_that_failed(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> bool:
    """A move that failed is not tried again in a new epoch (F-FAIL-3)."""
    if cluster.failed_of(thread.follower, thread.manager).has(partition):
        return False
    return original(fetcher_manager.is_to_be_added)(cluster, thread, partition)


def move_log_to_same_directory(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, directory: DirectoryId
) -> bool:
    """A log is moved to the directory in which it is (F-ALT-1)."""
    return True


def replace_logs_grown_since_read(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> bool:
    """A log that grew since it was read is replaced as well (F-ALT-6, KAFKA-6949)."""
    return answer.record is None


def replace_logs_by_committed_copies(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> bool:
    """A log is replaced once its copy has what is committed (F-ALT-6)."""
    end = cluster.future_logs[thread.follower][partition].log.end_offset
    return end >= cluster.replicas[thread.follower][partition].high_watermark


def keep_the_copys_high_watermark(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Offset:
    """What the replaced log learns after it was read stays with it (KAFKA-9263)."""
    return cluster.future_logs[broker][partition].high_watermark


def replace_and_go_on_moving(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, answer: FetchAnswer
) -> tuple[Brokers, Caught]:
    """The thread keeps a partition whose move is over (F-ALT-6, F-PPD-5)."""
    rule = original(log_replacement.maybe_replace_current_with_future_replica)
    state = {thread.at(partition): cluster.fetch_state(thread, partition)}
    cluster, caught = rule(cluster, thread, partition, answer)
    if caught is Caught.NONE:
        cluster = cluster.evolve(fetch_states=state)
    return cluster, caught


def never_mark(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, offset: Offset
) -> Brokers:
    """The copy of a log is not told that the log was cut (F-MARK)."""
    return cluster


def drop_the_copy_and_go_on_moving(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The directory of a copy fails, and its thread goes on (B-DIR-1)."""
    removed = alter_log_dirs.handle_future_log_dir_failure(cluster, broker, partition)
    for _ in removed:
        yield cluster.evolve(future_logs={(broker, partition): NO_FUTURE_LOG})


def mark_offline_and_go_on_moving(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """Only the replica's fetcher is removed before it is marked offline (B-DIR-1)."""
    if not cluster.directory_of(broker, partition).is_failing():
        return
    if not cluster.replicas[broker][partition].is_online():
        return
    if not cluster.handlers[broker].is_idle():
        return
    cluster = fetcher_manager.remove_fetcher_for_partitions(cluster, broker, partition)
    yield replica_removal.mark_partition_offline(cluster, broker, partition)


def copy_all_at_once(cluster: Brokers, thread: ThreadId) -> Sequence[PartitionId]:
    """Records of all logs that are moved are asked for (F-ALT-4)."""
    return cluster.bounds.partition_ids


def begin_with_the_first(cluster: Brokers, thread: ThreadId) -> Sequence[PartitionId]:
    """The first log is moved on, not the log in progress (F-ALT-4)."""
    partitions = cluster.bounds.partition_ids
    if not thread.moves_logs():
        return partitions
    for partition in partitions:
        if cluster.fetch_state(thread, partition).is_ready_for_fetch():
            return (partition,)
    return ()


MUTATIONS: dict[str, Protocol] = {
    "kafka-9654-keep-epoch-of-unfinished-moves": KAFKA_2_5.replacing(
        alter_log_dirs.is_to_be_moved_on, by=keep_epoch_of_unfinished_moves
    ),
    "kafka-9750-add-finished-moves": KAFKA_2_5.replacing(
        fetcher_manager.is_to_be_added, by=add_finished_moves
    ),
    "f-fail-3-add-nothing-that-failed": KAFKA_2_5.replacing(
        fetcher_manager.is_to_be_added, by=add_nothing_that_failed
    ),
    "f-alt-1-move-log-to-same-directory": KAFKA_2_5.replacing(
        alter_log_dirs.is_elsewhere, by=move_log_to_same_directory
    ),
    "kafka-6949-replace-logs-grown-since-read": KAFKA_2_5.replacing(
        log_replacement.has_caught_up, by=replace_logs_grown_since_read
    ),
    "f-alt-6-replace-logs-by-committed-copies": KAFKA_2_5.replacing(
        log_replacement.has_caught_up, by=replace_logs_by_committed_copies
    ),
    "kafka-9263-keep-the-copys-high-watermark": KAFKA_2_5.replacing(
        log_replacement.high_watermark_after_move, by=keep_the_copys_high_watermark
    ),
    "f-alt-6-replace-and-go-on-moving": KAFKA_2_5.replacing(
        log_replacement.maybe_replace_current_with_future_replica,
        by=replace_and_go_on_moving,
    ),
    "f-mark-never-mark": KAFKA_2_5.replacing(
        fetcher_manager.mark_partitions_for_truncation, by=never_mark
    ),
    "b-dir-1-drop-the-copy-and-go-on-moving": KAFKA_2_5.replacing(
        alter_log_dirs.handle_future_log_dir_failure,
        by=drop_the_copy_and_go_on_moving,
    ),
    "b-dir-1-mark-offline-and-go-on-moving": KAFKA_2_5.replacing(
        replica_removal.handle_log_dir_failure, by=mark_offline_and_go_on_moving
    ),
    "f-alt-4-copy-all-at-once": KAFKA_2_5.replacing(
        one_at_a_time.select_partitions, by=copy_all_at_once
    ),
    "f-alt-4-begin-with-the-first": KAFKA_2_5.replacing(
        one_at_a_time.select_partitions, by=begin_with_the_first
    ),
}
