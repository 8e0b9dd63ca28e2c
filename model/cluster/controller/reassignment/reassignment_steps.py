"""The single steps in which replicas are added to a partition, and removed.

Source: KafkaController.onPartitionReassignment.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.channels import PartitionToLead, to_create
from replicheck.model.cluster.cells.controller.batch import Batch
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.deletion_tasks import ResumeDeletions
from replicheck.model.cluster.cells.controller.reassignment_tasks import (
    FinishReassignment,
    ReadForEpoch,
    RemoveReplicas,
    StartNewReplicas,
    WriteAssignment,
    WriteEpoch,
)
from replicheck.model.cluster.cells.controller.state_machines import ReplicaState
from replicheck.model.cluster.cells.controller.tasks import Task
from replicheck.model.cluster.controller.controller_election import is_fenced, resign
from replicheck.model.cluster.controller.reassignment.reassignment_requests import (
    without_request,
)
from replicheck.model.cluster.controller.sending import send_batch
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import read_state, store_partition_state
from replicheck.model.rules import rule
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, PartitionId


def read_for_epoch(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller reads leader and ISR, to write them again in a new epoch.

    Rules: C-REASG-2, C-REASG-4, C-FENCE-2.  Source: KafkaController.updateLeaderEpoch.
    """
    if not cluster.threads[controller].is_at(ReadForEpoch):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, ReadForEpoch)
    cluster = read_state(cluster, controller, task.partition)
    epoch = cluster.contexts[controller].epoch
    content = cluster.partition_nodes[task.partition].content
    then: tuple[Task, ...] = ()
    if content is not None and epoch is not None and content.controller_epoch <= epoch:
        again = content.decided(content.leader, content.isr, epoch)
        then = (WriteEpoch(task, again),)
    yield cluster.evolve(threads={controller: cluster.threads[controller].finish(then)})


def write_epoch(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller stores a new epoch for the same leader, and tells the replicas.

    None of them is told to create its replica, also none that is added.

    Rules: C-REASG-2, C-REASG-4, Z-STATE-1, Z-FENCE-1.
    Source: KafkaController.updateLeaderEpochAndSendRequest.
    """
    if not cluster.threads[controller].is_at(WriteEpoch):
        return
    if is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, WriteEpoch)
    partition = task.reading.partition
    node = cluster.partition_nodes[partition]
    if not node.has_version(task.content.version - 1):
        retry = cluster.threads[controller].finish((task.reading,))
        yield cluster.evolve(threads={controller: retry})
        return
    cluster = store_partition_state(cluster, partition, task.content)
    context = after_new_epoch(cluster, controller, partition, task.content)
    told = task.reading.told
    batch = asked_in_new_epoch(cluster, context, partition, told, task.content)
    batch = batch.add_update_metadata(partition, context.metadata_of(partition))
    cluster = cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(())},
    )
    yield send_batch(cluster, controller, context, batch)


@rule
def after_new_epoch(
    cluster: Cluster,
    controller: BrokerId,
    partition: PartitionId,
    content: LeaderAndIsr,
) -> ControllerContext:
    """The controller's memory after it stored a new epoch.

    Rules: C-REASG-2, C-CTX-3.
    Source: KafkaController.updateLeaderEpochAndSendRequest.
    """
    return cluster.contexts[controller].with_info(partition, content)


@rule
def asked_in_new_epoch(
    cluster: Cluster,
    context: ControllerContext,
    partition: PartitionId,
    brokers: tuple[BrokerId, ...],
    content: LeaderAndIsr,
) -> Batch:
    """LeaderAndIsr to replicas in a new epoch; none of them is called new.

    Rules: C-REASG-2, X-3.  Source: KafkaController.updateLeaderEpochAndSendRequest.
    """
    asked = PartitionToLead(partition, content)
    return Batch().add_leader_and_isr(brokers, asked)


def start_new_replicas(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller tells brokers that are added to create their replicas.

    The epoch is that of the request before, which did not say so. A replica that was
    started before is not started again.

    Rules: C-REASG-2, C-REASG-6, C-RSM-2, C-NEW-1, X-3.
    Source: KafkaController.startNewReplicasForReassignedPartition,
    ZkReplicaStateMachine.doHandleStateChanges (NewReplica).
    """
    if not cluster.threads[controller].is_at(StartNewReplicas):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, StartNewReplicas)
    partition = task.partition
    context = cluster.contexts[controller]
    info = context.info_of(partition)
    cluster = cluster.evolve(
        threads={controller: cluster.threads[controller].finish(())}
    )
    for broker in context.full_assignment_of(partition).adding:
        if not context.may_become(broker, partition, ReplicaState.NEW):
            continue
        if info is not None and info.leader == broker:
            continue
        context = context.with_replica(broker, partition, ReplicaState.NEW)
        if info is not None:
            batch = Batch().add_leader_and_isr((broker,), to_create(partition, info))
            metadata = context.metadata_of(partition)
            batch = batch.add_update_metadata(partition, metadata)
            cluster = send_batch(cluster, controller, context, batch)
    yield cluster.evolve(contexts={controller: context})


