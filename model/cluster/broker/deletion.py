"""How a broker deletes replicas at the controller's request."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.processes import forget_replica
from replicheck.model.cluster.cells.channels import Answer, Answers
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


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

    A replica in use whose log is not found may have it on an offline directory, which
    is an error; the partition is unknown from then on, so that another try goes well.
    On a failing directory the deletion can go wrong, with the same result.

    Rules: B-STOP-1, B-LDF-6, C-STOP-2, B-DIR-2.
    Source: ReplicaManager.stopReplica, Partition.delete, LogManager.asyncDelete.
    """
    replica = cluster.replicas[broker][partition]
    if replica.is_offline():
        yield cluster, Answer.STORAGE_ERROR
        return
    after = forget_replica(cluster, broker, partition)
    found = directories_with_log(cluster, broker, partition)
    if replica.is_online() and not found and has_offline_directory(cluster, broker):
        yield after, Answer.STORAGE_ERROR
        return
    directories = cluster.directories[broker]
    if any(directories[directory].is_failing() for directory in found):
        yield after, Answer.STORAGE_ERROR
    gone = {
        (broker, partition, directory): cluster.logs[broker][partition][
            directory
        ].delete()
        for directory in found
    }
    yield after.evolve(logs=gone), Answer.NONE


def directories_with_log(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> list[DirectoryId]:
    """The directories in use in which a broker has a log of a partition."""
    return [
        directory
        for directory in cluster.bounds.directory_ids
        if cluster.logs[broker][partition][directory].exists
        and not cluster.directories[broker][directory].is_offline()
    ]


def has_offline_directory(cluster: Cluster, broker: BrokerId) -> bool:
    """Tell whether a broker does not use all of its directories.

    Source: LogManager.offlineLogDirs.
    """
    return any(
        cluster.directories[broker][directory].is_offline()
        for directory in cluster.bounds.directory_ids
    )
