"""What happens to a cluster from outside, each kind at most so often."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.processes import (
    delete_ephemeral_nodes,
    stop_process,
)
from replicheck.model.cluster.cells.broker.clients import Acknowledged
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.shared.committed import Committed
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def create_topic(cluster: Cluster, partition: PartitionId) -> Iterator[Cluster]:
    """An administrator creates the topic of a partition, also anew after a deletion.

    Whether there is a marker left of the deletion is not asked. What was committed in
    the topic of before does not count any more.

    Rules: Z-ASG-1.  Source: AdminZkClient.createTopic.
    """
    if cluster.topic_nodes[partition].exists:
        return
    if cluster.topic_nodes[partition].was_deleted:
        if not cluster.faults.allow("topic_recreations"):
            return
        cluster = cluster.evolve(
            faults=cluster.faults.spend("topic_recreations"),
            committed={partition: Committed()},
            acknowledged={partition: Acknowledged()},
        )
    cluster = fire_watches(cluster, ZooKeeperPath.TOPICS)
    node = cluster.topic_nodes[partition].create(cluster.bounds.assignment)
    yield cluster.evolve(topic_nodes={partition: node})


def fail_directory(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """Accesses to a log directory fail from now on.

    A process that runs learns of it by an access; the next one finds it offline.

    Rules: B-DIR-1, B-DIR-2.  Source: LogDirFailureChannel.maybeAddOfflineLogDir.
    """
    if not cluster.faults.allow("directory_failures"):
        return
    if not cluster.directories[broker][directory].is_good():
        return
    failed = cluster.directories[broker][directory].fail()
    if not cluster.processes[broker].is_running:
        failed = failed.go_offline()
    yield cluster.evolve(
        faults=cluster.faults.spend("directory_failures"),
        directories={(broker, directory): failed},
    )


def prefer_directory(
    cluster: Cluster, broker: BrokerId, partition: PartitionId, directory: DirectoryId
) -> Iterator[Cluster]:
    """An operator says where a broker is to create a log that does not exist yet.

    The directory must not be offline then; whether it is good when the log is created
    is another matter.

    Rules: B-NEW-1.
    Source: ReplicaManager.alterReplicaLogDirs, LogManager.maybeUpdatePreferredLogDir.
    """
    if not cluster.faults.allow("preferred_directories"):
        return
    if not cluster.processes[broker].is_running:
        return
    if not cluster.replicas[broker][partition].is_unknown():
        return
    if cluster.directories[broker][directory].is_offline():
        return
    preferred = cluster.preferred[broker][partition].set(directory)
    yield cluster.evolve(
        faults=cluster.faults.spend("preferred_directories"),
        preferred={(broker, partition): preferred},
    )


def replace_directory(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """An operator puts an empty disk in the place of a failed one.

    The broker must be off.

    Rules: B-DIR-1, B-START-6.  Source: KIP-112, scenario 4.
    """
    if not cluster.faults.allow("replacements"):
        return
    if not cluster.directories[broker][directory].is_offline():
        return
    if cluster.processes[broker].is_running:
        return
    yield cluster.evolve(
        faults=cluster.faults.spend("replacements"),
        directories={
            (broker, directory): cluster.directories[broker][directory].replace()
        },
        logs={
            (broker, partition, directory): cluster.logs[broker][partition][
                directory
            ].delete()
            for partition in cluster.bounds.partition_ids
        },
    )


def crash(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A broker's process ends without notice; its session lives on for a while.

    Rules: Z-IDS-2.  Source: KafkaServer.
    """
    if not cluster.faults.allow("crashes"):
        return
    if not cluster.processes[broker].is_running:
        return
    cluster = stop_process(cluster, broker)
    yield cluster.evolve(faults=cluster.faults.spend("crashes"))


def expire_session(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """The session of a broker expires that runs on, cut off from ZooKeeper.

    A leader leads on, and a controller's requests are still delivered. Watches that
    were set in the session are no more.

    Rules: Z-IDS-2, N-7, N-9, N-6.  Source: ZooKeeperClient.ZooKeeperClientWatcher.
    """
    if not cluster.faults.allow("session_expiries"):
        return
    if not cluster.processes[broker].is_running:
        return
    if not cluster.broker_nodes[broker].is_present:
        return
    cluster = delete_ephemeral_nodes(cluster, broker)
    yield cluster.evolve(
        faults=cluster.faults.spend("session_expiries"),
        processes={broker: cluster.processes[broker].lose_session()},
        threads={broker: cluster.threads[broker].lose_session()},
        watches={broker: cluster.watches[broker].clear()},
    )


def move_controller(cluster: Cluster) -> Iterator[Cluster]:
    """An operator deletes ``/controller``; the deposed controller does not know yet.

    Rules: N-6, C-FENCE-1.  Source: KafkaController.processReelect.
    """
    if not cluster.faults.allow("controller_moves"):
        return
    if cluster.controller_nodes.is_absent():
        return
    cluster = fire_watches(cluster, ZooKeeperPath.CONTROLLER)
    yield cluster.evolve(
        faults=cluster.faults.spend("controller_moves"),
        controller_nodes=cluster.controller_nodes.delete(),
    )
