"""Producing, fetching, and the leader's changes of the ISR.

Abstraction: request and answer of a fetch are one step that copies one record, and
the rounds of epoch requests after which a follower cuts its log are one step. What
cannot happen on a failing directory does not happen: the step is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from replicheck.model.cluster.broker.clients import (
    accepts_record,
    await_acknowledgement,
)
from replicheck.model.cluster.broker.high_watermark import increment_high_watermark
from replicheck.model.cluster.broker.isr.isr_changes import record_isr_change
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import store_partition_state
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId, RecordId

InSync = Callable[[Cluster, BrokerId, BrokerId, PartitionId], bool]


def append(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A producer's record is appended wherever a broker believes that it leads.

    If producers wait for all in sync, too few of them in sync are a reason to refuse.

    Rules: B-DIR-3, B-PROD-1.  Source: Partition.appendRecordsToLeader.
    """
    if not accepts_record(cluster, leader, partition):
        return
    epoch = cluster.replicas[leader][partition].epoch
    assert epoch is not None, "a replica that leads has an epoch"
    directory = cluster.directory_of(leader, partition)
    cluster = await_acknowledgement(cluster, leader, partition)
    record = Record(RecordId(cluster.next_record), epoch)
    cluster = cluster.evolve(
        logs={
            (leader, partition, directory): cluster.logs[leader][partition][
                directory
            ].append(record)
        },
        next_record=RecordId(cluster.next_record + 1),
    )
    yield increment_high_watermark(cluster, leader, partition)


