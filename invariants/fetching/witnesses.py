"""What a sound check of the fetching brokers must have seen."""

from __future__ import annotations

from replicheck.invariants.fetching.move_witnesses import MOVE_WITNESSES
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import Call, EpochAnswer, Error, FetchAnswer
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.fetchers.fetcher_manager import is_tracking
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.vocabulary import BrokerId, PartitionId


def record_is_committed(cluster: Brokers, partition: PartitionId) -> bool:
    """A record is below the high watermark of a true leader."""
    return cluster.committed[partition].has_any()


def partition_has_failed(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A broker gave a partition up."""
    return cluster.failed[broker].has(partition)


def thread_continues_after_partition_failure(
    cluster: Brokers, partition: PartitionId, neighbour: PartitionId, broker: BrokerId
) -> bool:
    """A broker gave a partition up, and has a committed record of another."""
    if partition == neighbour or not cluster.failed[broker].has(partition):
        return False
    if cluster.failed[broker].has(neighbour):
        return False
    if not cluster.committed[neighbour].has_any():
        return False
    return cluster.replicas[broker][neighbour].high_watermark > 0


def fetcher_thread_has_no_partition(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> bool:
    """A thread lives on, though it has nothing to do (V-5)."""
    if follower == leader:
        return False
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.thread(thread).is_at(ThreadPhase.MAYBE_TRUNCATE):
        return False
    return not is_tracking(cluster, thread)


def follower_is_left_without_fetcher(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A follower's replica is online, and no thread serves it.

    I-TRACKORFAIL would forbid it; known to be violated: StopReplica that keeps the
    replica, a storage error on the way to lead.
    """
    if not cluster.handlers[broker].is_idle():
        return False
    if not cluster.replicas[broker][partition].is_online():
        return False
    if cluster.replicas[broker][partition].is_led_by(broker):
        return False
    if cluster.failed[broker].has(partition):
        return False
    return not any(
        cluster.fetch_state(thread, partition).is_tracked()
        for thread in cluster.threads_of(broker)
    )


def dead_thread_has_partition(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> bool:
    """A thread ended by an error, and still has partitions (I-ALIVE is violated)."""
    if follower == leader:
        return False
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.thread(thread).is_at(ThreadPhase.DEAD):
        return False
    return is_tracking(cluster, thread)


def fetched_record_is_corrupt(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """A record that comes cannot be appended, and will come again (V-4)."""
    if follower == leader:
        return False
    answer = _call(cluster, follower, leader, fetcher, partition).answer
    return isinstance(answer, FetchAnswer) and answer.is_corrupt


def partition_is_delayed(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """A thread leaves a partition alone for a while."""
    if follower == leader:
        return False
    thread = ThreadId(follower, leader, fetcher)
    return cluster.fetch_state(thread, partition).is_delayed


def second_truncation_round_is_needed(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """A leader knows an epoch that the follower, which asked, does not."""
    if follower == leader:
        return False
    answer = _call(cluster, follower, leader, fetcher, partition).answer
    if not isinstance(answer, EpochAnswer) or answer.found.epoch is None:
        return False
    own_end = cluster.logs[follower][partition].end_offset_for(answer.found.epoch)
    return own_end.epoch is not None and bool(own_end.epoch != answer.found.epoch)


def fetch_returns_record(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """A record is on its way (error NONE)."""
    if follower == leader:
        return False
    return _call(cluster, follower, leader, fetcher, partition).has_record()


def _call(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> Call:
    return cluster.call(ThreadId(follower, leader, fetcher), partition)


def _is_answered(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
    error: Error,
) -> bool:
    if follower == leader:
        return False
    answer = _call(cluster, follower, leader, fetcher, partition).answer
    return isinstance(answer, FetchAnswer) and answer.error is error


def fetch_is_fenced(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """A fetch is answered FENCED_LEADER_EPOCH."""
    error = Error.FENCED_LEADER_EPOCH
    return _is_answered(cluster, follower, leader, fetcher, partition, error)


def fetch_has_unknown_leader_epoch(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """A fetch is answered UNKNOWN_LEADER_EPOCH."""
    error = Error.UNKNOWN_LEADER_EPOCH
    return _is_answered(cluster, follower, leader, fetcher, partition, error)


def fetch_reaches_non_leader(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """A fetch is answered NOT_LEADER_FOR_PARTITION."""
    error = Error.NOT_LEADER
    return _is_answered(cluster, follower, leader, fetcher, partition, error)


def fetch_is_out_of_range(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """A fetch is answered OFFSET_OUT_OF_RANGE."""
    error = Error.OFFSET_OUT_OF_RANGE
    return _is_answered(cluster, follower, leader, fetcher, partition, error)


def fetch_gets_storage_error(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """A fetch is answered KAFKA_STORAGE_ERROR."""
    error = Error.STORAGE_ERROR
    return _is_answered(cluster, follower, leader, fetcher, partition, error)


WITNESSES = (
    record_is_committed,
    partition_has_failed,
    thread_continues_after_partition_failure,
    fetcher_thread_has_no_partition,
    follower_is_left_without_fetcher,
    dead_thread_has_partition,
    fetched_record_is_corrupt,
    partition_is_delayed,
    second_truncation_round_is_needed,
    fetch_returns_record,
    fetch_is_fenced,
    fetch_has_unknown_leader_epoch,
    fetch_reaches_non_leader,
    fetch_is_out_of_range,
    fetch_gets_storage_error,
    *MOVE_WITNESSES,
)
