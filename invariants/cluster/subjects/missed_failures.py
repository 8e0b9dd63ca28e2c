"""Failures of directories that the controller must not miss."""

from __future__ import annotations

from replicheck.invariants.cluster.subjects.quiescence import is_controller
from replicheck.model.cluster.cells.channels import Answer
from replicheck.model.cluster.cells.controller.events import (
    BrokerChange,
    LogDirEventNotification,
)
from replicheck.model.cluster.cells.controller.tasks import (
    ListNotifications,
    OnBrokerStartup,
    ReadBrokers,
    StartReplicaStateMachine,
)
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def controller_learns_of_offline_replicas(
    cluster: Cluster, broker: BrokerId, controller: BrokerId, partition: PartitionId
) -> bool:
    """A replica marked offline is known to the controller, or going to be.

    There is a notification, or an event, request or answer on its way that tells, or
    the controller is going to ask. A broker that is not registered is going to be asked
    when it is. A broker from which the partition was moved away keeps its marker, of
    which the controller need not know. INV-24; holds.
    """
    if not cluster.replicas[broker][partition].is_offline():
        return True
    if not cluster.topic_nodes[partition].assigns(broker):
        return True
    if not cluster.broker_nodes[broker].is_present:
        return True
    if not cluster.handlers[broker].is_idle():
        return True
    if not is_controller(cluster, controller):
        return True
    if cluster.contexts[controller].holds_offline(broker, partition):
        return True
    return _is_going_to_ask(cluster, broker, controller) or _is_going_to_hear(
        cluster, broker, controller, partition
    )


def _is_going_to_ask(cluster: Cluster, broker: BrokerId, controller: BrokerId) -> bool:
    thread = cluster.threads[controller]
    if thread.has(StartReplicaStateMachine) or thread.has(OnBrokerStartup):
        return True
    epoch = cluster.broker_nodes[broker].live_epoch
    if not cluster.contexts[controller].knows_live(broker, epoch):
        return (
            thread.has(ReadBrokers)
            or cluster.event_queues[controller].has(BrokerChange())
            or cluster.watches[controller].has_fired(ZooKeeperPath.BROKER_IDS)
        )
    return (
        cluster.notifications.has(broker)
        and not thread.has(ListNotifications)
        and (
            cluster.watches[controller].has_fired(ZooKeeperPath.LOG_DIR_EVENTS)
            or cluster.event_queues[controller].has(LogDirEventNotification())
        )
    )


def _is_going_to_hear(
    cluster: Cluster, broker: BrokerId, controller: BrokerId, partition: PartitionId
) -> bool:
    if cluster.channels[controller][broker].asks_about(partition):
        return True
    if cluster.channels[controller][broker].is_answered_with(
        partition, Answer.STORAGE_ERROR
    ):
        return True
    return cluster.event_queues[controller].tells_of_storage_error(broker, partition)


SAFETY = (controller_learns_of_offline_replicas,)
