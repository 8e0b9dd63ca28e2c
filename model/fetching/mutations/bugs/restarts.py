"""Bugs that Kafka had in what a broker keeps on disk, and what ends its process."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.broker import (
    processes,
    refused_requests,
    replica_removal,
    shutdown_markers,
)
from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import out_of_range
from replicheck.model.fetching.versions.history import (
    TRUNCATE_TO_HIGH_WATERMARK,
    mark_after_a_failed_start,
)
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId


def skip_the_first_epoch(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> PartitionLog:
    """Epoch 0 is not cached when a log is read after a crash (KAFKA-10432)."""
    log = original(processes.load_log)(cluster, broker, partition)
    return log.without_epoch(Epoch(0))


def checkpoint_at_once(cluster: Brokers, broker: BrokerId) -> bool:
    """High watermarks are written before any partition is known (KAFKA-769)."""
    return True


def create_no_replica(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Brokers:
    """A replica whose leader is unknown is not created (KAFKA-851)."""
    return cluster


def forget_a_stopped_replica(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """StopReplica forgets a replica that is to be kept (KAFKA-858)."""
    for after in replica_removal.stop_replica(cluster, broker, partition):
        forgotten = after.replicas[broker][partition].forget()
        yield after.evolve(replicas={(broker, partition): forgotten})


def exit_above_the_leaders_end(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """A follower with more than its leader ends its broker (KAFKA-7414)."""
    end = cluster.logs[thread.follower][partition].end_offset
    if cluster.logs[thread.leader][partition].end_offset < end:
        return processes.end_process(cluster, thread.follower)
    rule = original(out_of_range.fetch_offset_and_truncate)
    return rule(cluster, thread, partition)


MUTATIONS: dict[str, Protocol] = {
    "kafka-13773-mark-after-a-failed-start": KAFKA_2_5.replacing(
        shutdown_markers.marker_after_failed_start, by=mark_after_a_failed_start
    ),
    "kafka-10432-skip-the-first-epoch": KAFKA_2_5.replacing(
        processes.load_log, by=skip_the_first_epoch
    ),
    "kafka-769-checkpoint-at-once": KAFKA_2_5.replacing(
        processes.has_begun_to_checkpoint, by=checkpoint_at_once
    ),
    "kafka-851-create-no-replica": KAFKA_2_5.replacing(
        refused_requests.keep_replica, by=create_no_replica
    ),
    "kafka-858-forget-a-stopped-replica": KAFKA_2_5.replacing(
        replica_removal.stop_replica, by=forget_a_stopped_replica
    ),
}
OF_TRUNCATION_TO_HIGH_WATERMARK: dict[str, Protocol] = {
    "kafka-7414-exit-above-the-leaders-end": TRUNCATE_TO_HIGH_WATERMARK.replacing(
        out_of_range.fetch_offset_and_truncate, by=exit_above_the_leaders_end
    ),
}
