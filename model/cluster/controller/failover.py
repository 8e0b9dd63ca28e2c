"""What a new controller does, up to the point where it handles events.

Rules: C-INIT-1, C-INIT-2, C-INIT-3.
Source: KafkaController.onControllerFailover,
KafkaController.initializeControllerContext.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.state_machines import (
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.controller.tasks import (
    DeleteNotifications,
    ListNotifications,
    ReadBrokers,
    ReadPartitionState,
    ReadTopics,
    StartPartitionStateMachine,
    StartReplicaStateMachine,
    Task,
)
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.partitions.partition_states import (
    elections_due,
)
from replicheck.model.cluster.controller.partitions.replica_states import (
    isr_removals,
    to_online,
)
from replicheck.model.cluster.controller.sending import announce_live_brokers
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
    """A new controller reads who is live; it has forgotten every offline directory.

    Rules: C-INIT-1, C-INIT-2, C-INIT-3, C-CTX-2.
    Source: KafkaController.initializeControllerContext.
    """
    if not cluster.threads[controller].is_at(ReadBrokers):
        return
    brokers = cluster.bounds.broker_ids
    epochs = tuple(cluster.broker_nodes[broker].live_epoch for broker in brokers)
    watches = cluster.watches[controller].arm(ZooKeeperPath.BROKER_IDS)
    yield cluster.evolve(
        watches={controller: watches},
        contexts={controller: cluster.contexts[controller].set_live_brokers(epochs)},
        threads={controller: cluster.threads[controller].finish(())},
    )


def read_topics(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new controller reads the assignments of the topics that there are.

    Abstraction: Kafka reads one topic after the other.

    Rules: C-INIT-1, Z-ASG-1.
    Source: KafkaController.initializeControllerContext.
    """
    if not cluster.threads[controller].is_at(ReadTopics):
        return
    context = cluster.contexts[controller]
    for partition in cluster.bounds.partition_ids:
        assignment = cluster.topic_nodes[partition].assignment
        context = context.assign(partition, assignment)
        if assignment.is_changing:
            context = context.begin_reassignment(partition)
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
    task = cluster.threads[controller].task
    assert isinstance(task, ReadPartitionState)
    context = cluster.contexts[controller]
    if context.knows_partition(task.partition):
        content = cluster.partition_nodes[task.partition].content
        context = context.with_info(task.partition, content)
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

    Topics that are being deleted are no exception.

    Rules: C-INIT-1, C-INIT-2, C-RSM-1, C-NEW-2, C-DEL-8.
    Source: ReplicaStateMachine.startup.
    """
    if not cluster.threads[controller].is_at(StartReplicaStateMachine):
        return
    context = cluster.contexts[controller]
    cluster = announce_live_brokers(
        cluster, controller, context, context.live_or_shutting_down
    )
    replicas = context.replicas_on(context.broker_ids)
    online = [replica for replica in replicas if context.is_online(*replica)]
    dead = tuple(replica for replica in replicas if replica not in online)
    for replica in replicas:
        state = ReplicaState.ONLINE if replica in online else ReplicaState.INELIGIBLE
        context = context.with_replica(*replica, state)
    cluster = to_online(cluster, controller, context, online)
    for then in isr_removals(dead):
        threads = {controller: cluster.threads[controller].finish(then)}
        yield cluster.evolve(threads=threads)


def start_partition_state_machine(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A new controller sees which partitions lack a leader, and tries to elect.

    Rules: C-INIT-1, C-PSM-4.  Source: PartitionStateMachine.startup.
    """
    if not cluster.threads[controller].is_at(StartPartitionStateMachine):
        return
    context = cluster.contexts[controller]
    for partition in context.partition_ids:
        state = PartitionState.ONLINE
        if context.info_of(partition) is None:
            state = PartitionState.NEW
        elif context.lacks_online_leader(partition):
            state = PartitionState.OFFLINE
        context = context.with_partition(partition, state)
    then = elections_due(context)
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(then)},
    )