def truncate(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A new follower cuts what its leader, in the same epoch, does not have.

    Rules: B-FETCH-1, B-FETCH-2, N-5.
    Source: AbstractFetcherThread.truncateToEpochEndOffsets.
    """
    if not cluster.fetchers[follower][partition].truncates_to(leader):
        return
    if not cluster.leads_in(
        leader, partition, cluster.fetchers[follower][partition].epoch
    ):
        return
    if cluster.replicas[leader][partition].is_locked():
        return
    directory = cluster.directory_of(follower, partition)
    log = cluster.logs[follower][partition][directory]
    source = cluster.logs[leader][partition][
        cluster.directory_of(leader, partition)
    ].epochs
    offset = log.end_of_agreement(source)
    replica = cluster.replicas[follower][partition].cap_high_watermark(offset)
    yield cluster.evolve(
        logs={(follower, partition, directory): log.truncate_to(offset)},
        replicas={(follower, partition): replica},
        fetchers={
            (follower, partition): cluster.fetchers[follower][partition].truncated()
        },
    )


def fetch(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A follower in the leader's epoch copies the next record.

    The leader learns where the follower's log ended before, and takes the follower into
    the ISR if that is far enough; the follower learns the high watermark of before.
    A leader without session cannot do so, and does not answer such a fetch.

    Rules: B-FETCH-1, B-HW-1, B-HW-2, N-5, N-7.
    Source: ReplicaManager.fetchMessages, Partition.updateFollowerFetchState,
    ReplicaFetcherThread.processPartitionData.
    """
    yield from serve_fetch(cluster, leader, follower, partition, reaches_epoch_start)


def serve_fetch(
    cluster: Cluster,
    leader: BrokerId,
    follower: BrokerId,
    partition: PartitionId,
    in_sync: InSync,
) -> Iterator[Cluster]:
    """Copy a record; ``in_sync`` says whether an end suffices to be in the ISR."""
    if not may_serve(cluster, leader, follower, partition):
        return
    after = copy_next_record(cluster, leader, follower, partition)
    end = end_of(cluster, follower, partition)
    catches_up = in_sync(cluster, leader, follower, partition)
    if catches_up and cluster.processes[leader].is_cut_off:
        return
    joins = catches_up and is_version_current(cluster, leader, partition)
    if joins:
        after = store_isr(
            after, leader, partition, after.replicas[leader][partition].isr | {follower}
        )
    is_known = cluster.remotes[leader][partition].is_at(follower, end)
    if is_known and not joins and not _learns(cluster, leader, follower, partition):
        return
    after = after.evolve(
        remotes={
            (leader, partition): after.remotes[leader][partition].set(follower, end)
        }
    )
    yield increment_high_watermark(after, leader, partition)


def may_serve(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a follower fetches from a leader that is in the same epoch.

    Rules: B-FETCH-1.  Source: Partition.readRecords, Partition.checkCurrentLeaderEpoch.
    """
    if not cluster.fetchers[follower][partition].fetches_from(leader):
        return False
    if not cluster.leads_in(
        leader, partition, cluster.fetchers[follower][partition].epoch
    ):
        return False
    return not cluster.replicas[leader][partition].is_locked()


def copy_next_record(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Cluster:
    """Append the leader's next record, and take over its high watermark.

    Rules: B-HW-2.  Source: ReplicaFetcherThread.processPartitionData.
    """
    end = end_of(cluster, follower, partition)
    source = cluster.logs[leader][partition][cluster.directory_of(leader, partition)]
    if source.has(end):
        directory = cluster.directory_of(follower, partition)
        log = cluster.logs[follower][partition][directory].append(source.record_at(end))
        cluster = cluster.evolve(logs={(follower, partition, directory): log})
        end = Offset(end + 1)
    high_watermark = Offset(
        min(end, cluster.replicas[leader][partition].high_watermark)
    )
    replica = cluster.replicas[follower][partition].with_high_watermark(high_watermark)
    return cluster.evolve(replicas={(follower, partition): replica})


def _learns(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a fetch brings the follower anything."""
    end = end_of(cluster, follower, partition)
    if cluster.logs[leader][partition][cluster.directory_of(leader, partition)].has(
        end
    ):
        return True
    high_watermark = min(end, cluster.replicas[leader][partition].high_watermark)
    return cluster.replicas[follower][partition].high_watermark != high_watermark


def reaches_epoch_start(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a follower outside the ISR has caught up, so that it may join.

    It must have reached the high watermark, and the start of the leader's epoch.
    Whether its broker is live, or its directory good, is not asked.

    Rules: B-ISR-2, C-ISR-4.  Source: Partition.isFollowerInSync.
    """
    if not reaches_high_watermark(cluster, leader, follower, partition):
        return False
    end = end_of(cluster, follower, partition)
    return end >= cluster.replicas[leader][partition].epoch_start


def reaches_high_watermark(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a follower outside the ISR has reached the high watermark."""
    if cluster.replicas[leader][partition].counts_in_sync(follower):
        return False
    end = end_of(cluster, follower, partition)
    return end >= cluster.replicas[leader][partition].high_watermark


def store_isr(
    cluster: Cluster, leader: BrokerId, partition: PartitionId, isr: frozenset[BrokerId]
) -> Cluster:
    """Write the ISR over the version that the leader knows, then cache it.

    Abstraction: the write and what its answer changes are one step. The partition is
    locked in between, so no reader sees the one without the other.

    Rules: Z-STATE-1, B-ISR-1, B-ISR-2, B-ISR-3.
    Source: Partition.expandIsr, Partition.shrinkIsr,
    ReplicationUtils.updateLeaderAndIsr.
    """
    content = cluster.partition_nodes[partition].content
    assert content is not None, "the version was compared"
    content = content.with_isr(isr)
    replica = cluster.replicas[leader][partition].with_isr(isr, content.version)
    cluster = store_partition_state(cluster, partition, content)
    cluster = cluster.evolve(
        replicas={(leader, partition): replica},
    )
    return record_isr_change(cluster, leader, partition)


def end_of(cluster: Cluster, broker: BrokerId, partition: PartitionId) -> Offset:
    """The end offset of a replica that is online."""
    return cluster.logs[broker][partition][
        cluster.directory_of(broker, partition)
    ].end_offset


def is_version_current(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether the stored state has the version that a leader knows.

    Rules: Z-STATE-1, B-ISR-3.  Source: KafkaZkClient.conditionalUpdatePath.
    """
    version = cluster.replicas[leader][partition].version
    return cluster.partition_nodes[partition].has_version(version)
