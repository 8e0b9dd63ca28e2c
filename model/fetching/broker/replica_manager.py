"""How a broker obeys a LeaderAndIsr request.

One request at a time changes the replicas of a broker. Fetcher threads go on between
its steps. Abstraction: a request has one partition.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.broker.leader import maybe_increment_leader_hw
from replicheck.model.fetching.cells.requests import Becoming, RequestHandler
from replicheck.model.fetching.fetchers.fetcher_manager import (
    add_fetcher_for_partitions,
    remove_fetcher_for_partitions,
    shutdown_idle_fetcher_threads,
)
from replicheck.model.fetching.log_moves.alter_log_dirs import find_future_log
from replicheck.model.fetching.state import Brokers
from replicheck.model.rules import rule
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.shared.replica import Replica
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId


def make_leaders(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The broker is told to lead, and begins with removing its fetcher.

    Rules: B-LAI-1, B-LEAD, F-FAIL-4.  Source: ReplicaManager.makeLeaders.
    """
    if not cluster.inboxes[broker][partition].tells_to_lead(broker):
        return
    if not accepts(cluster, broker, partition):
        return
    cluster = take_request(cluster, broker, partition, Becoming.LEADER)
    yield remove_fetcher_for_partitions(cluster, broker, partition)


def make_leader(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """The broker begins to lead; what followers have is unknown if it did not before.

    The epoch is cached with its start. If the directory is failing it cannot be
    written, and the broker has the new epoch and the old leader.

    Rules: L-LEAD, B-LAI-2, E-1, E-4.  Source: Partition.makeLeader.
    """
    if not cluster.handlers[broker].is_making(Becoming.LEADER):
        return
    partition, content = request_under_way(cluster, broker)
    directory = cluster.locations[broker][partition]
    end = cluster.logs[broker][partition].end_offset
    replica = local_replica(cluster, broker, partition)
    cluster = assign_epoch_start_offset(cluster, broker, partition, content.epoch)
    if not cluster.directory_of(broker, partition).is_good():
        kept = replica.fail_to_lead(content, directory, end)
        cluster = cluster.evolve(replicas={(broker, partition): kept})
        yield find_future_log(cluster, broker, partition)
        return
    if is_new_leader(cluster, broker, partition):
        unknown = cluster.remotes[broker][partition].forget()
        cluster = cluster.evolve(remotes={(broker, partition): unknown})
    known = cluster.remotes[broker][partition].begin_epoch()
    cluster = cluster.evolve(remotes={(broker, partition): known})
    leader = replica.lead(broker, content, directory, end)
    cluster = cluster.evolve(replicas={(broker, partition): leader})
    cluster = maybe_increment_leader_hw(cluster, broker, partition)
    yield find_future_log(cluster, broker, partition)


def local_replica(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Replica:
    """A replica; one that is not known yet has the high watermark on disk.

    Rules: G-LOAD, G-HW-1.  Source: Partition.createLog.
    """
    replica = cluster.replicas[broker][partition]
    if not replica.is_unknown():
        return replica
    log = cluster.logs[broker][partition]
    stored = cluster.checkpoints[broker][partition]
    return replica.with_high_watermark(log.nearest_to(stored))


@rule
def is_new_leader(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> bool:
    """Tell whether what a broker knows of followers is to be forgotten.

    It is not if the broker led before; it may have missed that another led since.

    Rules: L-LEAD.  Source: Partition.makeLeader.
    """
    return not cluster.presumes_leadership(broker, partition)


@rule
def assign_epoch_start_offset(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, epoch: Epoch
) -> Brokers:
    """Cache the epoch in which a broker begins to lead, also if it writes nothing.

    Rules: L-LEAD, E-4.  Source: Log.maybeAssignEpochStartOffset.
    """
    log = cluster.logs[broker][partition]
    return cluster.evolve(logs={(broker, partition): log.assign(epoch, log.end_offset)})


def make_followers(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The broker is told to follow, and begins with its replica; its fetcher goes on.

    Rules: B-LAI-1, B-FOLLOW, L-FOLLOW.
    Source: ReplicaManager.makeFollowers, Partition.makeFollower.
    """
    if not cluster.inboxes[broker][partition].tells_to_follow(broker):
        return
    if not accepts(cluster, broker, partition):
        return
    content = cluster.inboxes[broker][partition].head
    cluster = take_request(cluster, broker, partition, Becoming.FOLLOWER)
    directory = cluster.locations[broker][partition]
    replica = local_replica(cluster, broker, partition)
    follower = replica.follow(content, directory)
    unknown = cluster.remotes[broker][partition].forget()
    yield cluster.evolve(
        replicas={(broker, partition): follower},
        remotes={(broker, partition): unknown},
    )


def replace_fetcher(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """The broker takes the partition to the new leader's thread, where it is cut first.

    It begins at the high watermark of now.

    Rules: B-FOLLOW, B-LAI-2, F-FAIL-4.  Source: ReplicaManager.makeFollowers.
    """
    if not cluster.handlers[broker].is_making(Becoming.FOLLOWER):
        return
    partition, content = request_under_way(cluster, broker)
    cluster = move_fetcher(cluster, broker, partition, content)
    yield find_future_log(cluster, broker, partition)


@rule
def move_fetcher(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, content: LeaderAndIsr
) -> Brokers:
    """Remove a partition from every thread, then add it to the leader's.

    Rules: B-FOLLOW.  Source: ReplicaManager.makeFollowers.
    """
    assert content.leader is not None, "a follower is told its leader"
    offset = cluster.replicas[broker][partition].high_watermark
    cluster = remove_fetcher_for_partitions(cluster, broker, partition)
    return add_fetcher_for_partitions(
        cluster, broker, partition, content.leader, content.epoch, offset
    )


def accepts(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> bool:
    """Tell whether a broker takes up its next request now, and obeys it.

    Rules: B-LAI-1.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    if not is_unlocked(cluster, broker, partition):
        return False
    if cannot_create_log(cluster, broker, partition):
        return False
    epoch = cluster.inboxes[broker][partition].epoch
    return is_newer(cluster, broker, partition, epoch)


def cannot_create_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether there is no log, and its directory is not good to create it in.

    A process loads nothing from a directory that was offline when it started.

    Rules: G-LOAD.  Source: LogManager.loadLogs, LogManager.getOrCreateLog.
    """
    directory = cluster.directory_of(broker, partition)
    if directory.is_offline():
        return True
    return cluster.logs[broker][partition].is_gone and not directory.is_good()


def fail_to_create_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The log of a request cannot be created, so that the replica goes offline.

    Abstraction: no other directory is tried.

    Rules: B-LAI-2, B-DIR-1, F-MGR-4.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    if cluster.inboxes[broker][partition].is_empty():
        return
    if not is_unlocked(cluster, broker, partition):
        return
    if not cannot_create_log(cluster, broker, partition):
        return
    epoch = cluster.inboxes[broker][partition].epoch
    if not is_newer(cluster, broker, partition, epoch):
        return
    left = cluster.inboxes[broker][partition].pop()
    marked = cluster.replicas[broker][partition].mark_offline()
    cluster = cluster.evolve(
        inboxes={(broker, partition): left}, replicas={(broker, partition): marked}
    )
    yield shutdown_idle_fetcher_threads(cluster, broker)


def is_unlocked(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> bool:
    """Tell whether a request can change a replica now."""
    if not cluster.processes[broker].is_running:
        return False
    if not cluster.handlers[broker].is_idle():
        return False
    return not cluster.replicas[broker][partition].is_offline()


@rule
def is_newer(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, epoch: Epoch
) -> bool:
    """Tell whether a leader epoch is above the replica's.

    Rules: B-LAI-1.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    return cluster.replicas[broker][partition].is_behind(epoch)


def take_request(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, becoming: Becoming
) -> Brokers:
    """Lock the replicas for the next request."""
    content = cluster.inboxes[broker][partition].head
    left = cluster.inboxes[broker][partition].pop()
    return cluster.evolve(
        inboxes={(broker, partition): left},
        handlers={broker: RequestHandler(becoming, partition, content)},
        logs={(broker, partition): cluster.logs[broker][partition].create_if_gone()},
    )


def request_under_way(
    cluster: Brokers, broker: BrokerId
) -> tuple[PartitionId, LeaderAndIsr]:
    """Partition and content of the request that a broker obeys."""
    partition = cluster.handlers[broker].partition
    content = cluster.handlers[broker].content
    assert partition is not None, "a request is under way"
    assert content is not None, "a request is under way"
    return partition, content