def remove_replicas(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller tells brokers to delete replicas, and forgets them at once.

    Rules: C-REASG-4, C-REASG-5, C-RSM-5.
    Source: KafkaController.stopRemovedReplicasOfReassignedPartition.
    """
    if not cluster.threads[controller].is_at(RemoveReplicas):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, RemoveReplicas)
    context = cluster.contexts[controller]
    batch = Batch()
    for replica in task.replicas:
        if context.may_become(*replica, ReplicaState.DELETION_STARTED):
            batch = batch.add_deletion(*replica)
    for state in (
        ReplicaState.DELETION_STARTED,
        ReplicaState.DELETION_SUCCESSFUL,
        ReplicaState.NON_EXISTENT,
    ):
        context = context.move(task.replicas, state)
    cluster = cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(())},
    )
    yield send_batch(cluster, controller, context, batch)


def write_assignment(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller stores that the target replicas are all that there are.

    Rules: C-REASG-4, Z-ASG-1, Z-FENCE-1.
    Source: KafkaController.updateReplicaAssignmentForPartition,
    KafkaZkClient.setTopicAssignmentRaw.
    """
    if not cluster.threads[controller].is_at(WriteAssignment):
        return
    if is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, WriteAssignment)
    assignment = cluster.contexts[controller].full_assignment_of(task.partition)
    node = cluster.topic_nodes[task.partition].assign(assignment)
    yield cluster.evolve(
        topic_nodes={task.partition: node},
        threads={controller: cluster.threads[controller].finish(())},
    )


def finish_reassignment(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller deletes the request, tells clients, and forgets about it.

    A deletion of the topic that waited goes on.

    Rules: C-REASG-4, C-DEL-7, Z-REASG-1, Z-FENCE-1.
    Source: KafkaController.removePartitionFromReassigningPartitions.
    """
    if not cluster.threads[controller].is_at(FinishReassignment):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, FinishReassignment)
    partition = task.partition
    is_asked_for = cluster.topic_nodes[partition].requested == cluster.contexts[
        controller
    ].assignment_of(partition)
    if is_asked_for and is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    if is_asked_for:
        cluster = without_request(cluster, controller, partition)
    context = cluster.contexts[controller].end_reassignment(partition)
    watches = cluster.watches[controller].unregister_state(partition)
    resumed: tuple[Task, ...] = ()
    if context.is_queued(partition):
        resumed = (ResumeDeletions((partition,)),)
    cluster = cluster.evolve(
        watches={controller: watches},
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(resumed)},
    )
    told = Batch().add_update_metadata(partition, context.metadata_of(partition))
    yield send_batch(cluster, controller, context, told)
