"""What is left of a LeaderAndIsr request that one partition ends with an error."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from replicheck.model.cluster.broker.log_creation import (
    Creation,
    finds_log_of_marked_directory,
)
from replicheck.model.cluster.broker.replica_roles import is_newer, obey_for_partition
from replicheck.model.cluster.cells.channels import Answer, Answers, PartitionToLead
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.shared.replica import Replica
from replicheck.model.vocabulary import BrokerId, PartitionId


def is_obeyed(cluster: Cluster, broker: BrokerId, asked: PartitionToLead) -> bool:
    """Tell whether a broker is to lead or follow in the epoch of a request."""
    if cluster.replicas[broker][asked.partition].is_offline():
        return False
    return is_newer(cluster, broker, asked)


def ends_request(cluster: Cluster, broker: BrokerId, asked: PartitionToLead) -> bool:
    """Tell whether a partition makes the whole request end with an error.

    Rules: B-LIR-10.  Source: LazyOffsetCheckpoints.fetch.
    """
    if not finds_log_of_marked_directory(cluster, broker, asked.partition):
        return False
    return is_obeyed(cluster, broker, asked)


@rule
def abort_request(
    cluster: Cluster,
    broker: BrokerId,
    partitions: tuple[PartitionToLead, ...],
    creation: Creation,
) -> Iterator[tuple[Cluster, Answers]]:
    """Obey for the partitions that come before one which ends the request.

    Leaders come before followers, each in the order of a hash map, which is left open.
    No replica is marked offline; what was unknown stays as a placeholder without log
    and epoch.

    Rules: B-LIR-10.
    Source: ReplicaManager.makeLeaders, ReplicaManager.makeFollowers.
    """
    obeyed = [asked for asked in partitions if is_obeyed(cluster, broker, asked)]
    fatal = [asked for asked in obeyed if ends_request(cluster, broker, asked)]
    to_lead = [asked for asked in obeyed if asked.content.leader == broker]
    to_follow = [asked for asked in obeyed if asked not in to_lead]
    for asked in obeyed:
        cluster = hold_place(cluster, broker, asked.partition)
    for asked in to_lead:
        stopped = cluster.fetchers[broker][asked.partition].stop()
        cluster = cluster.evolve(fetchers={(broker, asked.partition): stopped})
    if any(asked in fatal for asked in to_lead):
        whole, cut = [], to_lead
    else:
        whole, cut = to_lead, to_follow
    before_the_end = [asked for asked in cut if asked not in fatal]
    for size in range(len(before_the_end) + 1):
        for done in combinations(before_the_end, size):
            for after in obey_in_vain(cluster, broker, (*whole, *done), creation):
                yield after, rejected(partitions)


def hold_place(cluster: Cluster, broker: BrokerId, partition: PartitionId) -> Cluster:
    """Have at least a placeholder of a replica.

    Rules: B-LIR-10.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    held = cluster.replicas[broker][partition].hold_place()
    return cluster.evolve(replicas={(broker, partition): held})


def obey_in_vain(
    cluster: Cluster,
    broker: BrokerId,
    partitions: tuple[PartitionToLead, ...],
    creation: Creation,
) -> list[Cluster]:
    """Lead or follow in a request that ends before fetchers and markers are set.

    Rules: B-LIR-10.
    Source: ReplicaManager.makeLeaders, ReplicaManager.makeFollowers.
    """
    outcomes = [cluster]
    for asked in partitions:
        at = (broker, asked.partition)
        fetcher = cluster.fetchers[broker][asked.partition]
        produces = cluster.produces[broker][asked.partition]
        outcomes = [
            unmarked(after, at).evolve(fetchers={at: fetcher}, produces={at: produces})
            for before in outcomes
            for after, _ in obey_for_partition(before, broker, asked, creation)
        ]
    return outcomes


def unmarked(cluster: Cluster, at: tuple[BrokerId, PartitionId]) -> Cluster:
    """Have a placeholder in the place of a marker.

    Rules: B-LIR-8, B-LIR-10.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    broker, partition = at
    if not cluster.replicas[broker][partition].is_offline():
        return cluster
    return cluster.evolve(replicas={at: Replica().hold_place()})


def rejected(asked: tuple[PartitionToLead, ...]) -> Answers:
    """The answer that is an error of the whole request."""
    return tuple(
        (partition_asked.partition, Answer.REJECTED) for partition_asked in asked
    )
