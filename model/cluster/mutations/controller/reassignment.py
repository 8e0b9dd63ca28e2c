"""Mutations of reassignments, and of what a controller remembers of them."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.events import (
    PartitionReassignmentIsrChange,
)
from replicheck.model.cluster.cells.controller.reassignment_tasks import WriteAssignment
from replicheck.model.cluster.cells.controller.tasks import ReadPartitionState
from replicheck.model.cluster.controller import failover
from replicheck.model.cluster.controller.controller_election import may_handle
from replicheck.model.cluster.controller.partitions import isr_removal
from replicheck.model.cluster.controller.reassignment import (
    reassignment,
    reassignment_steps,
)
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, ControllerEpoch, PartitionId


def take_it_for_complete(
    cluster: Cluster, context: ControllerContext, partition: PartitionId
) -> bool:
    """Replicas are removed although new ones are out of sync (C-REASG-1)."""
    return True


def store_target_assignment_first(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The target is stored as the assignment before anything else (M-34, C-REASG-4)."""
    for after in reassignment.check_reassignment(cluster, controller):
        tasks = after.threads[controller].tasks
        writes = tuple(task for task in tasks if isinstance(task, WriteAssignment))
        later = tuple(task for task in tasks if task not in writes)
        thread = after.threads[controller].clear().begin((*writes, *later))
        yield after.evolve(threads={controller: thread})


def ignore_isr_change(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """That the ISR changed makes no reassignment go on (C-REASG-3)."""
    if may_handle(cluster, controller, PartitionReassignmentIsrChange):
        queue = cluster.event_queues[controller].pop()
        yield cluster.evolve(event_queues={controller: queue})


def forget_the_new_epoch(
    cluster: Cluster,
    controller: BrokerId,
    partition: PartitionId,
    content: LeaderAndIsr,
) -> ControllerContext:
    """A new epoch is stored and sent, and not cached (KAFKA-9212, C-REASG-2)."""
    return cluster.contexts[controller]


def read_adding_as_removing_replicas(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A new controller reads added replicas as removed replicas (#7334)."""
    for after in failover.read_topics(cluster, controller):
        context = after.contexts[controller]
        for partition in cluster.bounds.partition_ids:
            read = context.full_assignment_of(partition)
            context = context.assign(partition, evolve(read, removing=read.adding))
        yield after.evolve(contexts={controller: context})


def cache_only_live_leaders(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A new controller knows no partition without a live leader (KAFKA-831)."""
    if not cluster.threads[controller].is_at(ReadPartitionState):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, ReadPartitionState)
    for after in failover.read_partition_state(cluster, controller):
        context = after.contexts[controller]
        info = context.info_of(task.partition)
        if info is None or info.leader is None or not context.is_live(info.leader):
            context = context.with_info(task.partition, None)
        yield after.evolve(contexts={controller: context})


def leave_a_dead_leader(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """An offline leader leaves the ISR and leads on (KAFKA-708, C-ISR-1)."""

    def without(
        content: LeaderAndIsr, broker: BrokerId, epoch: ControllerEpoch
    ) -> LeaderAndIsr:
        return content.decided(content.leader, content.isr - {broker}, epoch)

    yield from isr_removal.plan_isr_removal(cluster, controller, without)


MUTATIONS: dict[str, Protocol] = {
    "reassignment-complete-at-once": KAFKA_2_5.replacing(
        reassignment.is_complete, by=take_it_for_complete
    ),
    "m-34-store-target-assignment-first": KAFKA_2_5.replacing(
        reassignment.check_reassignment, by=store_target_assignment_first
    ),
    "c-reasg-3-ignore-isr-change": KAFKA_2_5.replacing(
        reassignment.handle_reassignment_isr_change, by=ignore_isr_change
    ),
    "kafka-9212-forget-the-new-epoch": KAFKA_2_5.replacing(
        reassignment_steps.after_new_epoch, by=forget_the_new_epoch
    ),
    "minor-7334-read-adding-as-removing-replicas": KAFKA_2_5.replacing(
        failover.read_topics, by=read_adding_as_removing_replicas
    ),
    "kafka-831-cache-only-live-leaders": KAFKA_2_5.replacing(
        failover.read_partition_state, by=cache_only_live_leaders
    ),
    "kafka-708-leave-a-dead-leader": KAFKA_2_5.replacing(
        isr_removal.read_for_isr_removal, by=leave_a_dead_leader
    ),
}
