"""How a broker stops a replica: it is told to, or the directory fails."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.fetchers.fetcher_manager import (
    remove_fetcher_for_partitions,
    shutdown_idle_fetcher_threads,
)
from replicheck.model.fetching.log_moves.checkpoint_files import without_future_log
from replicheck.model.fetching.state import Brokers, FetcherManager
from replicheck.model.vocabulary import BrokerId, PartitionId


def handle_log_dir_failure(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The handler stops fetching what is in a failing directory, and marks it offline.

    Abstraction: one step for each partition of the directory.

    Rules: B-DIR-1, F-FAIL-3, F-FAIL-6.  Source: ReplicaManager.handleLogDirFailure.
    """
    if not cluster.directory_of(broker, partition).is_failing():
        return
    if not cluster.replicas[broker][partition].is_online():
        return
    if not cluster.handlers[broker].is_idle():
        return
    for manager in FetcherManager:
        cluster = remove_fetcher_for_partitions(cluster, broker, partition, manager)
    yield mark_partition_offline(cluster, broker, partition)


def mark_partition_offline(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Brokers:
    """Forget the partition, and refuse every request for it from now on.

    Rules: B-DIR-1.  Source: ReplicaManager.markPartitionOffline.
    """
    marked = cluster.replicas[broker][partition].mark_offline()
    unknown = cluster.remotes[broker][partition].forget()
    return cluster.evolve(
        replicas={(broker, partition): marked},
        remotes={(broker, partition): unknown},
    )


def stop_replica(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A StopReplica request comes, which keeps replica, epoch and log.

    Rules: B-STOP-1, F-FAIL-3, F-MGR-4.  Source: ReplicaManager.stopReplicas.
    """
    if not can_stop(cluster, broker, partition):
        return
    cluster = cluster.evolve(faults=cluster.faults.spend("stops"))
    yield stop_fetching(cluster, broker, partition)


def stop_and_delete_replica(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A StopReplica request comes, which deletes replica and log.

    The controller took the replica out of the ISR before, in a newer epoch.

    Rules: B-STOP-1, F-FAIL-3, F-MGR-4.  Source: ReplicaManager.stopReplica.
    """
    if not can_delete(cluster, broker, partition):
        return
    cluster = cluster.evolve(faults=cluster.faults.spend("stops"))
    cluster = stop_fetching(cluster, broker, partition)
    yield delete(cluster, broker, partition)


def can_stop(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> bool:
    """Tell whether a StopReplica request can come, and find the replica.

    Rules: B-STOP-1.  Source: ReplicaManager.stopReplicas.
    """
    if not cluster.faults.allow("stops"):
        return False
    if not cluster.handlers[broker].is_idle():
        return False
    return cluster.replicas[broker][partition].is_online()


def can_delete(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> bool:
    """Tell whether a StopReplica request can come, and delete the replica."""
    if cluster.partition_nodes[partition].counts_in_sync(broker):
        return False
    content = cluster.partition_nodes[partition].content
    assert content is not None, "every partition was initialised"
    if not cluster.replicas[broker][partition].is_behind(content.epoch):
        return False
    return can_stop(cluster, broker, partition)


def stop_fetching(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Brokers:
    """Stop fetching and moving a partition, and end the threads that are idle.

    Rules: B-STOP-1, F-MGR-4.  Source: ReplicaManager.stopReplicas.
    """
    for manager in FetcherManager:
        cluster = remove_fetcher_for_partitions(cluster, broker, partition, manager)
    return shutdown_idle_fetcher_threads(cluster, broker)


def delete(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> Brokers:
    """Forget a replica with its epoch, and delete its logs; checkpoints stay.

    Rules: B-STOP-1.  Source: ReplicaManager.stopReplica.
    """
    log = cluster.logs[broker][partition]
    gone = log.begone() if cluster.bounds.failed_creations else log.delete()
    stored = cluster.future_logs[broker][partition].stored_high_watermark
    return cluster.evolve(
        replicas={(broker, partition): cluster.replicas[broker][partition].forget()},
        remotes={(broker, partition): cluster.remotes[broker][partition].forget()},
        logs={(broker, partition): gone},
        future_logs={(broker, partition): without_future_log(cluster, stored)},
    )
