"""The whole state of the cluster, cell by cell, and the states in which runs begin."""

from __future__ import annotations

from typing import Any

from attrs import evolve, field, frozen

from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.cells.broker.clients import Acknowledged, DelayedProduces
from replicheck.model.cluster.cells.broker.disks import (
    LogDirFailureHandler,
    PreferredDirectory,
    StoredLog,
)
from replicheck.model.cluster.cells.broker.fetcher import Fetcher, Progress
from replicheck.model.cluster.cells.broker.process import MetadataCache
from replicheck.model.cluster.cells.channels import Channel, DuplicateRequests
from replicheck.model.cluster.cells.controller.batch import Batch
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.events import EventQueue, LateShutdowns
from replicheck.model.cluster.cells.controller.partition_context import PartitionContext
from replicheck.model.cluster.cells.controller.state_machines import (
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.controller.thread import Thread
from replicheck.model.cluster.cells.environment import Faults
from replicheck.model.cluster.cells.zookeeper.notifications import (
    ChangedPartitions,
    IsrChanges,
)
from replicheck.model.cluster.cells.zookeeper.topics import TopicNode
from replicheck.model.cluster.cells.zookeeper.watches import Watches
from replicheck.model.cluster.cells.zookeeper.znodes import (
    BrokerNode,
    ControllerNodes,
    LogDirNotifications,
    ZooKeeperPath,
)
from replicheck.model.rules import Replacements
from replicheck.model.shared.broker_process import Process
from replicheck.model.shared.committed import Committed
from replicheck.model.shared.leadership import Leadership
from replicheck.model.shared.log_directory import LogDirectory
from replicheck.model.shared.partition_node import LeaderAndIsr, PartitionNode
from replicheck.model.shared.replica import RemoteReplicas, Replica
from replicheck.model.state_base import Cells
from replicheck.model.vocabulary import (
    BrokerId,
    DirectoryId,
    Epoch,
    Offset,
    PartitionId,
    RecordId,
)


@frozen
class Cluster(Cells, Leadership):
    """The whole state.

    Families have one cell for each broker, or for each partition; ``channels`` one for
    each controller and broker, ``directories`` one for each broker and directory,
    ``replicas``, ``preferred``, ``remotes`` and ``fetchers`` one for each broker and
    partition, and ``logs`` one for each broker, partition and directory.
    """

    bounds: Bounds = field(eq=False)
    # ZooKeeper
    controller_nodes: ControllerNodes
    broker_nodes: tuple[BrokerNode, ...]
    topic_nodes: tuple[TopicNode, ...]
    partition_nodes: tuple[PartitionNode, ...]
    notifications: LogDirNotifications
    isr_changes: IsrChanges
    watches: tuple[Watches, ...]
    # each broker's controller
    event_queues: tuple[EventQueue, ...]
    threads: tuple[Thread, ...]
    contexts: tuple[ControllerContext, ...]
    batches: tuple[Batch, ...]
    channels: tuple[tuple[Channel, ...], ...]
    # brokers
    duplicate_requests: tuple[DuplicateRequests, ...]
    late_shutdowns: tuple[LateShutdowns, ...]
    processes: tuple[Process, ...]
    directories: tuple[tuple[LogDirectory, ...], ...]
    handlers: tuple[LogDirFailureHandler, ...]
    changed_partitions: tuple[ChangedPartitions, ...]
    logs: tuple[tuple[tuple[StoredLog, ...], ...], ...]
    preferred: tuple[tuple[PreferredDirectory, ...], ...]
    replicas: tuple[tuple[Replica, ...], ...]
    remotes: tuple[tuple[RemoteReplicas, ...], ...]
    fetchers: tuple[tuple[Fetcher, ...], ...]
    produces: tuple[tuple[DelayedProduces, ...], ...]
    metadata: tuple[MetadataCache, ...]
    # environment and ghosts
    next_record: RecordId
    committed: tuple[Committed, ...]
    acknowledged: tuple[Acknowledged, ...]
    faults: Faults
    replacements: Replacements = field(default=(), eq=False)

    def directory_of(self, broker: BrokerId, partition: PartitionId) -> DirectoryId:
        """The directory of the log of a replica that is online."""
        directory = self.replicas[broker][partition].directory
        assert directory is not None, "a replica that is online has a log"
        return directory


def without_topic(bounds: Bounds) -> Cluster:
    """All brokers run, and there is no topic yet.

    The controller is the last broker that topics are going to be assigned to.
    """
    partitions = bounds.partition_ids
    return Cluster(
        bounds=bounds,
        **_zookeeper(bounds),
        **_controllers(bounds),
        **_brokers(bounds),
        next_record=RecordId(0),
        committed=tuple(Committed() for _ in partitions),
        acknowledged=tuple(Acknowledged() for _ in partitions),
        faults=Faults(
            **{fault: getattr(bounds, fault) for fault in Faults.__annotations__}
        ),
    )


def _zookeeper(bounds: Bounds) -> dict[str, Any]:
    """ZooKeeper's cells where there is no topic, by their names."""
    brokers, partitions = bounds.broker_ids, bounds.partition_ids
    controller = _first_controller(bounds)
    each_path = frozenset(ZooKeeperPath)
    only_controller = frozenset({ZooKeeperPath.CONTROLLER})
    return {
        "controller_nodes": ControllerNodes(controller, bounds.first_controller_epoch),
        "broker_nodes": tuple(
            BrokerNode(True, bounds.first_broker_epoch) for _ in brokers
        ),
        "topic_nodes": tuple(TopicNode() for _ in partitions),
        "partition_nodes": tuple(PartitionNode() for _ in partitions),
        "notifications": LogDirNotifications(),
        "isr_changes": IsrChanges(),
        "watches": tuple(
            Watches(each_path if broker == controller else only_controller)
            for broker in brokers
        ),
    }


def _controllers(bounds: Bounds) -> dict[str, Any]:
    """The cells of each broker's controller, by their names."""
    brokers = bounds.broker_ids
    unknown = PartitionContext((ReplicaState.NON_EXISTENT,) * len(brokers))
    memory = ControllerContext(
        live=(None,) * len(brokers), partitions=(unknown,) * bounds.partitions
    )
    live = tuple(bounds.first_broker_epoch for _ in brokers)
    active = evolve(memory, live=live, epoch=bounds.first_controller_epoch)
    controller = _first_controller(bounds)
    return {
        "event_queues": tuple(EventQueue() for _ in brokers),
        "threads": tuple(Thread() for _ in brokers),
        "contexts": tuple(
            active if broker == controller else memory for broker in brokers
        ),
        "batches": tuple(Batch() for _ in brokers),
        "channels": tuple(tuple(Channel() for _ in brokers) for _ in brokers),
    }


def _brokers(bounds: Bounds) -> dict[str, Any]:
    """The cells of brokers that have no replica, by their names."""
    brokers, partitions = bounds.broker_ids, bounds.partition_ids
    directories = bounds.directory_ids
    process = Process(True, bounds.first_broker_epoch, bounds.first_controller_epoch)
    unknown = RemoteReplicas((None,) * len(brokers))
    live = frozenset(brokers) if bounds.metadata else frozenset()
    metadata = MetadataCache((None,) * len(partitions), live)
    return {
        "duplicate_requests": tuple(DuplicateRequests() for _ in brokers),
        "late_shutdowns": tuple(LateShutdowns() for _ in brokers),
        "processes": tuple(process for _ in brokers),
        "directories": tuple(
            tuple(LogDirectory() for _ in directories) for _ in brokers
        ),
        "changed_partitions": tuple(ChangedPartitions() for _ in brokers),
        "handlers": tuple(LogDirFailureHandler() for _ in brokers),
        "logs": tuple(
            tuple(tuple(StoredLog() for _ in directories) for _ in partitions)
            for _ in brokers
        ),
        "preferred": tuple(
            tuple(PreferredDirectory() for _ in partitions) for _ in brokers
        ),
        "replicas": tuple(tuple(Replica() for _ in partitions) for _ in brokers),
        "remotes": tuple(tuple(unknown for _ in partitions) for _ in brokers),
        "fetchers": tuple(tuple(Fetcher() for _ in partitions) for _ in brokers),
        "produces": tuple(
            tuple(DelayedProduces() for _ in partitions) for _ in brokers
        ),
        "metadata": tuple(metadata for _ in brokers),
    }


def _first_controller(bounds: Bounds) -> BrokerId:
    """The last broker that topics are assigned to: it is the controller."""
    return bounds.assignment[-1]


def with_topic(bounds: Bounds) -> Cluster:
    """Every topic was created: broker 0 leads, and all replicas are in sync.

    The logs of partition 0 are in directory 0, those of partition 1 in directory 1, and
    so on. Leader epoch and version are 0, and nothing is under way.
    """
    cluster = without_topic(bounds)
    content = LeaderAndIsr(
        bounds.assignment[0],
        Epoch(0),
        frozenset(bounds.assignment),
        bounds.first_controller_epoch,
        0,
    )
    for partition in bounds.partition_ids:
        directory = bounds.directory_ids[partition % bounds.directories]
        for broker in bounds.assignment:
            cluster = _with_replica(cluster, broker, partition, directory, content)
        cluster = cluster.evolve(
            topic_nodes={
                partition: cluster.topic_nodes[partition].create(bounds.assignment)
            },
            partition_nodes={partition: PartitionNode(content)},
        )
    context = _initial_context(cluster, content)
    cluster = cluster.evolve(contexts={bounds.assignment[-1]: context})
    if not bounds.metadata:
        return cluster
    told = {
        broker: known.update(known.live, context.metadata)
        for broker, known in zip(bounds.broker_ids, cluster.metadata, strict=True)
    }
    return cluster.evolve(metadata=told)


def _with_replica(
    cluster: Cluster,
    broker: BrokerId,
    partition: PartitionId,
    directory: DirectoryId,
    content: LeaderAndIsr,
) -> Cluster:
    """Let a broker lead or follow, with an empty log in a directory."""
    leader = content.leader
    assert leader is not None, "the first leader is there"
    at = (broker, partition)
    cluster = cluster.evolve(logs={(*at, directory): StoredLog(exists=True)})
    if broker != leader:
        return cluster.evolve(
            replicas={at: Replica().follow(content, directory)},
            fetchers={at: Fetcher(Progress.FETCHING, leader, content.epoch)},
        )
    ends = tuple(
        Offset(0) if follower in content.isr - {leader} else None
        for follower in cluster.bounds.broker_ids
    )
    return cluster.evolve(
        replicas={at: Replica().lead(leader, content, directory, Offset(0))},
        remotes={at: RemoteReplicas(ends)},
    )


def _initial_context(cluster: Cluster, content: LeaderAndIsr) -> ControllerContext:
    """The controller's memory: every partition and replica is online."""
    bounds = cluster.bounds
    context = cluster.contexts[bounds.assignment[-1]]
    for partition in bounds.partition_ids:
        context = context.load_topic(partition, bounds.assignment)
        context = context.with_partition(partition, PartitionState.ONLINE)
        context = context.with_info(partition, content)
        for broker in bounds.assignment:
            context = context.with_replica(broker, partition, ReplicaState.ONLINE)
    return context
