"""Kafka before and after 2.5.1, as replacements of single rules.

The protocols of replication come first, each with what the KIPs before it brought.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker import (
    fetch_requests,
    processes,
    shutdown_markers,
)
from replicheck.model.fetching.cells.calls import EpochAsked, Error, NoEpoch
from replicheck.model.fetching.cells.log import EpochEnd, PartitionLog
from replicheck.model.fetching.cells.shutdown_marker import ShutdownMarker
from replicheck.model.fetching.fetchers import (
    log_truncation,
    partition_errors,
    thread_pool,
)
from replicheck.model.fetching.fetchers.fetcher_manager import die, remove_partitions
from replicheck.model.fetching.fetchers.log_truncation import OffsetTruncationState
from replicheck.model.fetching.fetchers.own_logs import own_log
from replicheck.model.fetching.fetchers.partition_errors import Caught, delay_partitions
from replicheck.model.fetching.log_moves import alter_log_dirs
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import fetching, truncating
from replicheck.model.fetching.versions.diverging_epochs import (
    read_records_or_out_of_range,
    show_progress_unless_logs_diverge,
)
from replicheck.model.fetching.versions.late_failure_clearing import (
    with_late_failure_clearing,
)
from replicheck.model.fetching.versions.truncation_on_fetch import (
    is_asked_in_this_epoch,
    is_still_in_the_epoch,
    is_still_there,
    truncate_requested_partition,
    use_records_unless_logs_diverge,
    with_truncation_on_fetch,
)
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


def fence_no_request(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, epoch: Epoch
) -> Error:
    """No request has an epoch to be compared with, before KIP-320.

    Rules: L-VAL-1.  Source: Kafka 2.0, ReplicaManager.lastOffsetForLeaderEpoch.
    """
    return Error.NONE


def keep_tracked_partition(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: EpochAsked
) -> bool:
    """Every answer is of use for a partition that is still there, before KIP-320.

    Rules: F-TRUNC-3.  Source: Kafka 2.0, AbstractFetcherThread.maybeTruncate.
    """
    return True


def truncate_by_end_offset(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, found: EpochEnd
) -> OffsetTruncationState:
    """Cut to where the leader says that the epoch ends, for any epoch found: KIP-101.

    Rules: F-OTS-2.  Source: Kafka 1.1, ReplicaFetcherThread.maybeTruncate.
    """
    rule = original(truncating.get_offset_truncation_state)
    return rule(cluster, thread, partition, evolve(found, epoch=None))


def ask_for_no_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> EpochAsked | NoEpoch:
    """Every log is cut to its high watermark, before KIP-101.

    Rules: F-TRUNC-HW.  Source: Kafka 0.10, ReplicaManager.makeFollowers.
    """
    return NoEpoch()


KIP_320 = KAFKA_2_5.named("kip-320")
KIP_279 = (
    KIP_320.replacing(fetch_requests.check_current_leader_epoch, by=fence_no_request)
    .replacing(truncating.is_of_current_epoch, by=keep_tracked_partition)
    .named("kip-279")
)
KIP_101 = KIP_279.replacing(
    truncating.get_offset_truncation_state, by=truncate_by_end_offset
).named("kip-101")
TRUNCATE_TO_HIGH_WATERMARK = KIP_101.replacing(
    truncating.classify, by=ask_for_no_epoch
).named("truncate-to-high-watermark")


def remove_without_record(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, epoch: Epoch
) -> Brokers:
    """A fenced partition is dropped, and nothing remembers it, before KIP-461.

    Rules: F-FENCE.  Source: Kafka 2.2, AbstractFetcherThread.onPartitionFenced.
    """
    return remove_partitions(cluster, thread, partition)


def retry_or_die(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, caught: Caught
) -> Brokers:
    """A storage error is retried, and an unexpected one ends the thread.

    Rules: F-FETCH-4, F-DOTRUNC, F-THREAD-1.
    Source: Kafka 2.2, AbstractFetcherThread.processFetchRequest.
    """
    if caught is Caught.UNEXPECTED:
        return die(cluster, thread)
    return delay_partitions(cluster, thread, partition)


KAFKA_2_2 = (
    KAFKA_2_5.replacing(partition_errors.on_partition_fenced, by=remove_without_record)
    .replacing(partition_errors.handle_processing_error, by=retry_or_die)
    .replacing(partition_errors.handle_truncation_error, by=retry_or_die)
    .named("kafka-2.2")
)


KAFKA_2_4 = with_late_failure_clearing(KAFKA_2_5).named("kafka-2.4.1")


def cut_epochs_too(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> PartitionLog:
    """Epochs without a record go as well, also where no record is cut (KAFKA-10706).

    Rules: G-TRUNC-1, E-6.  Source: Kafka 2.6.1, Log.truncateTo.
    """
    log = own_log(cluster, thread, partition).truncate_to(offset)
    return log.truncate_epochs(offset)


def bring_back_every_epoch(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> PartitionLog:
    """A log that is recovered has epoch 0 as well (KAFKA-10432).

    Rules: G-LOAD.  Source: Kafka 2.6.1, LogSegment.recover.
    """
    return cluster.logs[broker][partition].recover(lowest=Epoch(0))


KAFKA_2_6 = (
    KAFKA_2_5.replacing(processes.load_log, by=bring_back_every_epoch)
    .replacing(log_truncation.truncate_log, by=cut_epochs_too)
    .named("kafka-2.6.1")
)


def resize_at_once(
    cluster: Brokers, broker: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """Partitions are removed and noted in one, and so what failed stays failed.

    Rules: F-MGR-5.  Source: Kafka 2.8, AbstractFetcherManager.resizeThreadPool.
    """
    for noted in thread_pool.resize_thread_pool(cluster, broker, fetcher):
        yield from thread_pool.migrate_partitions(noted, broker)


def with_resize_at_once(protocol: Protocol) -> Protocol:
    """A protocol whose pools change their size in one step."""
    return protocol.replacing(
        thread_pool.resize_thread_pool, by=resize_at_once
    ).without(thread_pool.migrate_partitions)


def delete_the_marker_first(cluster: Brokers, broker: BrokerId) -> ShutdownMarker:
    """The marker is deleted as soon as it was read (KAFKA-10471).

    Rules: G-LOAD.  Source: Kafka 2.8, LogManager.loadLogs.
    """
    return cluster.markers[broker].delete()


def mark_after_a_failed_start(cluster: Brokers, broker: BrokerId) -> ShutdownMarker:
    """A start that fails ends in an orderly shutdown, which marks (KAFKA-13773).

    Rules: G-LOAD.  Source: Kafka 2.8, KafkaServer.shutdown, LogManager.shutdown.
    """
    return cluster.markers[broker].write_too_early()


TRUNCATING_ON_FETCH = with_resize_at_once(
    with_truncation_on_fetch(KAFKA_2_6)
).replacing(shutdown_markers.marker_while_loading, by=delete_the_marker_first)
MARKING_AFTER_FAILED_STARTS = TRUNCATING_ON_FETCH.replacing(
    shutdown_markers.marker_after_failed_start, by=mark_after_a_failed_start
)
KAFKA_2_8_0 = MARKING_AFTER_FAILED_STARTS.replacing(
    is_still_there, by=truncate_requested_partition
).named("kafka-2.8.0")


def with_divergence_check(protocol: Protocol) -> Protocol:
    """A protocol whose leaders learn nothing from a fetch of a log that diverges."""
    return protocol.replacing(
        fetch_requests.shows_progress, by=show_progress_unless_logs_diverge
    ).replacing(fetch_requests.read_records, by=read_records_or_out_of_range)


def begin_at_the_future_logs_high_watermark(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Offset:
    """A move goes on where its own log is committed, which is not beyond its end.

    Rules: F-ALT-5.  Source: Kafka 3.5.0, ReplicaManager.becomeLeaderOrFollower.
    """
    return cluster.future_logs[broker][partition].high_watermark


KAFKA_2_8 = with_divergence_check(MARKING_AFTER_FAILED_STARTS).named("kafka-2.8.1")
KAFKA_3_5 = (
    with_divergence_check(TRUNCATING_ON_FETCH)
    .replacing(fetching.use_records, by=use_records_unless_logs_diverge)
    .replacing(
        alter_log_dirs.initial_offset_of_move,
        by=begin_at_the_future_logs_high_watermark,
    )
    .named("kafka-3.5.0")
)

KAFKA_18991 = KAFKA_3_5.replacing(
    fetching.is_asked_offset, by=is_asked_in_this_epoch
).named("kafka-18991")
KAFKA_18991_REPAIRED = KAFKA_18991.replacing(
    is_still_there, by=is_still_in_the_epoch
).named("kafka-18991-repaired")

PROTOCOLS = (
    TRUNCATE_TO_HIGH_WATERMARK,
    KIP_101,
    KIP_279,
    KIP_320,
    KAFKA_2_2,
    KAFKA_2_4,
    KAFKA_2_5,
    KAFKA_2_6,
    KAFKA_2_8_0,
    KAFKA_2_8,
    KAFKA_3_5,
    KAFKA_18991,
    KAFKA_18991_REPAIRED,
)
