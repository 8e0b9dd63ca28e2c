"""From a change in ZooKeeper to an event of a controller.

Abstraction: the creation of ``/controller`` makes no event. In Kafka it leads to a
ControllerChange, which deposes none but those that the deletion before it deposed.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.events import (
    BrokerChange,
    Event,
    LogDirEventNotification,
    PartitionReassignmentIsrChange,
    Reelect,
    TopicChange,
    TopicDeletion,
    ZkPartitionReassignment,
)
from replicheck.model.cluster.cells.controller.isr_tasks import IsrChangeNotification
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.state import Cluster
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, PartitionId

EVENTS: dict[ZooKeeperPath, Event] = {
    ZooKeeperPath.CONTROLLER: Reelect(),
    ZooKeeperPath.BROKER_IDS: BrokerChange(),
    ZooKeeperPath.TOPICS: TopicChange(),
    ZooKeeperPath.LOG_DIR_EVENTS: LogDirEventNotification(),
    ZooKeeperPath.ISR_CHANGES: IsrChangeNotification(),
    ZooKeeperPath.DELETE_TOPICS: TopicDeletion(),
    ZooKeeperPath.REASSIGN_PARTITIONS: ZkPartitionReassignment(),
}


def fire_watches(cluster: Cluster, path: ZooKeeperPath) -> Cluster:
    """Fire every armed watch of a path that changes.

    Rules: Z-WATCH-1.  Source: ZooKeeperClient.ZooKeeperClientWatcher.
    """
    return cluster.evolve(
        watches={
            broker: cluster.watches[broker].fire(path)
            for broker in cluster.bounds.broker_ids
        }
    )


def store_partition_state(
    cluster: Cluster, partition: PartitionId, content: LeaderAndIsr
) -> Cluster:
    """Write leader and ISR, of which a controller that reassigns is notified.

    Rules: Z-STATE-1, Z-WATCH-1, C-REASG-3.
    Source: PartitionReassignmentIsrChangeHandler.
    """
    node = cluster.partition_nodes[partition].write(content)
    cluster = cluster.evolve(partition_nodes={partition: node})
    if not cluster.bounds.reassignments:
        return cluster
    brokers = cluster.bounds.broker_ids
    fired = {
        broker: cluster.watches[broker].fire_state(partition) for broker in brokers
    }
    return cluster.evolve(watches=fired)


def read_state(
    cluster: Cluster, controller: BrokerId, partition: PartitionId
) -> Cluster:
    """Read leader and ISR, which sets the watch again while the partition is moved.

    Rules: C-REASG-3, Z-WATCH-1.  Source: ZooKeeperClient.shouldWatch.
    """
    if not cluster.bounds.reassignments:
        return cluster
    watches = cluster.watches[controller].read_state(partition)
    return cluster.evolve(watches={controller: watches})


def deliver_state_watch(
    cluster: Cluster, controller: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A fired watch of a partition's state reaches its broker.

    Rules: Z-WATCH-1, C-REASG-3.  Source: PartitionReassignmentIsrChangeHandler.
    """
    if not cluster.watches[controller].has_fired_state(partition):
        return
    event = PartitionReassignmentIsrChange(partition)
    yield cluster.evolve(
        watches={controller: cluster.watches[controller].deliver_state(partition)},
        event_queues={controller: cluster.event_queues[controller].append(event)},
    )


def deliver_watch(
    cluster: Cluster, controller: BrokerId, path: ZooKeeperPath
) -> Iterator[Cluster]:
    """A fired watch reaches its broker, and puts an event at the end of the queue.

    Rules: Z-WATCH-1.  Source: ZNodeChildChangeHandler, ControllerEventManager.put.
    """
    if not cluster.watches[controller].has_fired(path):
        return
    yield cluster.evolve(
        watches={controller: cluster.watches[controller].deliver(path)},
        event_queues={
            controller: cluster.event_queues[controller].append(EVENTS[path])
        },
    )
