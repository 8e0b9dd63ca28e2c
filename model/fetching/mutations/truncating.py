"""Mutations of how a log is cut to agree with its leader's."""

from __future__ import annotations

from attrs import evolve

from replicheck.model.fetching.cells.calls import EpochAsked, NoEpoch
from replicheck.model.fetching.cells.log import EpochEnd, PartitionLog
from replicheck.model.fetching.fetchers import log_truncation
from replicheck.model.fetching.fetchers.log_truncation import OffsetTruncationState
from replicheck.model.fetching.fetchers.own_logs import own_log, with_own_log
from replicheck.model.fetching.fetchers.partition_states import forget_order
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import truncating
from replicheck.model.fetching.thread_loop.truncating import Truncated
from replicheck.model.fetching.versions.history import (
    ask_for_no_epoch,
    keep_tracked_partition,
    truncate_by_end_offset,
)
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import Offset, PartitionId


def ask_for_the_current_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> EpochAsked | NoEpoch:
    """Ask where the leader's own epoch ends (F-TRUNC-1)."""
    asked = original(truncating.classify)(cluster, thread, partition)
    if isinstance(asked, NoEpoch):
        return asked
    return evolve(asked, epoch=asked.current_epoch)


def be_content_with_another_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, found: EpochEnd
) -> OffsetTruncationState:
    """Begin to fetch though the follower does not know the leader's epoch (F-OTS-3)."""
    rule = original(truncating.get_offset_truncation_state)
    state = rule(cluster, thread, partition, found)
    return evolve(state, is_completed=True)


def ignore_where_the_own_epoch_ends(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, found: EpochEnd
) -> OffsetTruncationState:
    """Cut to the leader's end of an epoch, also above the follower's own (F-OTS-3)."""
    rule = original(truncating.get_offset_truncation_state)
    state = rule(cluster, thread, partition, found)
    if found.end is None or not state.is_completed:
        return state
    end = own_log(cluster, thread, partition).end_offset
    return OffsetTruncationState(min(found.end, end), is_completed=True)


def keep_the_offset(
    cluster: Brokers, thread: ThreadId, truncated: Truncated
) -> Brokers:
    """Go on at the old offset after a cut (F-UPD)."""
    for partition, target in truncated.items():
        state = cluster.fetch_state(thread, partition)
        state = state.truncated(state.offset, target.is_completed)
        cluster = cluster.evolve(fetch_states={thread.at(partition): state})
    return forget_order(cluster, thread)


def keep_the_epochs(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> PartitionLog:
    """Cut records, and leave their epochs in the cache (G-TRUNC-1, E-6)."""
    log = own_log(cluster, thread, partition)
    return evolve(log, records=log.up_to(offset))


def keep_the_high_watermark(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> Brokers:
    """Cut a log below its high watermark, and leave that (G-TRUNC-1)."""
    log = log_truncation.truncate_log(cluster, thread, partition, offset)
    return with_own_log(cluster, thread, partition, log)


MUTATIONS: dict[str, Protocol] = {
    "k-1-truncate-to-high-watermark": KAFKA_2_5.replacing(
        truncating.classify, by=ask_for_no_epoch
    ),
    "k-3-truncate-by-end-offset": KAFKA_2_5.replacing(
        truncating.get_offset_truncation_state, by=truncate_by_end_offset
    ),
    "k-6-use-an-answer-of-another-epoch": KAFKA_2_5.replacing(
        truncating.is_of_current_epoch, by=keep_tracked_partition
    ),
    "f-trunc-1-ask-for-the-current-epoch": KAFKA_2_5.replacing(
        truncating.classify, by=ask_for_the_current_epoch
    ),
    "f-ots-3-be-content-with-another-epoch": KAFKA_2_5.replacing(
        truncating.get_offset_truncation_state, by=be_content_with_another_epoch
    ),
    "f-ots-3-ignore-where-the-own-epoch-ends": KAFKA_2_5.replacing(
        truncating.get_offset_truncation_state, by=ignore_where_the_own_epoch_ends
    ),
    "f-upd-keep-the-offset": KAFKA_2_5.replacing(
        truncating.update_fetch_offset_and_maybe_mark_truncation_complete,
        by=keep_the_offset,
    ),
    "g-trunc-1-keep-the-epochs": KAFKA_2_5.replacing(
        log_truncation.truncate_log, by=keep_the_epochs
    ),
    "g-trunc-1-keep-the-high-watermark": KAFKA_2_5.replacing(
        log_truncation.truncate, by=keep_the_high_watermark
    ),
}
