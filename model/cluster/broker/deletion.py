"""How a broker deletes replicas at the controller's request."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.processes import forget_replica
from replicheck.model.cluster.cells.channels import Answer, Answers
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, PartitionId


def delete_replicas(
    cluster: Cluster, broker: BrokerId, partitions: tuple[PartitionId, ...]
) -> Iterator[tuple[Cluster, Answers]]:
    """Delete one replica after the other, and answer for each."""
    outcomes: list[tuple[Cluster, Answers]] = [(cluster, ())]
    for partition in partitions:
        outcomes = [
            (after, (*answers, (partition, answer)))
            for before, answers in outcomes
            for after, answer in delete_replica(before, broker, partition)
        ]
    yield from outcomes


@rule
def delete_replica(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Iterator[tuple[Cluster, Answer]]:
    """Forget a replica and delete its log; one that is marked offline is kept.

    If the log's directory is failing, this can go wrong, after which the partition is
    unknown and the log still there.

    Rules: B-STOP-1, B-LDF-6, C-STOP-2, B-DIR-2.
    Source: ReplicaManager.stopReplica, LogManager.asyncDelete.
    """
    if cluster.replicas[broker][partition].is_offline():
        yield cluster, Answer.STORAGE_ERROR
        return
    after = forget_replica(cluster, broker, partition)
    directories = cluster.directories[broker]
    found = [
        directory
        for directory in cluster.bounds.directory_ids
        if cluster.logs[broker][partition][directory].exists
        and not directories[directory].is_offline()
    ]
    if any(directories[directory].is_failing() for directory in found):
        yield after, Answer.STORAGE_ERROR
    gone = {
        (broker, partition, directory): cluster.logs[broker][partition][
            directory
        ].delete()
        for directory in found
    }
    yield after.evolve(logs=gone), Answer.NONE
