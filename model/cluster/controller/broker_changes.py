"""What the active controller does when brokers come, go or bounce."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.channels import Ask, PartitionToLead
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.deletion_tasks import ResumeDeletions
from replicheck.model.cluster.cells.controller.events import BrokerChange
from replicheck.model.cluster.cells.controller.tasks import (
    OnBrokerFailure,
    OnBrokerStartup,
    Task,
)
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.controller_election import may_handle
from replicheck.model.cluster.controller.partitions.partition_states import (
    elections_due,
)
from replicheck.model.cluster.controller.partitions.replica_states import (
    forget_directories,
    replicas_become_offline,
    to_online,
)
from replicheck.model.cluster.controller.reassignment.reassignment_requests import (
    reassignments_to,
)
from replicheck.model.cluster.controller.sending import (
    announce_live_brokers,
    epochs_of,
    send_metadata,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, ReplicaId

Epochs = tuple[BrokerEpoch | None, ...]


def handle_broker_change(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller compares who is live with who was: new, bounced, dead brokers.

    The channels to bounced and dead brokers are emptied at once; then new brokers
    start, bounced ones fail and start, and dead ones fail, one after the other.

    Abstraction: what new brokers make it send to a bounced one, in the old epoch of
    that, is dropped when it fails. Kafka sends it, and the broker refuses it.

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
            (controller, broker): cluster.channels[controller][broker].clear()
            for broker in (*bounced, *sorted(went))
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
        broker: cluster.broker_nodes[broker].live_epoch
        for broker in cluster.bounds.broker_ids
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
    """Tasks for queued topics with replicas on brokers that came.

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
    for learned, then in replicas_become_offline(
        cluster, controller, context, replicas
    ):
        yield cluster.evolve(
            contexts={controller: learned},
            threads={controller: cluster.threads[controller].finish(then)},
            channels={
                (controller, broker): cluster.channels[controller][broker].clear()
                for broker in sorted(task.brokers)
            },
        )
