"""What a replica does that follows: obey a request, cut its log, and fetch.

The answer of the leader and what the follower makes of it are one step here; the full
model takes them apart. The ways to find the offset to cut at are the history of the
protocol: the high watermark, then KIP-101, KIP-279 and KIP-320.

Source: KafkaReplication.tla and the file that each function names.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.replication.leader import has_matching_epoch_below
from replicheck.model.replication.state import AbstractCluster, QuorumState
from replicheck.model.vocabulary import BrokerId, Epoch, Offset


def become_follower_and_truncate_to_high_watermark(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A new follower cuts all that it does not know to be committed.

    Source: KafkaTruncateToHighWatermark.tla.
    """
    for epoch in _newer_epochs(cluster, leader, follower):
        offset = cluster.replicas[follower].high_watermark
        yield from _truncate(cluster, leader, follower, epoch, offset)


def become_follower_and_truncate_by_kip_101(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A new follower asks where its last epoch ends in the leader's log.

    Source: Kip101.tla.
    """
    for epoch in _newer_epochs(cluster, leader, follower):
        offset = _end_of_last_epoch(cluster, leader, follower)
        yield from _truncate(cluster, leader, follower, epoch, offset)


def become_follower_and_truncate_by_kip_279(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A new follower goes back from its end until its log agrees with the leader's.

    Source: Kip279.tla.
    """
    for epoch in _newer_epochs(cluster, leader, follower):
        offset = _end_of_agreement(cluster, leader, follower)
        yield from _truncate(cluster, leader, follower, epoch, offset)


def fenced_become_follower_and_truncate(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A new follower cuts its log as with KIP-279, if the leader is in the same epoch.

    A leader that has not seen its epoch yet may still cut its own log.

    Source: Kip320.tla.
    """
    if leader == follower:
        return
    if not cluster.presumes_leadership(leader):
        return
    epoch = cluster.replicas[leader].epoch
    assert epoch is not None, "a replica that leads has an epoch"
    if not cluster.replicas[follower].is_behind(epoch):
        return
    if cluster.requests.has(leader, epoch):
        offset = _end_of_agreement(cluster, leader, follower)
        yield from _truncate(cluster, leader, follower, epoch, offset)


def become_follower(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A new follower cuts nothing; it relies on the leader to refuse a fetch.

    Source: Kip320FirstTry.tla.
    """
    for epoch in _newer_epochs(cluster, leader, follower):
        request = QuorumState(leader, epoch, cluster.requests.isr_in(epoch))
        replica = cluster.replicas[follower].obey(request)
        yield cluster.evolve(replicas={follower: replica})


def truncate_on_diverging_epoch(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A follower cuts when its last record's epoch is not the leader's there.

    Source: Kip320FirstTry.tla.
    """
    if not cluster.presumes_leadership(leader):
        return
    if not cluster.is_following(leader, follower):
        return
    if not _needs_truncation(cluster, leader, follower):
        return
    offset = _end_of_agreement(cluster, leader, follower)
    yield cluster.evolve(
        logs={follower: cluster.logs[follower].truncate_to(offset)},
        replicas={follower: cluster.replicas[follower].cap_high_watermark(offset)},
    )


def fetch(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A follower copies the next record and learns the high watermark."""
    if leader == follower:
        return
    if not cluster.presumes_leadership(leader):
        return
    if not cluster.is_following(leader, follower):
        return
    yield from _copy_next_record(cluster, leader, follower)


def fenced_fetch(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A follower in the leader's epoch copies the leader's next record."""
    if leader == follower:
        return
    if not cluster.is_following_epoch(leader, follower):
        return
    yield from _copy_next_record(cluster, leader, follower)


def delayed_fetch(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A follower in the leader's epoch fetches, and takes a high watermark of before.

    Rules: L-READ.  Source: ReplicaManager.fetchMessages.
    """
    if leader == follower:
        return
    if not cluster.is_following_epoch(leader, follower):
        return
    end = cluster.logs[follower].end_offset
    if not cluster.logs[leader].has(end):
        return
    log = cluster.logs[follower].append(cluster.logs[leader].record_at(end))
    for offset in _high_watermarks(cluster, leader, log.end_offset):
        replica = cluster.replicas[follower].with_high_watermark(offset)
        yield cluster.evolve(logs={follower: log}, replicas={follower: replica})


def learn_high_watermark(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """An answer without a record says how far the leader had committed.

    The specification has no such step: there only records bring the high watermark.

    Rules: F-PPD-3, L-READ.  Source: ReplicaFetcherThread.processPartitionData.
    """
    if leader == follower:
        return
    if not cluster.is_following_epoch(leader, follower):
        return
    end = cluster.logs[follower].end_offset
    for offset in _high_watermarks(cluster, leader, end):
        if not cluster.replicas[follower].has_high_watermark(offset):
            replica = cluster.replicas[follower].with_high_watermark(offset)
            yield cluster.evolve(replicas={follower: replica})


def epoch_checked_fetch(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A follower whose last record matches the leader's copies the next record."""
    end = cluster.logs[follower].end_offset
    if not has_matching_epoch_below(cluster, leader, follower, end):
        return
    yield from _copy_next_record(cluster, leader, follower)


def _high_watermarks(
    cluster: AbstractCluster, leader: BrokerId, end: Offset
) -> tuple[Offset, ...]:
    """The high watermarks that the leader may have told, within a log."""
    last = min(cluster.replicas[leader].high_watermark, end)
    return tuple(Offset(offset) for offset in range(last + 1))


def _newer_epochs(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> tuple[Epoch, ...]:
    """The epochs in which another leads and that the follower has not seen."""
    if leader == follower:
        return ()
    return cluster.requests.from_leader(leader, cluster.replicas[follower].epoch)


def _truncate(
    cluster: AbstractCluster,
    leader: BrokerId,
    follower: BrokerId,
    epoch: Epoch,
    offset: Offset,
) -> Iterator[AbstractCluster]:
    """Obey a request and cut the log; disabled where the offset is past the log's end.

    The specification's TruncateTo has that guard, so a follower that is shorter than a
    leader in the same epoch never gets to follow by KIP-101. Kafka cuts nothing there.
    """
    if not cluster.logs[follower].reaches(offset):
        return
    request = QuorumState(leader, epoch, cluster.requests.isr_in(epoch))
    replica = cluster.replicas[follower].obey(request).cap_high_watermark(offset)
    yield cluster.evolve(
        logs={follower: cluster.logs[follower].truncate_to(offset)},
        replicas={follower: replica},
    )


def _end_of_last_epoch(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Offset:
    """The end of the follower's last epoch in the leader's log."""
    last = cluster.logs[follower].latest_epoch
    if last is None:
        return Offset(0)
    of_leader = cluster.logs[leader].latest_epoch
    if of_leader == last:
        return cluster.logs[leader].end_offset
    found = cluster.logs[leader].first_offset_after(last)
    return cluster.replicas[follower].high_watermark if found is None else found


def _end_of_agreement(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Offset:
    """The offset above the last record that both logs have in one place."""
    return cluster.logs[follower].end_of_agreement(cluster.logs[leader].epochs)


def _needs_truncation(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> bool:
    end = cluster.logs[follower].end_offset
    if end > cluster.logs[leader].end_offset:
        return True
    if end == 0:
        return False
    epoch = cluster.logs[leader].epoch_at(Offset(end - 1))
    return epoch != cluster.logs[follower].latest_epoch


def _copy_next_record(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    end = cluster.logs[follower].end_offset
    if not cluster.logs[leader].has(end):
        return
    record = cluster.logs[leader].record_at(end)
    committed = min(cluster.replicas[leader].high_watermark, Offset(end + 1))
    yield cluster.evolve(
        logs={follower: cluster.logs[follower].append(record)},
        replicas={follower: cluster.replicas[follower].with_high_watermark(committed)},
    )
