"""Kafka before and after 2.5.1, as replacements of single rules.

The protocols of replication come first, each with what the KIPs before it brought.
"""

from __future__ import annotations

from attrs import evolve

from replicheck.model.cluster.cells.znodes import LeaderAndIsr
from replicheck.model.fetching import (
    fetcher_manager,
    fetcher_thread,
    partition_errors,
    replica_manager,
    requests,
    truncation,
)
from replicheck.model.fetching.cells.calls import (
    Call,
    EpochAsked,
    Error,
    FetchAnswer,
    FetchAsked,
    NoEpoch,
)
from replicheck.model.fetching.cells.fetch_state import (
    PartitionFetchState,
    ReplicaState,
)
from replicheck.model.fetching.cells.log import EpochEnd, PartitionLog
from replicheck.model.fetching.fetcher_manager import die, remove_partitions
from replicheck.model.fetching.partition_errors import Caught, delay_partitions
from replicheck.model.fetching.partition_states import update_and_move_to_end
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Cluster, Thread
from replicheck.model.fetching.truncation import OffsetTruncationState
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


def fence_nobody(
    cluster: Cluster, leader: BrokerId, partition: PartitionId, epoch: Epoch
) -> Error:
    """No request has an epoch to be compared with, before KIP-320.

    Rules: L-VAL-1.  Source: Kafka 2.0, ReplicaManager.lastOffsetForLeaderEpoch.
    """
    return Error.NONE


def keep_whoever_is_tracked(
    cluster: Cluster, thread: Thread, partition: PartitionId, asked: EpochAsked
) -> bool:
    """Every answer is of use for a partition that is still there, before KIP-320.

    Rules: F-TRUNC-3.  Source: Kafka 2.0, AbstractFetcherThread.maybeTruncate.
    """
    return True


def truncate_by_end_offset(
    cluster: Cluster, thread: Thread, partition: PartitionId, found: EpochEnd
) -> OffsetTruncationState:
    """Cut to where the leader says that the epoch ends, whichever it found: KIP-101.

    Rules: F-OTS-2.  Source: Kafka 1.1, ReplicaFetcherThread.maybeTruncate.
    """
    rule = original(truncation.get_offset_truncation_state)
    return rule(cluster, thread, partition, evolve(found, epoch=None))


def ask_for_no_epoch(
    cluster: Cluster, thread: Thread, partition: PartitionId
) -> EpochAsked | NoEpoch:
    """Every log is cut to its high watermark, before KIP-101.

    Rules: F-TRUNC-HW.  Source: Kafka 0.10, ReplicaManager.makeFollowers.
    """
    return NoEpoch()


KIP_320 = KAFKA_2_5.named("kip-320")
KIP_279 = (
    KIP_320.replacing(requests.check_current_leader_epoch, by=fence_nobody)
    .replacing(truncation.is_of_current_epoch, by=keep_whoever_is_tracked)
    .named("kip-279")
)
KIP_101 = KIP_279.replacing(
    truncation.get_offset_truncation_state, by=truncate_by_end_offset
).named("kip-101")
TRUNCATE_TO_HIGH_WATERMARK = KIP_101.replacing(
    truncation.classify, by=ask_for_no_epoch
).named("truncate-to-high-watermark")


def remove_without_record(
    cluster: Cluster, thread: Thread, partition: PartitionId, epoch: Epoch
) -> Cluster:
    """Whoever is fenced is dropped, and nothing remembers it, before KIP-461.

    Rules: F-FENCE.  Source: Kafka 2.2, AbstractFetcherThread.onPartitionFenced.
    """
    return remove_partitions(cluster, thread, partition)


def retry_or_die(
    cluster: Cluster, thread: Thread, partition: PartitionId, caught: Caught
) -> Cluster:
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


def cut_epochs_too(
    cluster: Cluster, thread: Thread, partition: PartitionId, offset: Offset
) -> PartitionLog:
    """Epochs without a record go as well, also where no record is cut (KAFKA-10706).

    Rules: G-TRUNC-1, E-6.  Source: Kafka 2.6.1, Log.truncateTo.
    """
    log = cluster.logs[thread.follower][partition].truncate_to(offset)
    return log.truncate_epochs(offset)


KAFKA_2_6 = KAFKA_2_5.replacing(truncation.truncate_log, by=cut_epochs_too).named(
    "kafka-2.6.1"
)


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

    Rules: F-ADD.  Source: Kafka 2.8, AbstractFetcherThread.partitionFetchState.
    """
    if cluster.logs[thread.follower][partition].latest_epoch is None:
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
    for partition, call in asked.items():
        assert isinstance(call.request, FetchAsked)
        latest = cluster.logs[thread.follower][partition].latest_epoch
        asked[partition] = Call(evolve(call.request, last_epoch=latest))
    return asked


def read_or_tell_where_to_cut(
    cluster: Cluster, leader: BrokerId, partition: PartitionId, asked: FetchAsked
) -> FetchAnswer:
    """Compare the follower's last epoch and offset with the leader's cache first.

    Rules: L-READ, L-OFLE.  Source: Kafka 2.8, Partition.readRecords.
    """
    read = original(requests.read_records)
    error = requests.get_local_log(cluster, leader, partition, asked.current_epoch)
    if error is not Error.NONE or asked.last_epoch is None:
        return read(cluster, leader, partition, asked)
    found = cluster.logs[leader][partition].end_offset_for(asked.last_epoch)
    if found.epoch is None or found.end is None:
        return FetchAnswer(Error.OFFSET_OUT_OF_RANGE)
    if found.epoch >= asked.last_epoch and found.end >= asked.offset:
        return read(cluster, leader, partition, asked)
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
    cluster, state = truncation.do_truncate(cluster, thread, partition, target)
    if state is None:
        return cluster
    going_on = {partition: evolve(state, is_completed=True)}
    return truncation.update_fetch_offset_and_maybe_mark_truncation_complete(
        cluster, thread, going_on
    )


KAFKA_2_8_0 = (
    KAFKA_2_6.replacing(replica_manager.move_fetcher, by=begin_at_the_end)
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


KAFKA_2_8 = KAFKA_2_8_0.replacing(
    requests.shows_progress, by=show_progress_unless_logs_diverge
).named("kafka-2.8.1")


def remember_the_epoch(
    cluster: Cluster, thread: Thread, partition: PartitionId
) -> EpochAsked | NoEpoch:
    """A partition without an epoch is remembered with that in which it is fetched.

    Rules: F-TRUNC-1.  Source: no version of Kafka.
    """
    asked = original(truncation.classify)(cluster, thread, partition)
    if isinstance(asked, EpochAsked):
        return asked
    return NoEpoch(cluster.fetch_state(thread, partition).epoch)


def is_of_the_same_epoch(
    cluster: Cluster, thread: Thread, partition: PartitionId
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
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """What a broker knows of followers is forgotten in every epoch.

    Rules: L-LEAD.  Source: no version of Kafka.
    """
    return True


MENDED = (
    KAFKA_2_6.replacing(truncation.classify, by=remember_the_epoch)
    .replacing(truncation.is_still_without_epoch, by=is_of_the_same_epoch)
    .replacing(replica_manager.is_new_leader, by=is_led_in_a_new_epoch)
    .named("mended")
)

PROTOCOLS = (
    TRUNCATE_TO_HIGH_WATERMARK,
    KIP_101,
    KIP_279,
    KIP_320,
    KAFKA_2_2,
    KAFKA_2_5,
    KAFKA_2_6,
    KAFKA_2_8_0,
    KAFKA_2_8,
    MENDED,
)
