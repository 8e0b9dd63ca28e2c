"""What a replica does that leads, or believes that it does.

The functions without prefix are Kafka before KIP-320; those named ``fenced_…`` demand
that a follower is in the leader's epoch; those named ``epoch_checked_…`` are the first
try at KIP-320, which compares the epochs of records instead; those named ``delayed_…``
know less of the followers, as Kafka's leaders do.

Source: KafkaReplication.tla, Kip320FirstTry.tla, Kip320.tla.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.replication.state import AbstractCluster, QuorumState
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import BrokerId, Offset, RecordId


def become_leader(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """A replica leads when a request with a newer epoch says so; it cuts nothing."""
    replica = cluster.replicas[leader]
    for epoch in cluster.requests.from_leader(leader, replica.epoch):
        request = QuorumState(leader, epoch, cluster.requests.isr_in(epoch))
        yield cluster.evolve(replicas={leader: replica.obey(request)})


def append_to_leader(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """A producer's record is appended wherever a replica believes that it leads."""
    if not cluster.presumes_leadership(leader):
        return
    if cluster.next_record >= cluster.bounds.records:
        return
    if cluster.logs[leader].reaches(Offset(cluster.bounds.log_size)):
        return
    epoch = cluster.replicas[leader].epoch
    assert epoch is not None, "a replica that leads has an epoch"
    record = Record(cluster.next_record, epoch)
    yield cluster.evolve(
        logs={leader: cluster.logs[leader].append(record)},
        next_record=RecordId(cluster.next_record + 1),
    )


