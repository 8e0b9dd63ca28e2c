"""What a new controller does, up to the point where it handles events.

Rules: C-INIT-1, C-INIT-2, C-INIT-3.
Source: KafkaController.onControllerFailover, initializeControllerContext.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from replicheck.model.cluster.cells.context import PartitionState, ReplicaState
from replicheck.model.cluster.cells.thread import (
    DeleteNotifications,
    ListNotifications,
    ReadBrokers,
    ReadForIsrRemoval,
    ReadPartitionState,
    ReadTopics,
    StartPartitionStateMachine,
    StartReplicaStateMachine,
    Task,
)
from replicheck.model.cluster.cells.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.partition_states import elections_due
from replicheck.model.cluster.controller.replica_states import to_online
from replicheck.model.cluster.controller.sending import epochs_of, send_metadata
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId


def list_notifications(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new controller lists the directory notifications, to delete them unread.

    Rules: C-INIT-1, Z-LDE-1, Z-WATCH-1.
    Source: KafkaZkClient.deleteLogDirEventNotifications.
    """
    if not cluster.threads[controller].is_at(ListNotifications):
        return
    watches = cluster.watches[controller].arm(ZooKeeperPath.LOG_DIR_EVENTS)
    nodes = cluster.notifications.nodes
    then: tuple[Task, ...] = (DeleteNotifications(nodes),) if nodes else ()
    yield cluster.evolve(
        watches={controller: watches},
        threads={controller: cluster.threads[controller].finish(then)},
    )


def read_brokers(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new controller reads who is live, and knows of no offline directory.

    Rules: C-INIT-1, C-INIT-2, C-INIT-3, C-CTX-2.
    Source: KafkaController.initializeControllerContext.
    """
    if not cluster.threads[controller].is_at(ReadBrokers):
        return
    brokers = cluster.bounds.broker_ids
    epochs = tuple(cluster.broker_nodes[each].live_epoch for each in brokers)
    live = epochs_of(brokers, epochs)
    watches = cluster.watches[controller].arm(ZooKeeperPath.BROKER_IDS)
    yield cluster.evolve(
        watches={controller: watches},
        contexts={controller: cluster.contexts[controller].add_brokers(live)},
        threads={controller: cluster.threads[controller].finish(())},
    )


def read_topics(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new controller reads the assignment, if the topic exists.

    Rules: C-INIT-1, Z-ASG-1.
    Source: KafkaController.initializeControllerContext.
    """
    if not cluster.threads[controller].is_at(ReadTopics):
        return
    context = cluster.contexts[controller]
    if cluster.topic_node.exists:
        context = context.load_topic()
    watches = cluster.watches[controller].arm(ZooKeeperPath.TOPICS)
    yield cluster.evolve(
        watches={controller: watches},
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(())},
    )


def read_partition_state(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new controller caches leader and ISR of a partition that it knows.

    Rules: C-INIT-1, C-CTX-3.  Source: KafkaController.updateLeaderAndIsrCache.
    """
    if not cluster.threads[controller].is_at(ReadPartitionState):
        return
    context = cluster.contexts[controller]
    if context.has_topic:
        context = context.with_info(cluster.partition_node.content)
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(())},
    )


def start_replica_state_machine(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A new controller announces the brokers, and asks all about their replicas.

    Replicas on live brokers are online until an answer says otherwise; the others are
    taken out of the ISR, in an order that is left open.

    Rules: C-INIT-1, C-INIT-2, C-RSM-1, C-NEW-2.  Source: ReplicaStateMachine.startup.
    """
    if not cluster.threads[controller].is_at(StartReplicaStateMachine):
        return
    context = cluster.contexts[controller]
    cluster = send_metadata(
        cluster, controller, context, context.live_brokers, partition=None
    )
    if not context.has_topic:
        threads = {controller: cluster.threads[controller].finish(())}
        yield cluster.evolve(threads=threads)
        return
    online = context.online_replicas
    dead = [each for each in context.broker_ids if each not in online]
    for each in context.broker_ids:
        state = ReplicaState.ONLINE if each in online else ReplicaState.INELIGIBLE
        context = context.with_replica(each, state)
    cluster = to_online(cluster, controller, context, online)
    for order in permutations(dead):
        then: tuple[Task, ...] = (ReadForIsrRemoval(order),) if order else ()
        threads = {controller: cluster.threads[controller].finish(then)}
        yield cluster.evolve(threads=threads)


def start_partition_state_machine(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A new controller sees which partition lacks a leader, and tries to give it one.

    Rules: C-INIT-1, C-PSM-4.  Source: PartitionStateMachine.startup.
    """
    if not cluster.threads[controller].is_at(StartPartitionStateMachine):
        return
    context = cluster.contexts[controller]
    if context.has_topic:
        if context.info is None:
            context = context.with_partition(PartitionState.NEW)
        elif context.lacks_online_leader():
            context = context.with_partition(PartitionState.OFFLINE)
        else:
            context = context.with_partition(PartitionState.ONLINE)
    then = elections_due(context)
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(then)},
    )
