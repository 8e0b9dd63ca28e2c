"""Producing, fetching, and the leader's changes of the ISR.

Abstraction: request and answer of a fetch are one step that copies one record, and
the rounds of epoch requests after which a follower cuts its log are one step. What
cannot happen on a failing directory does not happen: the step is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from replicheck.model.cluster.broker.high_watermark import increment_high_watermark
from replicheck.model.cluster.state import Cluster
from replicheck.model.replication.state import Record
from replicheck.model.vocabulary import BrokerId, Offset, RecordId

InSync = Callable[[Cluster, BrokerId, BrokerId], bool]


def append(cluster: Cluster, leader: BrokerId) -> Iterator[Cluster]:
    """A producer's record is appended wherever a broker believes that it leads.

    Rules: B-DIR-3.  Source: Partition.appendRecordsToLeader.
    """
    if cluster.next_record >= cluster.bounds.records:
        return
    if not cluster.presumes_leadership(leader):
        return
    epoch = cluster.replicas[leader].epoch
    assert epoch is not None, "a replica that leads has an epoch"
    directory = cluster.directory_of(leader)
    record = Record(RecordId(cluster.next_record), epoch)
    cluster = cluster.evolve(
        logs={(leader, directory): cluster.logs[leader][directory].append(record)},
        next_record=RecordId(cluster.next_record + 1),
    )
    yield increment_high_watermark(cluster, leader)


def truncate(
    cluster: Cluster, leader: BrokerId, follower: BrokerId
) -> Iterator[Cluster]:
    """A new follower cuts what its leader, in the same epoch, does not have.

    Rules: B-FETCH-1, B-FETCH-2, N-5.
    Source: AbstractFetcherThread.truncateToEpochEndOffsets.
    """
    if not cluster.fetchers[follower].truncates_to(leader):
        return
    if not cluster.leads_in(leader, cluster.fetchers[follower].epoch):
        return
    directory = cluster.directory_of(follower)
    log = cluster.logs[follower][directory]
    theirs = cluster.logs[leader][cluster.directory_of(leader)].records
    offset = log.end_of_agreement(theirs)
    replica = cluster.replicas[follower].cap_high_watermark(offset)
    yield cluster.evolve(
        logs={(follower, directory): log.truncate_to(offset)},
        replicas={follower: replica},
        fetchers={follower: cluster.fetchers[follower].truncated()},
    )


def fetch(cluster: Cluster, leader: BrokerId, follower: BrokerId) -> Iterator[Cluster]:
    """A follower in the leader's epoch copies the next record.

    The leader learns where the follower's log ended before, and takes the follower into
    the ISR if that is far enough; the follower learns the high watermark of before.

    Rules: B-FETCH-1, B-HW-1, B-HW-2, N-5.
    Source: ReplicaManager.fetchMessages, Partition.updateFollowerFetchState,
    ReplicaFetcherThread.processPartitionData.
    """
    yield from serve_fetch(cluster, leader, follower, reaches_epoch_start)


def serve_fetch(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, in_sync: InSync
) -> Iterator[Cluster]:
    """Copy a record; ``in_sync`` says whether an end suffices to be in the ISR."""
    if not cluster.fetchers[follower].fetches_from(leader):
        return
    if not cluster.leads_in(leader, cluster.fetchers[follower].epoch):
        return
    after = copy_next_record(cluster, leader, follower)
    end = _end_of(cluster, follower)
    joins = in_sync(cluster, leader, follower) and _nobody_wrote_since(cluster, leader)
    if joins:
        after = store_isr(after, leader, after.replicas[leader].isr | {follower})
    is_known = cluster.remotes[leader].is_at(follower, end)
    if is_known and not joins and not _learns(cluster, leader, follower):
        return
    after = after.evolve(remotes={leader: after.remotes[leader].set(follower, end)})
    yield increment_high_watermark(after, leader)


def copy_next_record(cluster: Cluster, leader: BrokerId, follower: BrokerId) -> Cluster:
    """Append the leader's next record, and take over its high watermark.

    Rules: B-HW-2.  Source: ReplicaFetcherThread.processPartitionData.
    """
    end = _end_of(cluster, follower)
    theirs = cluster.logs[leader][cluster.directory_of(leader)]
    if theirs.has(end):
        directory = cluster.directory_of(follower)
        log = cluster.logs[follower][directory].append(theirs.record_at(end))
        cluster = cluster.evolve(logs={(follower, directory): log})
        end = Offset(end + 1)
    high_watermark = Offset(min(end, cluster.replicas[leader].high_watermark))
    replica = cluster.replicas[follower].with_high_watermark(high_watermark)
    return cluster.evolve(replicas={follower: replica})


def _learns(cluster: Cluster, leader: BrokerId, follower: BrokerId) -> bool:
    """Tell whether a fetch brings the follower anything."""
    end = _end_of(cluster, follower)
    if cluster.logs[leader][cluster.directory_of(leader)].has(end):
        return True
    high_watermark = min(end, cluster.replicas[leader].high_watermark)
    return bool(cluster.replicas[follower].high_watermark != high_watermark)


def reaches_epoch_start(cluster: Cluster, leader: BrokerId, follower: BrokerId) -> bool:
    """Tell whether a follower outside the ISR has caught up, so that it may join.

    It must have reached the high watermark, and the start of the leader's epoch.
    Whether its broker is live, or its directory good, is not asked.

    Rules: B-ISR-2, C-ISR-4.  Source: Partition.isFollowerInSync.
    """
    if not reaches_high_watermark(cluster, leader, follower):
        return False
    end = _end_of(cluster, follower)
    return bool(end >= cluster.replicas[leader].epoch_start)


def reaches_high_watermark(
    cluster: Cluster, leader: BrokerId, follower: BrokerId
) -> bool:
    """Tell whether a follower outside the ISR has reached the high watermark."""
    if cluster.replicas[leader].counts_in_sync(follower):
        return False
    end = _end_of(cluster, follower)
    return bool(end >= cluster.replicas[leader].high_watermark)


def shrink_isr(
    cluster: Cluster, leader: BrokerId, follower: BrokerId
) -> Iterator[Cluster]:
    """The leader takes a follower that lags out of the ISR, if nobody wrote since.

    Rules: B-ISR-1, B-ISR-3, Z-STATE-1.  Source: Partition.maybeShrinkIsr.
    """
    if not cluster.faults.allow("isr_shrinks"):
        return
    if not lags(cluster, leader, follower):
        return
    if not _nobody_wrote_since(cluster, leader):
        return
    isr = cluster.replicas[leader].isr - {follower}
    cluster = store_isr(cluster, leader, isr)
    cluster = cluster.evolve(faults=cluster.faults.spend("isr_shrinks"))
    yield increment_high_watermark(cluster, leader)


def lags(cluster: Cluster, leader: BrokerId, follower: BrokerId) -> bool:
    """Tell whether a leader knows a member of its ISR not to have all records."""
    if leader == follower:
        return False
    if not cluster.presumes_leadership(leader):
        return False
    if not cluster.replicas[leader].counts_in_sync(follower):
        return False
    return not cluster.remotes[leader].is_at(follower, _end_of(cluster, leader))


def store_isr(cluster: Cluster, leader: BrokerId, isr: frozenset[BrokerId]) -> Cluster:
    """Write the ISR over the version that the leader knows, then cache it.

    Abstraction: the write and what its answer changes are one step. The partition is
    locked in between, so nobody sees the one without the other.

    Rules: Z-STATE-1, B-ISR-1, B-ISR-2, B-ISR-3.
    Source: Partition.expandIsr, Partition.shrinkIsr.
    """
    content = cluster.partition_node.content
    assert content is not None, "the version was compared"
    content = content.with_isr(isr)
    replica = cluster.replicas[leader].with_isr(isr, content.version)
    return cluster.evolve(
        partition_node=cluster.partition_node.write(content),
        replicas={leader: replica},
    )


def _end_of(cluster: Cluster, broker: BrokerId) -> Offset:
    return cluster.logs[broker][cluster.directory_of(broker)].end_offset


def _nobody_wrote_since(cluster: Cluster, leader: BrokerId) -> bool:
    version = cluster.replicas[leader].version
    return bool(cluster.partition_node.has_version(version))
