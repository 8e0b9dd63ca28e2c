"""The whole state of the cluster, cell by cell, and the states in which runs begin."""

from __future__ import annotations

from attrs import evolve, field, frozen

from replicheck.model.cells import Cells
from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.cells.context import (
    ControllerContext,
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.disks import (
    LogDirectory,
    LogDirFailureHandler,
    StoredLog,
)
from replicheck.model.cluster.cells.environment import Committed, Faults
from replicheck.model.cluster.cells.messages import Batch, Channel
from replicheck.model.cluster.cells.replica import (
    Fetcher,
    MetadataCache,
    Process,
    Progress,
    RemoteReplicas,
    Replica,
)
from replicheck.model.cluster.cells.thread import EventQueue, Thread
from replicheck.model.cluster.cells.znodes import (
    BrokerNode,
    ControllerNodes,
    LeaderAndIsr,
    LogDirNotifications,
    PartitionNode,
    TopicNode,
    Watches,
    ZooKeeperPath,
)
from replicheck.model.vocabulary import (
    BrokerId,
    DirectoryId,
    Epoch,
    Offset,
    RecordId,
)


@frozen
class Cluster(Cells):
    """The whole state.

    Families have one cell for each broker; ``channels`` one for each controller and
    broker, ``directories`` and ``logs`` one for each broker and directory.
    """

    bounds: Bounds = field(eq=False)
    # ZooKeeper
    controller_nodes: ControllerNodes
    broker_nodes: tuple[BrokerNode, ...]
    topic_node: TopicNode
    partition_node: PartitionNode
    notifications: LogDirNotifications
    watches: tuple[Watches, ...]
    # each broker's controller
    event_queues: tuple[EventQueue, ...]
    threads: tuple[Thread, ...]
    contexts: tuple[ControllerContext, ...]
    batches: tuple[Batch, ...]
    channels: tuple[tuple[Channel, ...], ...]
    # brokers
    processes: tuple[Process, ...]
    directories: tuple[tuple[LogDirectory, ...], ...]
    handlers: tuple[LogDirFailureHandler, ...]
    logs: tuple[tuple[StoredLog, ...], ...]
    replicas: tuple[Replica, ...]
    remotes: tuple[RemoteReplicas, ...]
    fetchers: tuple[Fetcher, ...]
    metadata: tuple[MetadataCache, ...]
    # environment and ghosts
    next_record: RecordId
    committed: Committed
    faults: Faults

    def directory_of(self, broker: BrokerId) -> DirectoryId:
        """Return where a replica that is online has its log."""
        directory = self.replicas[broker].directory
        assert directory is not None, "a replica that is online has a log"
        return directory

    def leads_in(self, broker: BrokerId, epoch: Epoch | None) -> bool:
        """Tell whether a broker believes that it leads in an epoch."""
        if not self.replicas[broker].is_online():
            return False
        return self.replicas[broker].is_in(broker, epoch)

    def presumes_leadership(self, broker: BrokerId) -> bool:
        """Tell whether a broker believes that it leads, in whatever epoch."""
        if not self.replicas[broker].is_online():
            return False
        return self.replicas[broker].is_led_by(broker)


def without_topic(bounds: Bounds) -> Cluster:
    """All brokers run, the last one is the controller, and there is no topic yet."""
    brokers = bounds.broker_ids
    controller = brokers[-1]
    everyone = frozenset(brokers)
    first = bounds.first_broker_epoch
    first_controller = bounds.first_controller_epoch
    live = tuple(first for _ in brokers)
    memory = ControllerContext(
        live=(None,) * len(brokers),
        replicas=(ReplicaState.NON_EXISTENT,) * len(brokers),
    )
    active = evolve(memory, live=live, epoch=first_controller)
    each_path = frozenset(ZooKeeperPath)
    only_controller = frozenset({ZooKeeperPath.CONTROLLER})
    spending = {each: getattr(bounds, each) for each in Faults.__annotations__}
    return Cluster(
        bounds=bounds,
        controller_nodes=ControllerNodes(controller, first_controller),
        broker_nodes=tuple(BrokerNode(True, first) for _ in brokers),
        topic_node=TopicNode(),
        partition_node=PartitionNode(),
        notifications=LogDirNotifications(),
        watches=tuple(
            Watches(each_path if each == controller else only_controller)
            for each in brokers
        ),
        event_queues=tuple(EventQueue() for _ in brokers),
        threads=tuple(Thread() for _ in brokers),
        contexts=tuple(active if each == controller else memory for each in brokers),
        batches=tuple(Batch() for _ in brokers),
        channels=tuple(tuple(Channel() for _ in brokers) for _ in brokers),
        processes=tuple(Process(True, first, first_controller) for _ in brokers),
        directories=tuple(
            tuple(LogDirectory() for _ in bounds.directory_ids) for _ in brokers
        ),
        handlers=tuple(LogDirFailureHandler() for _ in brokers),
        logs=tuple(tuple(StoredLog() for _ in bounds.directory_ids) for _ in brokers),
        replicas=tuple(Replica() for _ in brokers),
        remotes=tuple(RemoteReplicas((None,) * len(brokers)) for _ in brokers),
        fetchers=tuple(Fetcher() for _ in brokers),
        metadata=tuple(
            MetadataCache(everyone) if bounds.metadata else MetadataCache()
            for _ in brokers
        ),
        next_record=RecordId(0),
        committed=Committed(),
        faults=Faults(**spending),
    )


def with_topic(bounds: Bounds) -> Cluster:
    """The topic was created: broker 0 leads, all are in sync, all logs in directory 0.

    Leader epoch and version are 0, and nothing is under way.
    """
    cluster = without_topic(bounds)
    brokers = bounds.broker_ids
    controller = brokers[-1]
    leader = brokers[0]
    directory = bounds.directory_ids[0]
    content = LeaderAndIsr(
        leader, Epoch(0), frozenset(brokers), bounds.first_controller_epoch, 0
    )
    context = evolve(
        cluster.contexts[controller],
        has_topic=True,
        partition=PartitionState.ONLINE,
        replicas=(ReplicaState.ONLINE,) * len(brokers),
        info=content,
    )
    return evolve(
        cluster,
        topic_node=TopicNode(True),
        partition_node=PartitionNode(content),
        contexts=tuple(
            context if each == controller else cluster.contexts[each]
            for each in brokers
        ),
        logs=tuple(
            tuple(StoredLog(exists=each == directory) for each in bounds.directory_ids)
            for _ in brokers
        ),
        replicas=tuple(
            Replica().lead(leader, content, directory, Offset(0))
            if each == leader
            else Replica().follow(content, directory)
            for each in brokers
        ),
        fetchers=tuple(
            Fetcher()
            if each == leader
            else Fetcher(Progress.FETCHING, leader, Epoch(0))
            for each in brokers
        ),
        remotes=tuple(
            cluster.remotes[each]
            if each != leader
            else RemoteReplicas(
                tuple(None if each == leader else Offset(0) for each in brokers)
            )
            for each in brokers
        ),
        metadata=tuple(
            each.update(each.live, context.metadata) if bounds.metadata else each
            for each in cluster.metadata
        ),
    )
