"""How a broker obeys a LeaderAndIsr request.

Abstraction: all partitions of a request are dealt with in one step, in the order of
their ids, while the lock keeps other requests and the failure handler out.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.aborted_requests import (
    abort_request,
    ends_request,
    rejected,
)
from replicheck.model.cluster.broker.log_creation import Creation, directory_for_new_log
from replicheck.model.cluster.broker.replica_roles import obey_for_partition
from replicheck.model.cluster.broker.requests import (
    is_due,
    is_stale,
    reply,
    see_controller,
)
from replicheck.model.cluster.cells.channels import (
    Answers,
    LeaderAndIsrRequest,
    PartitionToLead,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId


def handle_leader_and_isr(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The broker leads or follows in a newer epoch, or answers why it does not.

    Rules: B-CHK-1, B-CHK-2, B-LIR-1, B-LIR-2, B-LIR-4, B-LDF-6, B-START-7.
    Source: ReplicaManager.becomeLeaderOrFollower.
    """
    yield from obey(cluster, controller, broker)


def obey(
    cluster: Cluster,
    controller: BrokerId,
    broker: BrokerId,
    creation: Creation = directory_for_new_log,
) -> Iterator[Cluster]:
    """Check the request, and become leader or follower of each partition in it."""
    if not is_due(cluster, controller, broker, LeaderAndIsrRequest):
        return
    request = cluster.channels[controller][broker].head
    assert isinstance(request, LeaderAndIsrRequest)
    if waits_for_lock(cluster, broker, request):
        return
    found = answers_to(cluster, broker, request, creation)
    for after, answers in found:
        yield reply(after, controller, broker, answers)


def waits_for_lock(
    cluster: Cluster, broker: BrokerId, request: LeaderAndIsrRequest
) -> bool:
    """Tell whether a partition of a request is locked by a write to ZooKeeper.

    Rules: B-CHK-3.  Source: Partition.leaderIsrUpdateLock.
    """
    asked = [asked.partition for asked in request.partitions]
    return any(cluster.replicas[broker][partition].is_locked() for partition in asked)


def answers_to(
    cluster: Cluster,
    broker: BrokerId,
    request: LeaderAndIsrRequest,
    creation: Creation = directory_for_new_log,
) -> Iterator[tuple[Cluster, Answers]]:
    """Yield what can become of a broker by a request, with its answers.

    Rules: B-CHK-1, B-CHK-2, B-LIR-10.  Source: ReplicaManager.becomeLeaderOrFollower.
    """
    asked = request.partitions
    if is_stale(cluster, broker, request):
        yield cluster, rejected(asked)
        return
    cluster = see_controller(cluster, broker, request)
    if any(ends_request(cluster, broker, partition_asked) for partition_asked in asked):
        yield from abort_request(cluster, broker, asked, creation)
        return
    yield from answers_of(cluster, broker, asked, creation)


def answers_of(
    cluster: Cluster,
    broker: BrokerId,
    asked: tuple[PartitionToLead, ...],
    creation: Creation,
) -> Iterator[tuple[Cluster, Answers]]:
    """Yield what can become of a broker by partitions that are obeyed, with answers."""
    outcomes: list[tuple[Cluster, Answers]] = [(cluster, ())]
    for partition_asked in asked:
        outcomes = [
            (after, (*answers, (partition_asked.partition, answer)))
            for before, answers in outcomes
            for after, answer in obey_for_partition(
                before, broker, partition_asked, creation
            )
        ]
    yield from outcomes
