"""What a thread does with a partition that it cannot serve now."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.fetchers.fetcher_manager import mark_partition_failed
from replicheck.model.fetching.fetchers.partition_states import update_and_move_to_end
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId


class Caught(Enum):
    """Which error an append to a log, or a cut of it, raised."""

    NONE = "no error"
    CORRUPT = "CorruptRecordException"
    STORAGE_ERROR = "KafkaStorageException"
    UNEXPECTED = "any other error"


@rule
def delay_partitions(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """Leave a partition alone for a while, and serve it after all others.

    A partition that is not there any more, or is delayed already, is left as it is.

    Rules: F-DELAY-1.
    Source: AbstractFetcherThread.delayPartitions,
    AbstractFetcherThread.handlePartitionsWithErrors.
    """
    if not cluster.fetch_state(thread, partition).can_be_delayed():
        return cluster
    delayed = cluster.fetch_state(thread, partition).delay()
    return update_and_move_to_end(cluster, thread, partition, delayed)


def expire_delay(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> Iterator[Brokers]:
    """The while is over.

    Rules: F-STATE-3, F-DELAY-2.  Source: PartitionFetchState.isDelayed.
    """
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.fetch_state(thread, partition).is_delayed:
        return
    state = cluster.fetch_state(thread, partition).expire()
    yield cluster.evolve(fetch_states={thread.at(partition): state})


@rule
def on_partition_fenced(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, epoch: Epoch
) -> Brokers:
    """The leader is in a newer epoch: wait for a request of the controller.

    Rules: F-FENCE, F-FAIL-2.  Source: AbstractFetcherThread.onPartitionFenced.
    """
    if cluster.fetch_state(thread, partition).has_epoch(epoch):
        return mark_partition_failed(cluster, thread, partition)
    return delay_partitions(cluster, thread, partition)


@rule
def handle_processing_error(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, caught: Caught
) -> Brokers:
    """Fetch corrupt records again; let the partition fail for every other error.

    Rules: F-FETCH-4, F-FAIL-2.  Source: AbstractFetcherThread.processFetchRequest.
    """
    if caught is Caught.CORRUPT:
        return delay_partitions(cluster, thread, partition)
    return mark_partition_failed(cluster, thread, partition)


@rule
def handle_truncation_error(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, caught: Caught
) -> Brokers:
    """Let the partition fail, at any error.

    Rules: F-DOTRUNC, F-FAIL-2.  Source: AbstractFetcherThread.doTruncate.
    """
    return mark_partition_failed(cluster, thread, partition)
