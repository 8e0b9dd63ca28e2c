"""Mutations of what a controller remembers of a reassignment and of an election."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.tasks import ReadPartitionState
from replicheck.model.cluster.cells.zookeeper.znodes import LeaderAndIsr
from replicheck.model.cluster.controller import failover
from replicheck.model.cluster.controller.partitions import isr_removal
from replicheck.model.cluster.controller.reassignment import reassignment_steps
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, ControllerEpoch, PartitionId


def forget_the_new_epoch(
    cluster: Cluster,
    controller: BrokerId,
    partition: PartitionId,
    content: LeaderAndIsr,
) -> ControllerContext:
    """A new epoch is stored and sent, and not cached (KAFKA-9212, C-REASG-2)."""
    return cluster.contexts[controller]


def take_what_comes_for_what_goes(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A new controller reads added replicas as those that are removed (#7334)."""
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
    """Whoever is offline leaves the ISR and leads on (KAFKA-708, C-ISR-1)."""

    def without(
        content: LeaderAndIsr, broker: BrokerId, epoch: ControllerEpoch
    ) -> LeaderAndIsr:
        return content.decided(content.leader, content.isr - {broker}, epoch)

    yield from isr_removal.plan_isr_removal(cluster, controller, without)


MUTATIONS: dict[str, Protocol] = {
    "kafka-9212-forget-the-new-epoch": KAFKA_2_5.replacing(
        reassignment_steps.after_new_epoch, by=forget_the_new_epoch
    ),
    "minor-7334-take-what-comes-for-what-goes": KAFKA_2_5.replacing(
        failover.read_topics, by=take_what_comes_for_what_goes
    ),
    "kafka-831-cache-only-live-leaders": KAFKA_2_5.replacing(
        failover.read_partition_state, by=cache_only_live_leaders
    ),
    "kafka-708-leave-a-dead-leader": KAFKA_2_5.replacing(
        isr_removal.read_for_isr_removal, by=leave_a_dead_leader
    ),
}
