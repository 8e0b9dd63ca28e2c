"""The leader's side: producing, and its high watermark and ISR."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.state import Brokers
from replicheck.model.rules import rule
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId, RecordId


def append_records_to_leader(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A producer's record is appended wherever a broker believes that it leads.

    If too few are in sync it is refused.

    Rules: G-APP, L-HW.  Source: Partition.appendRecordsToLeader, Log.append.
    """
    if cluster.next_records[partition] >= cluster.bounds.records:
        return
    if not cluster.presumes_leadership(leader, partition):
        return
    if not cluster.replicas[leader][partition].has_in_sync(cluster.bounds.min_isr):
        return
    if not is_writable(cluster, leader, partition):
        return
    yield append_next_record(cluster, leader, partition)


def append_next_record(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Brokers:
    """Append a record in the replica's epoch, and see what is committed.

    Rules: G-APP, L-HW.  Source: Partition.appendRecordsToLeader.
    """
    epoch = cluster.replicas[leader][partition].epoch
    assert epoch is not None, "a replica that leads has an epoch"
    number = cluster.next_records[partition]
    log = cluster.logs[leader][partition].append(Record(RecordId(number), epoch))
    cluster = cluster.evolve(
        logs={(leader, partition): log},
        next_records={partition: RecordId(number + 1)},
    )
    return maybe_increment_leader_hw(cluster, leader, partition)


@rule
def is_writable(cluster: Brokers, leader: BrokerId, partition: PartitionId) -> bool:
    """Tell whether a leader's log takes records: its directory has not failed.

    Rules: G-APP, F-FAIL-6.  Source: Log.maybeHandleIOException.
    """
    return cluster.directory_of(leader, partition).is_good()


@rule
def maybe_increment_leader_hw(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Brokers:
    """Raise the leader's high watermark to the least end of the logs in its ISR.

    A follower that caught up of late holds it back, too (`caught_up_followers`).

    Rules: L-HW, G-HW-2.  Source: Partition.maybeIncrementLeaderHW.
    """
    replica = cluster.replicas[leader][partition]
    least = cluster.logs[leader][partition].end_offset
    for follower in sorted(replica.isr | cluster.remotes[leader][partition].caught_up):
        if follower != leader:
            end = cluster.remotes[leader][partition].of(follower)
            if end is None:
                return cluster
            least = min(least, end)
    if least <= replica.high_watermark:
        return cluster
    if cluster.partition_nodes[partition].is_in(leader, replica.epoch):
        records = cluster.logs[leader][partition].up_to(least)
        committed = cluster.committed[partition].extend(records)
        cluster = cluster.evolve(committed={partition: committed})
    raised = cluster.replicas[leader][partition].with_high_watermark(least)
    return cluster.evolve(replicas={(leader, partition): raised})


@rule
def update_follower_fetch_state(
    cluster: Brokers,
    leader: BrokerId,
    partition: PartitionId,
    follower: BrokerId,
    offset: Offset,
) -> Brokers:
    """Learn from a fetch that was read how far a follower's log reaches.

    Neither the lock of the read nor its epoch is held: the bound ``stalled_handlers``
    lets other things happen between the read and this.

    Rules: L-FU-1, L-FU-2, L-HW.
    Source: Partition.updateFollowerFetchState, Replica.updateFetchState.
    """
    was_known = cluster.remotes[leader][partition].is_at(follower, offset)
    expands = can_expand_isr(cluster, leader, partition, follower, offset)
    if not was_known:
        known = cluster.remotes[leader][partition].set(follower, offset)
        cluster = cluster.evolve(remotes={(leader, partition): known})
    if expands:
        isr = cluster.replicas[leader][partition].isr | {follower}
        cluster = store_isr(cluster, leader, partition, isr)
    if was_known:
        return cluster
    return maybe_increment_leader_hw(cluster, leader, partition)


def can_expand_isr(
    cluster: Brokers,
    leader: BrokerId,
    partition: PartitionId,
    follower: BrokerId,
    offset: Offset,
) -> bool:
    """Tell whether a follower outside the ISR joins it, and the write succeeds.

    Rules: L-ISR-1.  Source: Partition.maybeExpandIsr.
    """
    if cluster.replicas[leader][partition].counts_in_sync(follower):
        return False
    if not is_follower_in_sync(cluster, leader, partition, offset):
        return False
    return is_version_current(cluster, leader, partition)


@rule
def is_follower_in_sync(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, offset: Offset
) -> bool:
    """Tell whether an end suffices: the high watermark and the start of the epoch.

    Rules: L-ISR-1.  Source: Partition.isFollowerInSync.
    """
    replica = cluster.replicas[leader][partition]
    return offset >= replica.high_watermark and offset >= replica.epoch_start


def maybe_shrink_isr(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, follower: BrokerId
) -> Iterator[Brokers]:
    """A leader removes a lagging follower from the ISR if it knows the stored version.

    Abstraction: how long it lags is left open.

    Rules: L-ISR-2, L-HW.  Source: Partition.maybeShrinkIsr.
    """
    if leader == follower or not cluster.faults.allow("isr_shrinks"):
        return
    if not cluster.presumes_leadership(leader, partition):
        return
    if not cluster.replicas[leader][partition].counts_in_sync(follower):
        return
    if not is_follower_out_of_sync(cluster, leader, partition, follower):
        return
    if not is_version_current(cluster, leader, partition):
        return
    isr = cluster.replicas[leader][partition].isr - {follower}
    behind = cluster.remotes[leader][partition].fall_behind(follower)
    cluster = cluster.evolve(remotes={(leader, partition): behind})
    cluster = store_isr(cluster, leader, partition, isr)
    cluster = cluster.evolve(faults=cluster.faults.spend("isr_shrinks"))
    yield maybe_increment_leader_hw(cluster, leader, partition)


@rule
def is_follower_out_of_sync(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, follower: BrokerId
) -> bool:
    """Tell whether a follower can lag: it is not known to have all records.

    Rules: L-ISR-2.  Source: Partition.isFollowerOutOfSync.
    """
    end = cluster.logs[leader][partition].end_offset
    return not cluster.remotes[leader][partition].is_at(follower, end)


def delete_records(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The leader deletes its first record, which is below its high watermark.

    Rules: G-LSO, E-7.  Source: Log.maybeIncrementLogStartOffset.
    """
    if not cluster.faults.allow("deletions"):
        return
    if not cluster.presumes_leadership(leader, partition):
        return
    start = cluster.logs[leader][partition].start_offset
    if start >= first_undeletable_offset(cluster, leader, partition):
        return
    log = delete_below(cluster, cluster.logs[leader][partition], Offset(start + 1))
    yield cluster.evolve(
        logs={(leader, partition): log},
        committed={partition: cluster.committed[partition].delete_below(start + 1)},
        faults=cluster.faults.spend("deletions"),
    )


def delete_below(cluster: Brokers, log: PartitionLog, offset: Offset) -> PartitionLog:
    """Delete records; where a start can be lost, they stay in their segments.

    Rules: G-LSO.  Source: Log.maybeIncrementLogStartOffset.
    """
    if not cluster.bounds.lost_log_starts:
        return log.delete_below(offset)
    return log.delete_in_memory(offset)


@rule
def first_undeletable_offset(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Offset:
    """The offset below which records can be deleted: the high watermark.

    Rules: G-LSO.  Source: Log.deletableSegments, Log.maybeIncrementLogStartOffset.
    """
    return cluster.replicas[leader][partition].high_watermark


@rule
def store_isr(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, isr: frozenset[BrokerId]
) -> Brokers:
    """Write the ISR over the version that the leader knows, then cache it.

    Rules: L-ISR-1, L-ISR-2.  Source: Partition.expandIsr, Partition.shrinkIsr.
    """
    content = cluster.partition_nodes[partition].content
    assert content is not None, "the version was compared"
    content = content.with_isr(isr)
    replica = cluster.replicas[leader][partition].with_isr(isr, content.version)
    return cluster.evolve(
        partition_nodes={partition: cluster.partition_nodes[partition].write(content)},
        replicas={(leader, partition): replica},
    )


def is_version_current(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a conditional write of a leader succeeds."""
    version = cluster.replicas[leader][partition].version
    return cluster.partition_nodes[partition].has_version(version)
