"""How the controller learns of ISRs that leaders stored.

Rules: Z-ISRN-1.  Source: KafkaController.processIsrChangeNotification.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.isr_tasks import (
    IsrChangeNotification,
    ListIsrChanges,
    TellIsrChanges,
)
from replicheck.model.cluster.cells.controller.tasks import ReadPartitionState, Task
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.controller_election import (
    is_fenced,
    may_handle,
    resign,
)
from replicheck.model.cluster.controller.sending import send_metadata
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.vocabulary import BrokerId, PartitionId


def handle_isr_change_notification(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The controller is to read the state of partitions again, and tell all brokers.

    What it had cached is overwritten, also if its epoch is newer.

    Rules: Z-ISRN-1, C-CTX-3, Z-WATCH-1.
    Source: KafkaController.processIsrChangeNotification.
    """
    if not may_handle(cluster, controller, IsrChangeNotification):
        return
    cluster = cluster.evolve(
        watches={
            controller: cluster.watches[controller].arm(ZooKeeperPath.ISR_CHANGES)
        },
        event_queues={controller: cluster.event_queues[controller].pop()},
    )
    nodes = cluster.isr_changes.nodes
    if nodes:
        changed = sorted({partition for node in nodes for partition in node.partitions})
        reads = (ReadPartitionState(partition) for partition in changed)
        then: tuple[Task, ...] = (*reads, TellIsrChanges(nodes, frozenset(changed)))
        cluster = cluster.evolve(
            threads={controller: cluster.threads[controller].begin(then)}
        )
    yield cluster


def list_isr_changes(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new controller lists the ISR notifications, to delete them unread.

    Rules: C-INIT-1, Z-ISRN-1, Z-WATCH-1.
    Source: KafkaZkClient.deleteIsrChangeNotifications.
    """
    if not cluster.threads[controller].is_at(ListIsrChanges):
        return
    watches = cluster.watches[controller].arm(ZooKeeperPath.ISR_CHANGES)
    nodes = cluster.isr_changes.nodes
    then: tuple[Task, ...] = (TellIsrChanges(nodes, frozenset()),) if nodes else ()
    yield cluster.evolve(
        watches={controller: watches},
        threads={controller: cluster.threads[controller].finish(then)},
    )


def tell_isr_changes(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller tells all brokers what it read, and deletes the notifications.

    Rules: Z-ISRN-1, Z-FENCE-1.  Source: KafkaController.processIsrChangeNotification,
    KafkaZkClient.deleteIsrChangeNotifications.
    """
    if not cluster.threads[controller].is_at(TellIsrChanges):
        return
    if is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, TellIsrChanges)
    cluster = _tell(cluster, controller, task.partitions)
    cluster = fire_watches(cluster, ZooKeeperPath.ISR_CHANGES)
    yield cluster.evolve(
        isr_changes=cluster.isr_changes.delete(task.nodes),
        threads={controller: cluster.threads[controller].finish(())},
    )


def _tell(
    cluster: Cluster, controller: BrokerId, partitions: frozenset[PartitionId]
) -> Cluster:
    if not partitions:
        return cluster
    context = cluster.contexts[controller]
    said = tuple(
        context.metadata_of(partition) if partition in partitions else None
        for partition in cluster.bounds.partition_ids
    )
    brokers = context.live_or_shutting_down
    return send_metadata(cluster, controller, context, brokers, said)
