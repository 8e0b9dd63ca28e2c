"""From a change in ZooKeeper to an event of a controller.

Abstraction: the creation of ``/controller`` makes no event. In Kafka it leads to a
ControllerChange, which deposes nobody who is not deposed by the deletion before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.thread import (
    BrokerChange,
    Event,
    LogDirEventNotification,
    Reelect,
    TopicChange,
    TopicDeletion,
)
from replicheck.model.cluster.cells.znodes import ZooKeeperPath
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId

EVENTS: dict[ZooKeeperPath, Event] = {
    ZooKeeperPath.CONTROLLER: Reelect(),
    ZooKeeperPath.BROKER_IDS: BrokerChange(),
    ZooKeeperPath.TOPICS: TopicChange(),
    ZooKeeperPath.LOG_DIR_EVENTS: LogDirEventNotification(),
    ZooKeeperPath.DELETE_TOPICS: TopicDeletion(),
}


def fire_watches(cluster: Cluster, path: ZooKeeperPath) -> Cluster:
    """Fire every armed watch of a path that changes.

    Rules: Z-WATCH-1.  Source: ZooKeeperClient.ZooKeeperClientWatcher.
    """
    return cluster.evolve(
        watches={
            each: cluster.watches[each].fire(path) for each in cluster.bounds.broker_ids
        }
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
