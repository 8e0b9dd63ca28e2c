"""Mutations of what a leader answers, and of when a record is committed."""

from __future__ import annotations

from replicheck.model.fetching.broker import (
    epoch_requests,
    fetch_requests,
    replica_manager,
)
from replicheck.model.fetching.broker import leader as leading
from replicheck.model.fetching.cells.calls import (
    EpochAnswer,
    EpochAsked,
    Error,
    FetchAnswer,
)
from replicheck.model.fetching.cells.log import EpochEnd
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


def cache_no_epoch_without_records(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, epoch: Epoch
) -> Brokers:
    """A leader that wrote nothing does not know its own epoch (K-4, KAFKA-7415)."""
    return cluster


def cache_the_epoch_at_the_high_watermark(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, epoch: Epoch
) -> Brokers:
    """A leader's epoch starts at its high watermark (L-LEAD)."""
    start = cluster.replicas[broker][partition].high_watermark
    log = cluster.logs[broker][partition].assign(epoch, start)
    return cluster.evolve(logs={(broker, partition): log})


def never_fence(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, epoch: Epoch
) -> Error:
    """A leader answers a request in an older epoch (K-5, L-VAL-1)."""
    rule = original(fetch_requests.check_current_leader_epoch)
    error = rule(cluster, leader, partition, epoch)
    return Error.NONE if error is Error.FENCED_LEADER_EPOCH else error


def answer_in_an_unknown_epoch(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, epoch: Epoch
) -> Error:
    """A leader answers a request in a newer epoch (K-5b, L-VAL-1)."""
    rule = original(fetch_requests.check_current_leader_epoch)
    error = rule(cluster, leader, partition, epoch)
    return Error.NONE if error is Error.UNKNOWN_LEADER_EPOCH else error


def let_followers_join_below_the_epoch(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, offset: Offset
) -> bool:
    """The high watermark suffices to join the ISR (K-7, KAFKA-7128)."""
    return offset >= cluster.replicas[leader][partition].high_watermark


def let_followers_join_at_the_start(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, offset: Offset
) -> bool:
    """The start of the epoch suffices to join the ISR (L-ISR-1)."""
    return offset >= cluster.replicas[leader][partition].epoch_start


def count_the_furthest(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Brokers:
    """A record counts as committed when any follower has it."""
    ends = [end for end in cluster.remotes[leader][partition].ends if end is not None]
    replica = cluster.replicas[leader][partition]
    if max(ends, default=0) <= replica.high_watermark:
        return cluster
    raised = replica.with_high_watermark(max(ends))
    return cluster.evolve(replicas={(leader, partition): raised})


def commit_alone(cluster: Brokers, leader: BrokerId, partition: PartitionId) -> Brokers:
    """A record is committed where one replica has it (L-HW)."""
    replica = cluster.replicas[leader][partition]
    end = cluster.logs[leader][partition].end_offset
    if end <= replica.high_watermark:
        return cluster
    if cluster.partition_nodes[partition].is_in(leader, replica.epoch):
        records = cluster.logs[leader][partition].up_to(end)
        committed = cluster.committed[partition].extend(records)
        cluster = cluster.evolve(committed={partition: committed})
    raised = cluster.replicas[leader][partition].with_high_watermark(end)
    return cluster.evolve(replicas={(leader, partition): raised})


def learn_from_failed_reads(cluster: Brokers, answer: FetchAnswer) -> bool:
    """A fetch that is fenced shows how far the follower's log reaches (L-FU-1)."""
    return answer.error in (Error.NONE, Error.FENCED_LEADER_EPOCH)


def answer_undefined_for_too_old_epochs(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: EpochAsked
) -> EpochAnswer:
    """An epoch older than all is answered with nothing (E-5)."""
    rule = original(epoch_requests.last_offset_for_leader_epoch)
    answer = rule(cluster, thread, partition, asked)
    epochs = cluster.logs[thread.leader][partition].epochs
    if answer.error is Error.NONE and all(e.epoch > asked.epoch for e in epochs):
        return EpochAnswer(Error.NONE, EpochEnd())
    return answer


def echo_the_epoch(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: EpochAsked
) -> EpochAnswer:
    """The answer names the epoch that was asked for, not the one found (E-5)."""
    rule = original(epoch_requests.last_offset_for_leader_epoch)
    answer = rule(cluster, thread, partition, asked)
    if answer.found.end is None:
        return answer
    return EpochAnswer(answer.error, EpochEnd(asked.epoch, answer.found.end))


MUTATIONS: dict[str, Protocol] = {
    "k-4-cache-no-epoch-without-records": KAFKA_2_5.replacing(
        replica_manager.assign_epoch_start_offset, by=cache_no_epoch_without_records
    ),
    "l-lead-cache-the-epoch-at-the-high-watermark": KAFKA_2_5.replacing(
        replica_manager.assign_epoch_start_offset,
        by=cache_the_epoch_at_the_high_watermark,
    ),
    "k-5-never-fence": KAFKA_2_5.replacing(
        fetch_requests.check_current_leader_epoch, by=never_fence
    ),
    "k-5b-answer-in-an-unknown-epoch": KAFKA_2_5.replacing(
        fetch_requests.check_current_leader_epoch, by=answer_in_an_unknown_epoch
    ),
    "k-7-let-followers-join-below-the-epoch": KAFKA_2_5.replacing(
        leading.is_follower_in_sync, by=let_followers_join_below_the_epoch
    ),
    "l-isr-1-let-followers-join-at-the-start": KAFKA_2_5.replacing(
        leading.is_follower_in_sync, by=let_followers_join_at_the_start
    ),
    "l-hw-count-the-furthest": KAFKA_2_5.replacing(
        leading.maybe_increment_leader_hw, by=count_the_furthest
    ),
    "l-hw-commit-alone": KAFKA_2_5.replacing(
        leading.maybe_increment_leader_hw, by=commit_alone
    ),
    "l-fu-1-learn-from-failed-reads": KAFKA_2_5.replacing(
        fetch_requests.shows_progress, by=learn_from_failed_reads
    ),
    "e-5-answer-undefined-for-too-old-epochs": KAFKA_2_5.replacing(
        epoch_requests.last_offset_for_leader_epoch,
        by=answer_undefined_for_too_old_epochs,
    ),
    "e-5-echo-the-epoch": KAFKA_2_5.replacing(
        epoch_requests.last_offset_for_leader_epoch, by=echo_the_epoch
    ),
}
