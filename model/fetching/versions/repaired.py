"""The fetchers of Kafka 2.6.1 with the rules that they lack, Kafka's own or not."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.fetching.broker import (
    refused_requests,
    replica_manager,
    shutdown_markers,
    stalled_updates,
)
from replicheck.model.fetching.cells.calls import NO_CALL, EpochAsked, NoEpoch
from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.fetchers import fetcher_manager
from replicheck.model.fetching.log_moves import alter_log_dirs, log_replacement
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import truncating
from replicheck.model.fetching.versions.history import (
    KAFKA_2_6,
    KAFKA_3_5,
    begin_at_the_future_logs_high_watermark,
    delete_the_marker_first,
    with_resize_at_once,
)
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


def remember_the_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> EpochAsked | NoEpoch:
    """A partition without an epoch is remembered with that in which it is fetched.

    Rules: F-TRUNC-1.  Source: no version of Kafka.
    """
    asked = original(truncating.classify)(cluster, thread, partition)
    if isinstance(asked, EpochAsked):
        return asked
    return NoEpoch(cluster.fetch_state(thread, partition).epoch)


def is_of_the_same_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> bool:
    """Only a partition that was not added anew is cut to its high watermark (K-9).

    Rules: F-TRUNC-HW.  Source: no version of Kafka.
    """
    asked = cluster.call(thread, partition).request
    assert isinstance(asked, NoEpoch)
    if not cluster.fetch_state(thread, partition).is_tracked():
        return False
    return cluster.fetch_state(thread, partition).has_epoch(asked.current_epoch)


def is_led_in_a_new_epoch(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """What a broker knows of followers is forgotten in every epoch.

    Rules: L-LEAD.  Source: no version of Kafka.
    """
    return True


def record_in_the_epoch_of_the_read(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """A position counts only in the leader epoch in which it was read.

    Rules: L-FU-2.  Source: no version of Kafka.
    """
    epoch = cluster.stalled[leader].epoch
    return cluster.leads_in(leader, partition, epoch)


def keep_epochs_and_start_of_replaced_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> PartitionLog:
    """A log that was moved has every epoch of before, and begins no lower.

    KAFKA-20961 is about the epochs.

    Rules: F-ALT-8, G-LSO.  Source: no version of Kafka.
    """
    current = cluster.logs[broker][partition]
    copy = cluster.future_logs[broker][partition].log.delete_below(current.start_offset)
    return evolve(copy, epochs=current.epochs)


def ask_anew_when_marked(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, offset: Offset
) -> Brokers:
    """What was asked of a log before it was cut is not used after that.

    Rules: F-MARK.  Source: no version of Kafka.
    """
    rule = original(fetcher_manager.mark_partitions_for_truncation)
    thread = cluster.thread_for(broker, broker, partition)
    cluster = rule(cluster, broker, partition, offset)
    return cluster.evolve(calls={thread.at(partition): NO_CALL})


def skip_request(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A request that goes wrong is given up before its epoch is recorded (KAFKA-9769).

    Rules: B-FOLLOW.  Source: Kafka 2.7, ReplicaManager.makeFollowers.
    """
    if not cluster.faults.allow("aborted_requests"):
        return
    if not cluster.inboxes[broker][partition].tells_to_follow(broker):
        return
    if not replica_manager.accepts(cluster, broker, partition):
        return
    left = cluster.inboxes[broker][partition].pop()
    yield cluster.evolve(
        inboxes={(broker, partition): left},
        faults=cluster.faults.spend("aborted_requests"),
    )


REPAIRED = (
    with_resize_at_once(KAFKA_2_6)
    .replacing(truncating.classify, by=remember_the_epoch)
    .replacing(truncating.is_still_without_epoch, by=is_of_the_same_epoch)
    .replacing(replica_manager.is_new_leader, by=is_led_in_a_new_epoch)
    .replacing(
        alter_log_dirs.initial_offset_of_move,
        by=begin_at_the_future_logs_high_watermark,
    )
    .replacing(log_replacement.log_after_move, by=keep_epochs_and_start_of_replaced_log)
    .replacing(fetcher_manager.mark_partitions_for_truncation, by=ask_anew_when_marked)
    .replacing(refused_requests.abort_request, by=skip_request)
    .replacing(stalled_updates.is_to_be_recorded, by=record_in_the_epoch_of_the_read)
    .replacing(shutdown_markers.marker_while_loading, by=delete_the_marker_first)
    .named("repaired")
)

KAFKA_20961 = KAFKA_3_5.replacing(
    log_replacement.log_after_move, by=keep_epochs_and_start_of_replaced_log
).named("kafka-20961")
