"""Log directories, and the replicas on them."""

from __future__ import annotations

from replicheck.model.cluster.broker.clients import (
    ClientError,
    client_error,
    offline_log_directory_count,
    offline_replica_count,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def broker_has_one_log_per_partition(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """No second copy is created while one is on an offline directory.

    INV-15, and what is left of INV-14 without a ghost; holds as long as no user puts an
    old disk back.
    """
    first, *others = cluster.bounds.directory_ids
    if not cluster.logs[broker][partition][first].exists:
        return True
    return not any(
        cluster.logs[broker][partition][directory].exists for directory in others
    )


def offline_replica_does_not_fetch(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """From the handler's first phase on nothing is done for it, nor for clients.

    INV-16; holds.
    """
    if not cluster.replicas[broker][partition].is_offline():
        return True
    if not cluster.fetchers[broker][partition].is_idle():
        return False
    return client_error(cluster, broker, partition) is ClientError.STORAGE_ERROR


def offline_replica_implies_failed_directory(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """A replica with a marker is on a directory that is not good (INV-17; holds).

    So OfflineReplicaCount above 0 means that some directory is offline, or about to be.
    """
    if not cluster.replicas[broker][partition].is_offline():
        return True
    return not all(
        cluster.directories[broker][directory].is_good()
        for directory in cluster.bounds.directory_ids
    )


def offline_replica_count_implies_offline_directory(
    cluster: Cluster, broker: BrokerId
) -> bool:
    """Metrics that show offline replicas show why, when the handler is done.

    A directory that fails while a log is created in it counts once that is handled.
    B-LDF-8; holds.
    """
    if not offline_replica_count(cluster, broker):
        return True
    if not cluster.handlers[broker].is_idle():
        return True
    directories = cluster.directories[broker]
    if any(
        directories[directory].is_failing()
        for directory in cluster.bounds.directory_ids
    ):
        return True
    return offline_log_directory_count(cluster, broker) > 0


def fetcher_fetches_from_replica_leader(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """A fetcher has the leader and the epoch of its replica (INV-26; holds)."""
    if cluster.fetchers[broker][partition].is_idle():
        return True
    if not cluster.replicas[broker][partition].is_online():
        return False
    fetcher = cluster.fetchers[broker][partition]
    if fetcher.leader == broker:
        return False
    return cluster.replicas[broker][partition].is_in(fetcher.leader, fetcher.epoch)


def running_broker_has_online_directory(cluster: Cluster, broker: BrokerId) -> bool:
    """A broker without a directory in use halts (type invariant; holds)."""
    if not cluster.processes[broker].is_running:
        return True
    return not all(
        cluster.directories[broker][directory].is_offline()
        for directory in cluster.bounds.directory_ids
    )


SAFETY = (
    broker_has_one_log_per_partition,
    offline_replica_does_not_fetch,
    offline_replica_implies_failed_directory,
    offline_replica_count_implies_offline_directory,
    fetcher_fetches_from_replica_leader,
    running_broker_has_online_directory,
)
