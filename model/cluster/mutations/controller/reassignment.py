"""Mutations of the reassignment of partitions."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.events import (
    PartitionReassignmentIsrChange,
)
from replicheck.model.cluster.cells.controller.reassignment_tasks import WriteAssignment
from replicheck.model.cluster.controller.controller_election import may_handle
from replicheck.model.cluster.controller.reassignment import reassignment
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, PartitionId


def take_it_for_complete(
    cluster: Cluster, context: ControllerContext, partition: PartitionId
) -> bool:
    """Replicas are removed whoever is in sync (C-REASG-1)."""
    return True


def forget_who_leaves_before_they_left(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The target is stored as the assignment before anything else (M-34, C-REASG-4)."""
    for after in reassignment.check_reassignment(cluster, controller):
        tasks = after.threads[controller].tasks
        writes = tuple(task for task in tasks if isinstance(task, WriteAssignment))
        rest = tuple(task for task in tasks if task not in writes)
        thread = after.threads[controller].clear().begin((*writes, *rest))
        yield after.evolve(threads={controller: thread})


def overlook_who_is_in_sync(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """That the ISR changed makes no reassignment go on (C-REASG-3)."""
    if may_handle(cluster, controller, PartitionReassignmentIsrChange):
        queue = cluster.event_queues[controller].pop()
        yield cluster.evolve(event_queues={controller: queue})


MUTATIONS: dict[str, Protocol] = {
    "reassignment-complete-at-once": KAFKA_2_5.replacing(
        reassignment.is_complete, by=take_it_for_complete
    ),
    "m-34-forget-who-leaves-before-they-left": KAFKA_2_5.replacing(
        reassignment.check_reassignment, by=forget_who_leaves_before_they_left
    ),
    "c-reasg-3-overlook-who-is-in-sync": KAFKA_2_5.replacing(
        reassignment.handle_reassignment_isr_change, by=overlook_who_is_in_sync
    ),
}
