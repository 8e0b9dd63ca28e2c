"""What the active controller does with each event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from replicheck.model.cluster.cells.context import ControllerContext
from replicheck.model.cluster.cells.deletion_tasks import (
    ResumeDeletions,
)
from replicheck.model.cluster.cells.events import (
    BrokerChange,
    LeaderAndIsrResponseReceived,
    LogDirEventNotification,
    TopicChange,
)
from replicheck.model.cluster.cells.messages import Answer, Ask, PartitionToLead
from replicheck.model.cluster.cells.state_machines import PartitionState, ReplicaState
from replicheck.model.cluster.cells.tasks import (
    DeleteNotifications,
    InitializePartition,
    OnBrokerFailure,
    OnBrokerStartup,
    Task,
)
from replicheck.model.cluster.cells.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.election import (
    is_fenced,
    may_handle,
    resign,
)
from replicheck.model.cluster.controller.partition_states import elections_due
from replicheck.model.cluster.controller.reassignment_requests import reassignments_to
from replicheck.model.cluster.controller.replica_states import (
    forget_directories,
    replicas_become_offline,
    to_online,
)
from replicheck.model.cluster.controller.sending import (
    announce_live_brokers,
    epochs_of,
    send_metadata,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watching import fire_watches
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, PartitionId, ReplicaId

Epochs = tuple[BrokerEpoch | None, ...]


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
    found = [each for each in cluster.bounds.partition_ids if nodes[each].exists]
    created = [each for each in found if not context.knows_partition(each)]
    for partition in created:
        context = context.load_topic(partition, nodes[partition].replicas)
        context = context.with_partition(partition, PartitionState.NEW)
        for broker in context.assignment_of(partition):
            context = context.with_replica(broker, partition, ReplicaState.NEW)
    then = tuple(InitializePartition(each, each == created[-1]) for each in created)
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].begin(then)},
    )


def handle_broker_change(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller compares who is live with who was: new, bounced, dead brokers.

    The channels to bounced and dead brokers are emptied at once; then new brokers
    start, bounced ones fail and start, and dead ones fail, one after the other.

    Rules: C-BRK-1, C-BRK-4, N-3, Z-WATCH-1.
    Source: KafkaController.processBrokerChange.
    """
    if not may_handle(cluster, controller, BrokerChange):
        return
    known, current, cluster = read_broker_change(cluster, controller)
    came = [b for b, epoch in current.items() if epoch and not known[b]]
    went = frozenset(b for b, epoch in current.items() if known[b] and not epoch)
    bounced = [
        b for b, epoch in current.items() if has_bounced(cluster, known[b], epoch)
    ]
    tasks: list[Task] = []
    epochs = tuple(current.values())
    if came:
        tasks += [OnBrokerStartup(epochs_of(came, epochs))]
    if bounced:
        tasks += [OnBrokerFailure(frozenset(bounced))]
        tasks += [OnBrokerStartup(epochs_of(bounced, epochs))]
    if went:
        tasks += [OnBrokerFailure(went)]
    yield cluster.evolve(
        channels={
            (controller, each): cluster.channels[controller][each].clear()
            for each in (*bounced, *sorted(went))
        },
        threads={controller: cluster.threads[controller].begin(tuple(tasks))},
    )


def read_broker_change(
    cluster: Cluster, controller: BrokerId
) -> tuple[Epochs, dict[BrokerId, BrokerEpoch | None], Cluster]:
    """Take the event, and read who was live and who is; the watch is armed again."""
    watches = cluster.watches[controller].arm(ZooKeeperPath.BROKER_IDS)
    after = cluster.evolve(
        watches={controller: watches},
        event_queues={controller: cluster.event_queues[controller].pop()},
    )
    current = {
        each: cluster.broker_nodes[each].live_epoch
        for each in cluster.bounds.broker_ids
    }
    return cluster.contexts[controller].live, current, after


@rule
def has_bounced(
    cluster: Cluster, before: BrokerEpoch | None, after: BrokerEpoch | None
) -> bool:
    """Tell whether a broker that was live and is live registered in between.

    Rules: C-BRK-1.  Source: KafkaController.processBrokerChange.
    """
    return before is not None and after is not None and after > before


def on_broker_startup(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller tells brokers that came what there is, and asks what they have.

    What it knew of their directories is forgotten; the others are told first who is
    live. Then it tries to elect where a leader is missing.

    Rules: C-BRK-2, C-RSM-3, C-PSM-4.  Source: KafkaController.onBrokerStartup.
    """
    yield from start_brokers(cluster, controller, PartitionToLead)


def start_brokers(
    cluster: Cluster, controller: BrokerId, ask: Ask
) -> Iterator[Cluster]:
    """Tell brokers that came what there is, and make their replicas online."""
    if not cluster.threads[controller].is_at(OnBrokerStartup):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, OnBrokerStartup)
    came = tuple(broker for broker, _ in task.brokers)
    context = cluster.contexts[controller].add_brokers(task.brokers)
    context = forget_directories(cluster, context, frozenset(came))
    others = context.live_or_shutting_down - frozenset(came)
    cluster = announce_live_brokers(cluster, controller, context, others)
    cluster = send_metadata(cluster, controller, context, came, context.metadata)
    replicas = context.replicas_on(came)
    cluster = to_online(cluster, controller, context, replicas, ask)
    then = (
        *elections_due(context),
        *reassignments_to(context, came),
        *deletions_to_resume(cluster, context, replicas),
    )
    threads = {controller: cluster.threads[controller].finish(then)}
    yield cluster.evolve(threads=threads)


@rule
def deletions_to_resume(
    cluster: Cluster, context: ControllerContext, replicas: tuple[ReplicaId, ...]
) -> tuple[Task, ...]:
    """Return what is to be done for queued topics with replicas on brokers that came.

    Rules: C-BRK-2, C-DEL-7.  Source: TopicDeletionManager.resumeDeletionForTopics.
    """
    released = {partition for _, partition in replicas if context.is_queued(partition)}
    return (ResumeDeletions(tuple(sorted(released))),) if released else ()


def on_broker_failure(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller takes the replicas of brokers that went for offline.

    Rules: C-BRK-3, C-OFF-1, N-3.  Source: KafkaController.onBrokerFailure.
    """
    if not cluster.threads[controller].is_at(OnBrokerFailure):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, OnBrokerFailure)
    context = cluster.contexts[controller].remove_brokers(task.brokers)
    context = forget_directories(cluster, context, task.brokers)
    replicas = context.replicas_on(tuple(sorted(task.brokers)))
    for each, then in replicas_become_offline(cluster, controller, context, replicas):
        yield cluster.evolve(
            contexts={controller: each},
            threads={controller: cluster.threads[controller].finish(then)},
            channels={
                (controller, broker): cluster.channels[controller][broker].clear()
                for broker in sorted(task.brokers)
            },
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
        replicas = context.replicas_on(tuple(sorted({each.broker for each in nodes})))
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
    Nobody asks whether the answer is of the broker's current process.

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
        frozenset(each for each, answer in event.answers if answer is Answer.NONE),
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
        (broker, each) for each in refused if not context.holds_offline(broker, each)
    )
    for replica in found:
        context = context.mark_offline(*replica)
    if not found:
        yield cluster.evolve(contexts={controller: context})
        return
    for each, then in replicas_become_offline(cluster, controller, context, found):
        yield cluster.evolve(
            contexts={controller: each},
            threads={controller: cluster.threads[controller].begin(then)},
        )
