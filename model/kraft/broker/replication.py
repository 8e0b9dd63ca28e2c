"""Records: a leader appends them, and followers fetch them.

A fetch, its answer and what the follower makes of it are one step.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.broker.high_watermark import (
    increment_high_watermark,
    is_under_min_isr,
)
from replicheck.model.kraft.cells.partition import FollowerState
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, RecordId


def append(cluster: KraftCluster, leader: BrokerId) -> Iterator[KraftCluster]:
    """A producer with acks=all appends a record, unless the ISR is too small.

    Rules: KR-HW-3.  Source: Partition.appendRecordsToLeader.
    """
    if cluster.next_record >= cluster.bounds.records:
        return
    if not cluster.leads(leader) or not cluster.processes[leader].is_serving:
        return
    if is_under_min_isr(cluster, leader):
        return
    epoch = cluster.partitions[leader].leader_epoch
    assert epoch is not None, "a leader has a leader epoch"
    record = Record(cluster.next_record, epoch)
    after = cluster.evolve(
        logs={leader: cluster.logs[leader].append(record)},
        next_record=RecordId(cluster.next_record + 1),
        appended=cluster.appended.append(cluster.partitions[leader].topic_id),
    )
    yield increment_high_watermark(after, leader)


def fetch(cluster: KraftCluster, follower: BrokerId) -> Iterator[KraftCluster]:
    """A follower says where its log ends, and cuts it or copies one record.

    Rules: KR-FET-1, KR-FET-2, KR-FET-4, KR-HW-4.
    Source: Partition.fetchRecords, AbstractFetcherThread.processFetchRequest.
    """
    leader = cluster.partitions[follower].leader
    if leader is None or not can_fetch(cluster, follower, leader):
        return
    end = diverging_end(cluster, leader, follower)
    if end is not None:
        yield truncate(cluster, follower, end)
    elif brings_news(cluster, leader, follower):
        told = update_fetch_state(cluster, leader, follower)
        record = next_record(told, leader, follower)
        high_watermark = told.partitions[leader].high_watermark
        yield process_partition_data(told, follower, record, high_watermark)


def can_fetch(cluster: KraftCluster, follower: BrokerId, leader: BrokerId) -> bool:
    """Tell whether a follower's thread is free to fetch, and its leader accepts it.

    From an offset that is not the end of the log it fetches no more in this epoch.

    Rules: KR-FET-2, KR-FAIL-1.
    Source: AbstractFetcherThread.markPartitionFailed.
    """
    if not cluster.follows(follower, leader):
        return False
    fetcher = cluster.fetchers[follower]
    if fetcher.is_busy(leader):
        return False
    if not fetcher.fetches_from(cluster.logs[follower].end_offset):
        return False
    return not is_of_older_process(cluster, leader, follower)


def brings_news(cluster: KraftCluster, leader: BrokerId, follower: BrokerId) -> bool:
    """Tell whether a fetch tells either side what it does not know."""
    end = cluster.logs[follower].end_offset
    if cluster.logs[leader].has(end):
        return True
    epoch = cluster.processes[follower].epoch
    if not cluster.followers[leader][follower].has_fetched(end, epoch):
        return True
    told = min(cluster.partitions[leader].high_watermark, end)
    return not cluster.partitions[follower].has_high_watermark(told)


@rule
def is_of_older_process(
    cluster: KraftCluster, leader: BrokerId, follower: BrokerId
) -> bool:
    """Tell whether the leader's image has a later process of the follower.

    Rules: KR-FET-4.  Source: Replica.updateFetchStateOrThrow.
    """
    epoch = cluster.processes[follower].epoch
    return cluster.caches[leader].has_later_process(follower, epoch)


@rule
def diverging_end(
    cluster: KraftCluster, leader: BrokerId, follower: BrokerId
) -> Offset | None:
    """The offset to cut at, if the follower's last epoch ends earlier at the leader.

    Rules: KR-FET-3, KR-TRU-4.  Source: Partition.readRecords.
    """
    log = cluster.logs[follower]
    last = log.latest_epoch
    if last is None:
        return None
    known = [epoch for epoch in epochs_known(cluster, leader) if epoch <= last]
    found = max(known, default=last)
    end = end_offset_for_epoch(cluster.logs[leader].epochs, found)
    if found == last and end >= log.end_offset:
        return None
    return min(end, end_offset_for_epoch(log.epochs, found))


def end_offset_for_epoch(epochs: tuple[Epoch, ...], last: Epoch) -> Offset:
    """The end of an epoch, and of all before it, in a log with records of epochs."""
    return Offset(sum(epoch <= last for epoch in epochs))


def epochs_known(cluster: KraftCluster, leader: BrokerId) -> tuple[Epoch, ...]:
    """The epochs in a leader's cache: those of its records, and its own."""
    own = cluster.partitions[leader].leader_epoch
    assert own is not None, "a leader has a leader epoch"
    return (*cluster.logs[leader].epochs, own)


@rule
def truncate(cluster: KraftCluster, follower: BrokerId, end: Offset) -> KraftCluster:
    """The cluster after a follower cut its log; the leader counts no such fetch.

    Rules: KR-FET-3, KR-TRU-4.
    Source: AbstractFetcherThread.truncateOnFetchResponse.
    """
    partition = cluster.partitions[follower]
    kept = min(partition.high_watermark, end)
    return cluster.evolve(
        logs={follower: cluster.logs[follower].truncate_to(end)},
        partitions={follower: partition.with_high_watermark(kept)},
    )


def next_record(
    cluster: KraftCluster, leader: BrokerId, follower: BrokerId
) -> Record | None:
    """The record of a leader that follows a follower's log, if there is one."""
    end = cluster.logs[follower].end_offset
    if not cluster.logs[leader].has(end):
        return None
    return cluster.logs[leader].record_at(end)


@rule
def update_fetch_state(
    cluster: KraftCluster, leader: BrokerId, follower: BrokerId
) -> KraftCluster:
    """The cluster after a leader learned where a follower's log ends.

    Rules: KR-FET-4.  Source: Partition.updateFollowerFetchState.
    """
    state = FollowerState(
        cluster.logs[follower].end_offset, cluster.processes[follower].epoch
    )
    after = cluster.evolve(followers={(leader, follower): state})
    return increment_high_watermark(after, leader)


def process_partition_data(
    cluster: KraftCluster,
    follower: BrokerId,
    record: Record | None,
    high_watermark: Offset,
) -> KraftCluster:
    """The cluster after a follower appended what an answer has, if it has anything.

    Rules: KR-HW-4.  Source: ReplicaFetcherThread.processPartitionData.
    """
    log = cluster.logs[follower]
    if record is not None:
        log = log.append(record)
    told = min(high_watermark, log.end_offset)
    partition = cluster.partitions[follower].with_high_watermark(told)
    return cluster.evolve(logs={follower: log}, partitions={follower: partition})
