"""How a broker handles the failure of a log directory, in three steps.

Rules: B-LDF-1, B-LDF-2, B-LDF-3, B-DIR-1.  Source: ReplicaManager.handleLogDirFailure.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.processes import stop_process
from replicheck.model.cluster.broker.replica_roles import mark_offline
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def mark_replicas_offline(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """The handler stops fetching what is in the directory, and marks it offline.

    It begins at any time after the directory began to fail: when an access meets the
    error is left open.

    Rules: B-LDF-1, B-DIR-2, B-DIR-3.  Source: ReplicaManager.handleLogDirFailure.
    """
    if not may_begin(cluster, broker, directory):
        return
    for partition in cluster.bounds.partition_ids:
        replica = cluster.replicas[broker][partition]
        if replica.is_online() and replica.is_in_directory(directory):
            cluster = mark_failed(cluster, broker, partition)
    handler = cluster.handlers[broker].mark(directory)
    yield cluster.evolve(handlers={broker: handler})


@rule
def mark_failed(cluster: Cluster, broker: BrokerId, partition: PartitionId) -> Cluster:
    """Mark a replica offline; producers that wait at it are not answered.

    Rules: B-LDF-1, B-LDF-5.  Source: ReplicaManager.markPartitionOffline.
    """
    return mark_offline(cluster, broker, partition)


def may_begin(cluster: Cluster, broker: BrokerId, directory: DirectoryId) -> bool:
    """Tell whether the handler can take up a directory that fails."""
    if not cluster.directories[broker][directory].is_failing():
        return False
    if not cluster.processes[broker].is_running:
        return False
    return cluster.handlers[broker].is_idle()


def close_directory(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """The handler takes the directory out of use; without another the broker halts.

    Rules: B-LDF-2, B-DIR-1.  Source: LogManager.handleLogDirFailure.
    """
    if not cluster.handlers[broker].has_marked(directory):
        return
    remaining = [found for found in cluster.bounds.directory_ids if found != directory]
    directories = cluster.directories[broker]
    if all(directories[found].is_offline() for found in remaining):
        yield stop_process(cluster, broker)
        return
    yield take_out_of_use(cluster, broker, directory)


def take_out_of_use(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Cluster:
    """Close a directory, so that the notification is next."""
    offline = cluster.directories[broker][directory].go_offline()
    return cluster.evolve(
        directories={(broker, directory): offline},
        handlers={broker: cluster.handlers[broker].close()},
    )


def notify_controller(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """The handler creates a notification, and can take up the next directory.

    Rules: B-LDF-3, Z-LDE-1, Z-LDE-2.  Source: KafkaZkClient.propagateLogDirEvent.
    """
    if not cluster.handlers[broker].has_closed():
        return
    if cluster.processes[broker].is_cut_off:
        return
    cluster = fire_watches(cluster, ZooKeeperPath.LOG_DIR_EVENTS)
    yield cluster.evolve(
        notifications=cluster.notifications.create(broker),
        handlers={broker: cluster.handlers[broker].finish()},
    )


def lose_handler(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """The handler's thread ends, as its call of ZooKeeper meets an expired session.

    Neither this failure nor any later one of the process is reported.

    Rules: B-LDF-4, N-9.
    Source: ShutdownableThread.run, ZooKeeperClient.waitUntilConnected.
    """
    if not cluster.handlers[broker].has_closed():
        return
    if not cluster.processes[broker].is_cut_off:
        return
    yield cluster.evolve(handlers={broker: cluster.handlers[broker].die()})
