"""Kafka since 2.8: a leader compares epochs when it is fetched from."""

from __future__ import annotations

from replicheck.model.fetching.broker import fetch_requests
from replicheck.model.fetching.cells.calls import Error, FetchAnswer, FetchAsked
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import original
from replicheck.model.vocabulary import PartitionId


def read_or_tell_where_to_cut(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> FetchAnswer:
    """Compare the follower's last epoch and offset with the leader's cache first.

    Rules: L-READ, L-OFLE.  Source: Kafka 2.8, Partition.readRecords.
    """
    read, leader = original(fetch_requests.read_records), thread.leader
    error = fetch_requests.get_local_log(
        cluster, thread, partition, asked.current_epoch
    )
    if error is not Error.NONE or asked.last_epoch is None:
        return read(cluster, thread, partition, asked)
    found = cluster.logs[leader][partition].end_offset_for(asked.last_epoch)
    if found.epoch is None or found.end is None:
        return FetchAnswer(Error.OFFSET_OUT_OF_RANGE)
    if found.epoch >= asked.last_epoch and found.end >= asked.offset:
        return read(cluster, thread, partition, asked)
    return FetchAnswer(
        Error.NONE,
        None,
        cluster.replicas[leader][partition].high_watermark,
        cluster.logs[leader][partition].start_offset,
        diverging=found,
    )


def read_records_or_out_of_range(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> FetchAnswer:
    """An offset below the start is out of range, before epochs are compared.

    Rules: L-READ, L-VAL-2.  Source: Kafka 2.8.1, Partition.readRecords.
    """
    answer = read_or_tell_where_to_cut(cluster, thread, partition, asked)
    if answer.diverging is None:
        return answer
    if asked.offset < cluster.logs[thread.leader][partition].start_offset:
        return FetchAnswer(Error.OFFSET_OUT_OF_RANGE)
    return answer


def show_progress_unless_logs_diverge(cluster: Brokers, answer: FetchAnswer) -> bool:
    """A follower that is told to cut its log does not reach its end (KAFKA-13141).

    Rules: L-FU-1.  Source: Kafka 2.8.1, ReplicaManager.updateFollowerFetchState.
    """
    return answer.error is Error.NONE and answer.diverging is None
