"""LeaderAndIsr requests that a broker refuses, or does not obey to the end."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.broker.replica_manager import (
    accepts,
    is_newer,
    is_unlocked,
    local_replica,
)
from replicheck.model.fetching.cells.requests import IDLE, Becoming
from replicheck.model.fetching.log_moves.alter_log_dirs import find_future_log
from replicheck.model.fetching.state import Brokers
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, PartitionId


def ignore_unknown_leader(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The broker is told to follow a broker that it does not know to be live.

    It makes sure that there is a log, and changes nothing else: whatever it did before,
    be it leading, goes on, and the same request would be obeyed later.

    Rules: B-FOLLOW, F-FAIL-4, B-LAI-2.  Source: ReplicaManager.makeFollowers.
    """
    if not cluster.faults.allow("unknown_leaders"):
        return
    if not cluster.inboxes[broker][partition].tells_to_follow(broker):
        return
    if not accepts(cluster, broker, partition):
        return
    left = cluster.inboxes[broker][partition].pop()
    cluster = cluster.evolve(
        inboxes={(broker, partition): left},
        faults=cluster.faults.spend("unknown_leaders"),
    )
    created = cluster.logs[broker][partition].create_if_gone()
    cluster = cluster.evolve(logs={(broker, partition): created})
    cluster = keep_replica(cluster, broker, partition)
    yield find_future_log(cluster, broker, partition)


@rule
def keep_replica(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> Brokers:
    """Have a replica with a log, whose high watermark checkpoints will contain.

    Rules: B-FOLLOW.  Source: ReplicaManager.makeFollowers.
    """
    directory = cluster.locations[broker][partition]
    kept = local_replica(cluster, broker, partition).keep(directory)
    return cluster.evolve(replicas={(broker, partition): kept})


def abort_request(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """Another partition's error ends a request before fetchers are replaced.

    Epochs are recorded by then, so the request would be refused if it came again.

    Rules: B-FOLLOW.  Source: ReplicaManager.makeFollowers (KAFKA-9769).
    """
    if not cluster.faults.allow("aborted_requests"):
        return
    if not cluster.handlers[broker].is_making(Becoming.FOLLOWER):
        return
    yield cluster.evolve(
        handlers={broker: IDLE}, faults=cluster.faults.spend("aborted_requests")
    )


def refuse_leader_and_isr(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The broker is told what it knows, or something older; only a move is begun anew.

    Like every request it ends with the threads that are idle.

    Rules: B-LAI-1, F-FAIL-3, F-MGR-4.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    if cluster.inboxes[broker][partition].is_empty():
        return
    if not is_unlocked(cluster, broker, partition):
        return
    if is_newer(cluster, broker, partition, cluster.inboxes[broker][partition].epoch):
        return
    left = cluster.inboxes[broker][partition].pop()
    cluster = cluster.evolve(inboxes={(broker, partition): left})
    yield find_future_log(cluster, broker, partition)
