"""How the controller learns which partitions are to be reassigned.

Source: KafkaController.processZkPartitionReassignment.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.events import (
    AlterPartitionReassignment,
    ZkPartitionReassignment,
)
from replicheck.model.cluster.cells.controller.reassignment_tasks import (
    DropRequest,
    ReadReassignments,
    Reassign,
)
from replicheck.model.cluster.cells.controller.tasks import Task
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.controller_election import (
    is_fenced,
    may_handle,
    resign,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.vocabulary import BrokerId, PartitionId


def handle_zk_reassignment(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller reads which partitions are to be reassigned, and begins.

    Rules: Z-REASG-1, Z-WATCH-1.
    Source: KafkaController.processZkPartitionReassignment.
    """
    if not may_handle(cluster, controller, ZkPartitionReassignment):
        return
    queue = cluster.event_queues[controller].pop()
    cluster = cluster.evolve(event_queues={controller: queue})
    watches = cluster.watches[controller].arm(ZooKeeperPath.REASSIGN_PARTITIONS)
    then = reassignments_requested(cluster, cluster.contexts[controller])
    yield cluster.evolve(
        watches={controller: watches},
        threads={controller: cluster.threads[controller].begin(then)},
    )


def read_reassignments(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new controller goes on with the reassignments that were requested or begun.

    Rules: C-INIT-1, C-REASG-6.
    Source: KafkaController.initializePartitionReassignments.
    """
    if not cluster.threads[controller].is_at(ReadReassignments):
        return
    context = cluster.contexts[controller]
    requested = reassignments_requested(cluster, context)
    done = {task.partition for task in requested if isinstance(task, Reassign)}
    left = [partition for partition in context.partition_ids if partition not in done]
    then = (*requested, *reassignments_to_resume(context, left))
    watches = cluster.watches[controller].arm(ZooKeeperPath.REASSIGN_PARTITIONS)
    yield cluster.evolve(
        watches={controller: watches},
        threads={controller: cluster.threads[controller].finish(then)},
    )


def reassignments_requested(
    cluster: Cluster, context: ControllerContext
) -> tuple[Task, ...]:
    """Tasks for the reassignments that ``/admin/reassign_partitions`` asks for.

    A request for a topic that is being deleted, or does not exist, is dropped.

    Rules: Z-REASG-1, C-REASG-1.
    Source: KafkaController.maybeBuildReassignment,
    KafkaController.maybeTriggerPartitionReassignment.
    """
    then: list[Task] = []
    for partition in cluster.bounds.partition_ids:
        target = cluster.topic_nodes[partition].requested
        if not target:
            continue
        if not context.knows_partition(partition) or context.is_queued(partition):
            then += [DropRequest(partition)]
        else:
            assignment = context.full_assignment_of(partition).reassign_to(target)
            then += [Reassign(partition, assignment)]
    return tuple(then)


def reassignments_to_resume(
    context: ControllerContext, partitions: list[PartitionId]
) -> tuple[Task, ...]:
    """Tasks for partitions whose reassignment was begun.

    Rules: C-REASG-6.  Source: KafkaController.maybeResumeReassignments.
    """
    return tuple(
        Reassign(partition, context.full_assignment_of(partition))
        for partition in partitions
        if context.partitions[partition].is_being_reassigned
    )


def reassignments_to(
    context: ControllerContext, brokers: tuple[BrokerId, ...]
) -> tuple[Task, ...]:
    """Tasks for partitions that are about to move to brokers.

    Rules: C-BRK-2, C-REASG-6.  Source: KafkaController.onBrokerStartup.
    """
    reassigned = [
        partition
        for partition in context.partition_ids
        if any(b in context.full_assignment_of(partition).target for b in brokers)
    ]
    return reassignments_to_resume(context, reassigned)


def handle_alter_reassignment(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The controller goes back to the replicas that a partition had.

    If the partition is not being reassigned, it only writes the requests once more.

    Rules: C-REASG-1.  Source: KafkaController.processApiPartitionReassignment.
    """
    if not may_handle(cluster, controller, AlterPartitionReassignment):
        return
    event = cluster.event_queues[controller].head
    assert isinstance(event, AlterPartitionReassignment)
    partition = event.partition
    context = cluster.contexts[controller]
    queue = cluster.event_queues[controller].pop()
    cluster = cluster.evolve(event_queues={controller: queue})
    if not context.partitions[partition].is_being_reassigned:
        yield write_requests_again(cluster, controller)
        return
    known = context.full_assignment_of(partition)
    origin = known.reassign_to(known.origin)
    then = (DropRequest(partition), Reassign(partition, origin))
    threads = {controller: cluster.threads[controller].begin(then)}
    yield cluster.evolve(threads=threads)


def write_requests_again(cluster: Cluster, controller: BrokerId) -> Cluster:
    """Write what is requested, if anything is; a deposed controller learns by it.

    Abstraction: reading the znode and writing it are one step.

    Rules: Z-REASG-1, Z-FENCE-1, C-FENCE-1.
    Source: KafkaController.maybeRemoveFromZkReassignment.
    """
    if has_requests(cluster) and is_fenced(cluster, controller):
        return resign(cluster, controller)
    return cluster


def has_requests(cluster: Cluster) -> bool:
    """Tell whether ``/admin/reassign_partitions`` is there."""
    return any(
        cluster.topic_nodes[partition].requested
        for partition in cluster.bounds.partition_ids
    )


def drop_request(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller deletes a request for a reassignment that is not to take place.

    Rules: Z-REASG-1, Z-FENCE-1.
    Source: KafkaController.maybeRemoveFromZkReassignment.
    """
    if not cluster.threads[controller].is_at(DropRequest):
        return
    if has_requests(cluster) and is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, DropRequest)
    cluster = without_request(cluster, controller, task.partition)
    threads = {controller: cluster.threads[controller].finish(())}
    yield cluster.evolve(threads=threads)


def without_request(
    cluster: Cluster, controller: BrokerId, partition: PartitionId
) -> Cluster:
    """Delete the request for a partition, if there is one, and look for others.

    Abstraction: reading the znode and writing it are one step. The deletion is an event
    of every controller that watches; in Kafka it is one of this controller alone.

    Rules: Z-REASG-1.
    Source: KafkaController.maybeRemoveFromZkReassignment, PartitionReassignmentHandler.
    """
    node = cluster.topic_nodes[partition]
    if not node.requested:
        return cluster
    cluster = fire_watches(cluster, ZooKeeperPath.REASSIGN_PARTITIONS)
    queue = cluster.event_queues[controller].append(ZkPartitionReassignment())
    return cluster.evolve(
        topic_nodes={partition: cluster.topic_nodes[partition].request(())},
        event_queues={controller: queue},
    )
