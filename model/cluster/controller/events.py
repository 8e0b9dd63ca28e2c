"""What the active controller does with each event but a change of brokers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from replicheck.model.cluster.cells.channels import Answer
from replicheck.model.cluster.cells.controller.events import (
    LeaderAndIsrResponseReceived,
    LogDirEventNotification,
    TopicChange,
)
from replicheck.model.cluster.cells.controller.state_machines import (
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.controller.tasks import (
    DeleteNotifications,
    InitializePartition,
)
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.controller_election import (
    is_fenced,
    may_handle,
    resign,
)
from replicheck.model.cluster.controller.partitions.replica_states import (
    replicas_become_offline,
    to_online,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, PartitionId


def handle_topic_change(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller learns of topics, and is to initialise their partitions.

    Rules: C-TOPIC-1, C-RSM-2, C-PSM-1, Z-WATCH-1.
    Source: KafkaController.processTopicChange, KafkaController.onNewPartitionCreation.
    """
    if not may_handle(cluster, controller, TopicChange):
        return
    watches = cluster.watches[controller].arm(ZooKeeperPath.TOPICS)
    cluster = cluster.evolve(
        watches={controller: watches},
        event_queues={controller: cluster.event_queues[controller].pop()},
    )
    context = cluster.contexts[controller]
    nodes = cluster.topic_nodes
    found = [
        partition
        for partition in cluster.bounds.partition_ids
        if nodes[partition].exists
    ]
    created = [
        partition for partition in found if not context.knows_partition(partition)
    ]
    for partition in created:
        context = context.load_topic(partition, nodes[partition].replicas)
        context = context.with_partition(partition, PartitionState.NEW)
        for broker in context.assignment_of(partition):
            context = context.with_replica(broker, partition, ReplicaState.NEW)
    then = tuple(
        InitializePartition(partition, partition == created[-1])
        for partition in created
    )
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].begin(then)},
    )


def handle_log_dir_event(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller asks each broker with a notification about all its replicas.

    It asks with the leader epoch that it has cached. The notifications that were read,
    and no others, are to be deleted afterwards.

    Rules: C-LDE-1, C-LDE-3, Z-LDE-1, Z-LDE-2, Z-LDE-3, Z-WATCH-1.
    Source: KafkaController.processLogDirEventNotification,
    KafkaController.onBrokerLogDirFailure, KafkaZkClient.getAllLogDirEventNotifications.
    """
    if not may_handle(cluster, controller, LogDirEventNotification):
        return
    watches = cluster.watches[controller].arm(ZooKeeperPath.LOG_DIR_EVENTS)
    cluster = cluster.evolve(
        watches={controller: watches},
        event_queues={controller: cluster.event_queues[controller].pop()},
    )
    nodes = cluster.notifications.nodes
    if nodes:
        then = (DeleteNotifications(nodes),)
        cluster = cluster.evolve(
            threads={controller: cluster.threads[controller].begin(then)}
        )
        context = cluster.contexts[controller]
        replicas = context.replicas_on(tuple(sorted({node.broker for node in nodes})))
        cluster = to_online(cluster, controller, context, replicas)
    yield cluster


def delete_notifications(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller deletes the notifications that it listed.

    Rules: Z-LDE-1, C-INIT-1, Z-FENCE-1.
    Source: KafkaZkClient.deleteLogDirEventNotifications.
    """
    if not cluster.threads[controller].is_at(DeleteNotifications):
        return
    if is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, DeleteNotifications)
    cluster = fire_watches(cluster, ZooKeeperPath.LOG_DIR_EVENTS)
    yield cluster.evolve(
        notifications=cluster.notifications.delete(task.nodes),
        threads={controller: cluster.threads[controller].finish(())},
    )


def handle_leader_and_isr_response(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The controller learns from an answer which replicas are on an offline directory.

    Only a storage error that is new leads to more; any other error is no information.
    It is not asked whether the answer is of the broker's current process.

    Rules: C-LIR-1, C-LIR-2, C-LIR-3, C-LIR-4, C-LDE-2, C-FENCE-3, C-OFF-1, N-8.
    Source: KafkaController.processLeaderAndIsrResponseReceived.
    """
    if not may_handle(cluster, controller, LeaderAndIsrResponseReceived):
        return
    event = cluster.event_queues[controller].head
    assert isinstance(event, LeaderAndIsrResponseReceived)
    queues = {controller: cluster.event_queues[controller].pop()}
    yield from learn_from(
        cluster.evolve(event_queues=queues),
        controller,
        event.broker,
        frozenset(
            partition for partition, answer in event.answers if answer is Answer.NONE
        ),
        [p for p, answer in event.answers if answer is Answer.STORAGE_ERROR],
    )


@rule
def learn_from(
    cluster: Cluster,
    controller: BrokerId,
    broker: BrokerId,
    healthy: Iterable[PartitionId],
    refused: Iterable[PartitionId],
) -> Iterator[Cluster]:
    """Remember which replicas of a broker are offline, and go on if any is newly so."""
    context = cluster.contexts[controller]
    for partition in healthy:
        context = context.mark_online(broker, partition)
    found = tuple(
        (broker, partition)
        for partition in refused
        if not context.holds_offline(broker, partition)
    )
    for replica in found:
        context = context.mark_offline(*replica)
    if not found:
        yield cluster.evolve(contexts={controller: context})
        return
    for learned, then in replicas_become_offline(cluster, controller, context, found):
        yield cluster.evolve(
            contexts={controller: learned},
            threads={controller: cluster.threads[controller].begin(then)},
        )
