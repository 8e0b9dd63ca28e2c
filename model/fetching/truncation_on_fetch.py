"""Kafka 2.8: truncation on fetch, as replacements of single rules."""

from __future__ import annotations

from attrs import evolve

from replicheck.model.cluster.cells.znodes import LeaderAndIsr
from replicheck.model.fetching import (
    fetcher_manager,
    fetcher_thread,
    log_truncation,
    replica_manager,
    requests,
    truncation,
)
from replicheck.model.fetching.cells.calls import Call, Error, FetchAnswer, FetchAsked
from replicheck.model.fetching.cells.fetch_state import (
    PartitionFetchState,
    ReplicaState,
)
from replicheck.model.fetching.partition_states import update_and_move_to_end
from replicheck.model.fetching.state import Cluster, Thread
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


def begin_at_the_end(
    cluster: Cluster, broker: BrokerId, partition: PartitionId, content: LeaderAndIsr
) -> Cluster:
    """A log with epochs is fetched from its end, not from its high watermark.

    Rules: B-FOLLOW.  Source: Kafka 2.8, ReplicaManager.initialFetchOffset.
    """
    log = cluster.logs[broker][partition]
    if log.latest_epoch is None:
        rule = original(replica_manager.move_fetcher)
        return rule(cluster, broker, partition, content)
    assert content.leader is not None, "a follower is told its leader"
    offset = log.end_offset
    cluster = fetcher_manager.remove_fetcher_for_partitions(cluster, broker, partition)
    return fetcher_manager.add_fetcher_for_partitions(
        cluster, broker, partition, content.leader, content.epoch, offset
    )


def begin_with_fetching(
    cluster: Cluster,
    thread: Thread,
    partition: PartitionId,
    epoch: Epoch,
    offset: Offset,
) -> Cluster:
    """A log with epochs is fetched at once, and cut when the leader says so.

    Moves are as before.

    Rules: F-ADD.  Source: Kafka 2.8, AbstractFetcherThread.partitionFetchState.
    """
    log = cluster.logs[thread.follower][partition]
    if thread.moves_logs() or log.latest_epoch is None:
        rule = original(fetcher_manager.add_partitions)
        return rule(cluster, thread, partition, epoch, offset)
    failed = cluster.failed[thread.follower].remove(partition)
    cluster = cluster.evolve(failed={thread.follower: failed})
    if cluster.fetch_state(thread, partition).is_tracked_in(epoch):
        return cluster
    state = PartitionFetchState(ReplicaState.FETCHING, offset, epoch)
    return update_and_move_to_end(cluster, thread, partition, state)


def ask_with_the_last_epoch(
    cluster: Cluster, thread: Thread
) -> dict[PartitionId, Call]:
    """A fetch says in which epoch the record below its offset is.

    Rules: F-FETCH-1.  Source: Kafka 2.8, ReplicaFetcherThread.buildFetch.
    """
    asked = original(fetcher_thread.build_fetch)(cluster, thread)
    if thread.moves_logs():
        return asked
    for partition, call in asked.items():
        assert isinstance(call.request, FetchAsked)
        latest = cluster.logs[thread.follower][partition].latest_epoch
        asked[partition] = Call(evolve(call.request, last_epoch=latest))
    return asked


def read_or_tell_where_to_cut(
    cluster: Cluster, thread: Thread, partition: PartitionId, asked: FetchAsked
) -> FetchAnswer:
    """Compare the follower's last epoch and offset with the leader's cache first.

    Rules: L-READ, L-OFLE.  Source: Kafka 2.8, Partition.readRecords.
    """
    read, leader = original(requests.read_records), thread.leader
    error = requests.get_local_log(cluster, thread, partition, asked.current_epoch)
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


def append_or_cut(
    cluster: Cluster, thread: Thread, partition: PartitionId, answer: FetchAnswer
) -> Cluster:
    """Use what came, then cut the log if it diverges; the partition goes on fetching.

    Rules: F-OTS, F-UPD.
    Source: Kafka 2.8, AbstractFetcherThread.truncateOnFetchResponse.
    """
    rule = original(fetcher_thread.use_records)
    cluster = rule(cluster, thread, partition, answer)
    if answer.diverging is None:
        return cluster
    if not cluster.fetch_state(thread, partition).is_tracked():
        return cluster
    target = truncation.get_offset_truncation_state(
        cluster, thread, partition, answer.diverging
    )
    cluster, state = log_truncation.do_truncate(cluster, thread, partition, target)
    if state is None:
        return cluster
    going_on = {partition: evolve(state, is_completed=True)}
    return truncation.update_fetch_offset_and_maybe_mark_truncation_complete(
        cluster, thread, going_on
    )


def truncating_on_fetch(protocol: Protocol) -> Protocol:
    """Return a protocol with truncation on fetch, as in 2.8.0."""
    return (
        protocol.replacing(replica_manager.move_fetcher, by=begin_at_the_end)
        .replacing(fetcher_manager.add_partitions, by=begin_with_fetching)
        .replacing(fetcher_thread.build_fetch, by=ask_with_the_last_epoch)
        .replacing(requests.read_records, by=read_or_tell_where_to_cut)
        .replacing(fetcher_thread.use_records, by=append_or_cut)
        .named("kafka-2.8.0")
    )


def show_progress_unless_logs_diverge(cluster: Cluster, answer: FetchAnswer) -> bool:
    """A follower that is told to cut its log does not reach its end (KAFKA-13141).

    Rules: L-FU-1.  Source: Kafka 2.8.1, ReplicaManager.updateFollowerFetchState.
    """
    return answer.error is Error.NONE and answer.diverging is None
