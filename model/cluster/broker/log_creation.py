"""Where a broker finds the log of a replica, or creates it."""

from __future__ import annotations

from collections.abc import Callable

from replicheck.model.cluster.cells.channels import PartitionToLead
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId

Creation = Callable[[Cluster, BrokerId, PartitionToLead], DirectoryId | None]


def directory_for_new_log(
    cluster: Cluster, broker: BrokerId, asked: PartitionToLead
) -> DirectoryId | None:
    """The directory in which to create the log; None is a storage error.

    A replica that the controller does not call new is only created if no directory is
    offline: it might be on that directory. Creation on a failing directory meets the
    error, and the next directory is tried.

    Of several the one with the fewest logs is taken; if an operator named one,
    no other is.

    Rules: B-NEW-1, B-NEW-3, B-START-6.  Source: LogManager.getOrCreateLog.
    """
    directories = cluster.directories[broker]
    ids = cluster.bounds.directory_ids
    offline = [directory for directory in ids if directories[directory].is_offline()]
    if offline and not asked.is_new:
        return None
    preferred = cluster.preferred[broker][asked.partition]
    allowed = [directory for directory in ids if preferred.allows(directory)]
    good = [directory for directory in allowed if directories[directory].is_good()]
    return min(
        good, key=lambda directory: _logs_in(cluster, broker, directory), default=None
    )


def _logs_in(cluster: Cluster, broker: BrokerId, directory: DirectoryId) -> int:
    every = cluster.bounds.partition_ids
    return sum(cluster.logs[broker][partition][directory].exists for partition in every)


def finds_log_of_marked_directory(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a replica's log is found where the failure handler is half done.

    The handler has forgotten the directory's high watermarks then, and not closed the
    directory yet. That aborts the whole request; what was unknown stays as a
    placeholder without log and epoch.

    Rules: B-LIR-10, X-7.  Source: Partition.createLog, LazyOffsetCheckpoints.fetch.
    """
    if cluster.handlers[broker].has_marked_none():
        return False
    if not cluster.replicas[broker][partition].lacks_log():
        return False
    return any(
        cluster.handlers[broker].has_marked(directory)
        and cluster.logs[broker][partition][directory].exists
        for directory in cluster.bounds.directory_ids
    )


def find_or_create_log(
    cluster: Cluster, broker: BrokerId, asked: PartitionToLead, creation: Creation
) -> tuple[Cluster, DirectoryId | None]:
    """The directory of the log, which is created if no directory in use has it.

    Rules: B-NEW-1, B-NEW-2.  Source: LogManager.getOrCreateLog.
    """
    partition = asked.partition
    for directory in cluster.bounds.directory_ids:
        if not cluster.logs[broker][partition][directory].exists:
            continue
        if not cluster.directories[broker][directory].is_offline():
            return cluster, directory
    chosen = creation(cluster, broker, asked)
    if chosen is None:
        return cluster, None
    created = cluster.evolve(
        logs={
            (broker, partition, chosen): cluster.logs[broker][partition][
                chosen
            ].create()
        },
        preferred={(broker, partition): cluster.preferred[broker][partition].forget()},
    )
    return created, chosen
