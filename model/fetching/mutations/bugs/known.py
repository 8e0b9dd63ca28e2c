"""What is wrong in Kafka 2.5.1 itself, as mutations of the protocol that mends it."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker import (
    refused_requests,
    replica_manager,
    shutdown_markers,
    stalled_updates,
)
from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.cells.shutdown_marker import ShutdownMarker
from replicheck.model.fetching.fetchers import (
    fetcher_manager,
    log_truncation,
    thread_pool,
)
from replicheck.model.fetching.log_moves import alter_log_dirs, log_replacement
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import truncating
from replicheck.model.fetching.versions import history
from replicheck.model.fetching.versions.repaired import REPAIRED, skip_request
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


def keep_epochs_at_the_end(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> PartitionLog:
    """A cut at the end of a log keeps epochs without records (K-8, KAFKA-10706)."""
    return original(log_truncation.truncate_log)(cluster, thread, partition, offset)


def truncate_any_tracked_partition(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> bool:
    """A partition without epochs is cut, also if it went and came back (K-9)."""
    return original(truncating.is_still_without_epoch)(cluster, thread, partition)


def keep_known_follower_offsets(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A leader that led before keeps what it knew of followers (L-LEAD)."""
    return original(replica_manager.is_new_leader)(cluster, broker, partition)


def begin_at_the_current_logs_high_watermark(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Offset:
    """A move is taken up beyond the end of the copy (F-ALT-5, KAFKA-9087)."""
    return original(alter_log_dirs.initial_offset_of_move)(cluster, broker, partition)


def forget_epochs_without_records(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> PartitionLog:
    """A log that was moved does not know in which epoch its broker leads (F-ALT-8)."""
    return original(log_replacement.log_after_move)(cluster, broker, partition)


def use_answers_older_than_mark(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, offset: Offset
) -> Brokers:
    """An older answer undoes that a copy is to be cut (F-MARK)."""
    rule = original(fetcher_manager.mark_partitions_for_truncation)
    return rule(cluster, broker, partition, offset)


def record_the_epoch_of_an_aborted_request(
    cluster: Brokers, broker: BrokerId
) -> Iterator[Brokers]:
    """A request is given up once its epochs are recorded (KAFKA-9769)."""
    yield from refused_requests.abort_request(cluster, broker)


def resize_in_two_steps(
    cluster: Brokers, broker: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """What fails while the pool is resized is tried again (F-MGR-5)."""
    yield from thread_pool.resize_thread_pool(cluster, broker, fetcher)


def record_in_any_epoch(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """A position counts in any epoch in which its reader leads by now (L-FU-2)."""
    return original(stalled_updates.is_to_be_recorded)(cluster, leader, partition)


def delete_the_marker_last(cluster: Brokers, broker: BrokerId) -> ShutdownMarker:
    """The marker outlives a crash while logs are loaded (KAFKA-10471)."""
    return original(shutdown_markers.marker_while_loading)(cluster, broker)


MUTATIONS: dict[str, Protocol] = {
    "k-8-keep-epochs-at-the-end": REPAIRED.replacing(
        log_truncation.truncate_log, by=keep_epochs_at_the_end
    ),
    "k-9-truncate-any-tracked-partition": REPAIRED.replacing(
        truncating.is_still_without_epoch, by=truncate_any_tracked_partition
    ),
    "l-lead-keep-known-follower-offsets": REPAIRED.replacing(
        replica_manager.is_new_leader, by=keep_known_follower_offsets
    ),
    "kafka-9087-begin-at-the-current-high-watermark": REPAIRED.replacing(
        alter_log_dirs.initial_offset_of_move,
        by=begin_at_the_current_logs_high_watermark,
    ),
    "f-alt-8-forget-epochs-without-records": REPAIRED.replacing(
        log_replacement.log_after_move, by=forget_epochs_without_records
    ),
    "f-mark-use-answers-older-than-mark": REPAIRED.replacing(
        fetcher_manager.mark_partitions_for_truncation,
        by=use_answers_older_than_mark,
    ),
    "f-mgr-5-resize-in-two-steps": REPAIRED.replacing(
        history.resize_at_once, by=resize_in_two_steps
    ).adding(thread_pool.migrate_partitions),
    "kafka-10471-delete-the-marker-last": REPAIRED.replacing(
        shutdown_markers.marker_while_loading, by=delete_the_marker_last
    ),
    "kafka-9769-record-the-epoch-of-an-aborted-request": REPAIRED.replacing(
        skip_request, by=record_the_epoch_of_an_aborted_request
    ),
    "l-fu-2-record-in-any-epoch": REPAIRED.replacing(
        stalled_updates.is_to_be_recorded, by=record_in_any_epoch
    ),
}