def increment_high_watermark(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """An offset is committed when every member of the ISR that follows has it."""
    if not cluster.presumes_leadership(leader):
        return
    replica = cluster.replicas[leader]
    offset = replica.high_watermark
    if offset >= cluster.bounds.log_size:
        return
    for follower in sorted(replica.isr):
        if not cluster.is_following(leader, follower):
            return
        if not _has_offset(cluster, follower, offset):
            return
    yield _commit(cluster, leader, Offset(offset + 1))


def fenced_increment_high_watermark(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """An offset is committed when every ISR member in the leader's epoch has it."""
    if not cluster.presumes_leadership(leader):
        return
    replica = cluster.replicas[leader]
    offset = replica.high_watermark
    if not _has_offset(cluster, leader, offset):
        return
    for follower in sorted(replica.isr):
        if not cluster.is_following_epoch(leader, follower):
            return
        if not _has_offset(cluster, follower, offset):
            return
    yield _commit(cluster, leader, Offset(offset + 1))


def epoch_checked_increment_high_watermark(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """An offset is committed when every ISR member has it with the leader's epoch."""
    if not cluster.presumes_leadership(leader):
        return
    replica = cluster.replicas[leader]
    offset = replica.high_watermark
    if not _has_offset(cluster, leader, offset):
        return
    after = Offset(offset + 1)
    for follower in sorted(replica.isr):
        if not has_matching_epoch_below(cluster, leader, follower, after):
            return
    yield _commit(cluster, leader, after)


def shrink_isr(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """The leader takes a follower that lags out of the ISR, whenever it likes."""
    if not _may_remove(cluster, leader, follower):
        return
    end = cluster.logs[leader].end_offset
    if _is_caught_up_to(cluster, leader, follower, end):
        return
    yield _store_isr(cluster, leader, cluster.replicas[leader].isr - {follower})


def fenced_shrink_isr(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """The leader takes a follower that lags, or is in another epoch, out of the ISR."""
    if not _may_remove(cluster, leader, follower):
        return
    if cluster.is_following_epoch(leader, follower):
        end = cluster.logs[leader].end_offset
        if cluster.logs[follower].reaches(end):
            return
    yield _store_isr(cluster, leader, cluster.replicas[leader].isr - {follower})


def epoch_checked_shrink_isr(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A follower that lags, or whose last record differs in epoch, leaves the ISR."""
    if not _may_remove(cluster, leader, follower):
        return
    end = cluster.logs[leader].end_offset
    if has_matching_epoch_below(cluster, leader, follower, end):
        return
    yield _store_isr(cluster, leader, cluster.replicas[leader].isr - {follower})


def delayed_shrink_isr(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """The leader need not know yet that a follower caught up."""
    if _may_remove(cluster, leader, follower):
        isr = cluster.replicas[leader].isr - {follower}
        yield _store_isr(cluster, leader, isr)


def expand_isr(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """The leader takes a follower that reached its high watermark into the ISR."""
    if not _may_add(cluster, leader, follower):
        return
    committed = cluster.replicas[leader].high_watermark
    if not _is_caught_up_to(cluster, leader, follower, committed):
        return
    yield _store_isr(cluster, leader, cluster.replicas[leader].isr | {follower})


def fenced_expand_isr(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A follower joins the ISR in the leader's epoch, once its begin is committed.

    A new leader's high watermark is often behind that of the leader before. A follower
    that reached it may lack records that are committed, until the new leader has
    committed everything up to the start of its own epoch.
    """
    if not _may_add(cluster, leader, follower):
        return
    if not cluster.is_following_epoch(leader, follower):
        return
    committed = cluster.replicas[leader].high_watermark
    if not cluster.logs[follower].reaches(committed):
        return
    if not _has_committed_up_to_its_epoch(cluster, leader):
        return
    yield _store_isr(cluster, leader, cluster.replicas[leader].isr | {follower})


def delayed_expand_isr(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A follower joins the ISR in the leader's epoch, once it has the epoch's begin.

    That need not be committed in the leader's epoch yet.

    Rules: L-ISR-1.  Source: Partition.isFollowerInSync.
    """
    if not _may_add(cluster, leader, follower):
        return
    if not cluster.is_following_epoch(leader, follower):
        return
    if not cluster.logs[follower].reaches(cluster.replicas[leader].high_watermark):
        return
    epoch = cluster.replicas[leader].epoch
    assert epoch is not None, "a replica that leads has an epoch"
    start = cluster.logs[leader].start_of(epoch)
    if not cluster.logs[follower].reaches(start):
        return
    yield _store_isr(cluster, leader, cluster.replicas[leader].isr | {follower})


def epoch_checked_expand_isr(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A follower joins the ISR that has the leader's epoch below the high watermark."""
    if not _may_add(cluster, leader, follower):
        return
    committed = cluster.replicas[leader].high_watermark
    if not has_matching_epoch_below(cluster, leader, follower, committed):
        return
    if not _has_committed_up_to_its_epoch(cluster, leader):
        return
    yield _store_isr(cluster, leader, cluster.replicas[leader].isr | {follower})


def has_matching_epoch_below(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId, end: Offset
) -> bool:
    """Tell whether leader and follower have the same epoch right below an offset."""
    if not cluster.presumes_leadership(leader):
        return False
    if not cluster.is_following(leader, follower):
        return False
    if end == 0:
        return True
    last = Offset(end - 1)
    epoch = cluster.logs[leader].epoch_at(last)
    return epoch is not None and cluster.logs[follower].has_epoch_at(last, epoch)


def _is_caught_up_to(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId, end: Offset
) -> bool:
    """Tell whether a follower, in any epoch, has every offset below ``end``."""
    if not cluster.is_following(leader, follower):
        return False
    return cluster.logs[leader].reaches(end) and cluster.logs[follower].reaches(end)


def _has_offset(cluster: AbstractCluster, broker: BrokerId, offset: Offset) -> bool:
    return cluster.logs[broker].has(offset)


def _has_committed_up_to_its_epoch(cluster: AbstractCluster, leader: BrokerId) -> bool:
    committed = cluster.replicas[leader].high_watermark
    if cluster.logs[leader].end_offset == committed:
        return True
    epoch = cluster.replicas[leader].epoch
    return cluster.logs[leader].has_epoch_at(committed, epoch)


def _may_remove(cluster: AbstractCluster, leader: BrokerId, follower: BrokerId) -> bool:
    if leader == follower:
        return False
    if not cluster.partition_state.is_led_by(leader):
        return False
    if not cluster.replicas[leader].counts_in_sync(follower):
        return False
    return cluster.is_true_leader(leader)


def _may_add(cluster: AbstractCluster, leader: BrokerId, follower: BrokerId) -> bool:
    if leader == follower:
        return False
    if not cluster.partition_state.is_led_by(leader):
        return False
    if not cluster.is_following(leader, follower):
        return False
    if cluster.replicas[leader].counts_in_sync(follower):
        return False
    return cluster.is_true_leader(leader)


def _commit(
    cluster: AbstractCluster, leader: BrokerId, offset: Offset
) -> AbstractCluster:
    replica = cluster.replicas[leader].with_high_watermark(offset)
    return cluster.evolve(replicas={leader: replica})


def _store_isr(
    cluster: AbstractCluster, leader: BrokerId, isr: frozenset[BrokerId]
) -> AbstractCluster:
    """Store a new ISR under the same epoch; no request tells the others."""
    return cluster.evolve(
        partition_state=cluster.partition_state.with_isr(isr),
        replicas={leader: cluster.replicas[leader].with_isr(isr)},
    )
