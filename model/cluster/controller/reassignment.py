"""How the controller moves a partition to other brokers, up to its completion.

Source: KafkaController.onPartitionReassignment.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.context import ControllerContext, ReplicaState
from replicheck.model.cluster.cells.deletion_tasks import ResumeDeletions
from replicheck.model.cluster.cells.messages import Batch, PartitionToLead, to_create
from replicheck.model.cluster.cells.reassignment_tasks import (
    CheckReassignment,
    DropRequest,
    FinishReassignment,
    ReadForEpoch,
    ReadReassignments,
    Reassign,
    RemoveReplicas,
    StartNewReplicas,
    WriteAssignment,
    WriteEpoch,
)
from replicheck.model.cluster.cells.thread import (
    AlterPartitionReassignment,
    PartitionReassignmentIsrChange,
    ReadForElection,
    ReadForIsrRemoval,
    Strategy,
    Task,
    ZkPartitionReassignment,
)
from replicheck.model.cluster.cells.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.election import (
    is_fenced,
    may_handle,
    resign,
)
from replicheck.model.cluster.controller.sending import send_batch
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watching import fire_watches, store_partition_state
from replicheck.model.rules import rule
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
    done = {each.partition for each in requested if isinstance(each, Reassign)}
    left = [each for each in context.partition_ids if each not in done]
    then = (*requested, *reassignments_to_resume(context, left))
    watches = cluster.watches[controller].arm(ZooKeeperPath.REASSIGN_PARTITIONS)
    yield cluster.evolve(
        watches={controller: watches},
        threads={controller: cluster.threads[controller].finish(then)},
    )


def reassignments_requested(
    cluster: Cluster, context: ControllerContext
) -> tuple[Task, ...]:
    """Return what is to be done for what ``/admin/reassign_partitions`` asks for.

    A request for a topic that is being deleted, or does not exist, is dropped.

    Rules: Z-REASG-1, C-REASG-1.
    Source: KafkaController.maybeBuildReassignment, maybeTriggerPartitionReassignment.
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
    """Return what is to be done for partitions whose reassignment was begun.

    Rules: C-REASG-6.  Source: KafkaController.maybeResumeReassignments.
    """
    return tuple(
        Reassign(each, context.full_assignment_of(each))
        for each in partitions
        if context.partitions[each].is_being_reassigned
    )


def reassignments_to(
    context: ControllerContext, brokers: tuple[BrokerId, ...]
) -> tuple[Task, ...]:
    """Return what is to be done for partitions that are about to move to brokers.

    Rules: C-BRK-2, C-REASG-6.  Source: KafkaController.onBrokerStartup.
    """
    moving = [
        each
        for each in context.partition_ids
        if any(b in context.full_assignment_of(each).target for b in brokers)
    ]
    return reassignments_to_resume(context, moving)


def handle_alter_reassignment(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The controller goes back to the replicas that a partition had.

    Rules: C-REASG-1.  Source: KafkaController.processApiPartitionReassignment.
    """
    if not may_handle(cluster, controller, AlterPartitionReassignment):
        return
    event = cluster.event_queues[controller].head
    assert isinstance(event, AlterPartitionReassignment)
    partition = event.partition
    context = cluster.contexts[controller]
    then: tuple[Task, ...] = ()
    if context.partitions[partition].is_being_reassigned:
        known = context.full_assignment_of(partition)
        origin = known.reassign_to(known.origin)
        then = (DropRequest(partition), Reassign(partition, origin))
    yield cluster.evolve(
        event_queues={controller: cluster.event_queues[controller].pop()},
        threads={controller: cluster.threads[controller].begin(then)},
    )


def reassign(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller stores what replicas there are to be, if that is new.

    Replicas that are in it no more are removed at once, which is so where another
    reassignment is replaced.

    Rules: C-REASG-1, Z-ASG-1, Z-FENCE-1.
    Source: KafkaController.onPartitionReassignment, updateCurrentReassignment.
    """
    if not cluster.threads[controller].is_at(Reassign):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, Reassign)
    partition = task.partition
    context = cluster.contexts[controller]
    known = context.full_assignment_of(partition)
    is_new = known != task.assignment
    if is_new and is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    if is_new:
        node = cluster.topic_nodes[partition].assign(task.assignment)
        cluster = cluster.evolve(topic_nodes={partition: node})
    dropped = [each for each in known.replicas if each not in task.assignment.replicas]
    context = context.halt_deletion(partition).begin_reassignment(partition)
    then = (*removal_of(dropped, partition), CheckReassignment(partition))
    yield cluster.evolve(
        contexts={controller: context.assign(partition, task.assignment)},
        threads={controller: cluster.threads[controller].finish(then)},
    )


def removal_of(brokers: list[BrokerId], partition: PartitionId) -> tuple[Task, ...]:
    """Return what is to be done to remove replicas.

    Rules: C-REASG-4.
    Source: KafkaController.stopRemovedReplicasOfReassignedPartition.
    """
    replicas = tuple((each, partition) for each in brokers)
    return (ReadForIsrRemoval(replicas), RemoveReplicas(replicas)) if replicas else ()


def handle_reassignment_isr_change(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The ISR of a partition that is being reassigned changed: is it complete now?

    Rules: C-REASG-3, Z-WATCH-1.
    Source: KafkaController.processPartitionReassignmentIsrChange.
    """
    if not may_handle(cluster, controller, PartitionReassignmentIsrChange):
        return
    event = cluster.event_queues[controller].head
    assert isinstance(event, PartitionReassignmentIsrChange)
    queue = cluster.event_queues[controller].pop()
    cluster = cluster.evolve(event_queues={controller: queue})
    context = cluster.contexts[controller]
    partition = event.partition
    then: tuple[Task, ...] = ()
    if context.partitions[partition].is_being_reassigned:
        watches = cluster.watches[controller].arm_state(partition)
        cluster = cluster.evolve(watches={controller: watches})
        assignment = context.full_assignment_of(partition)
        if is_complete(cluster, context, partition):
            then = (Reassign(partition, assignment),)
    yield cluster.evolve(
        threads={controller: cluster.threads[controller].begin(then)},
    )


@rule
def is_complete(
    cluster: Cluster, context: ControllerContext, partition: PartitionId
) -> bool:
    """Tell whether all target replicas are in the ISR that is stored.

    Rules: C-REASG-1.  Source: KafkaController.isReassignmentComplete.
    """
    assignment = context.full_assignment_of(partition)
    if not assignment.is_changing:
        return True
    content = cluster.partition_nodes[partition].content
    return content is not None and content.isr >= set(assignment.target)


def check_reassignment(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller reads the ISR; it adds replicas, or removes the old ones.

    Rules: C-REASG-1, C-REASG-2, C-REASG-4.
    Source: KafkaController.onPartitionReassignment.
    """
    if not cluster.threads[controller].is_at(CheckReassignment):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, CheckReassignment)
    partition = task.partition
    context = cluster.contexts[controller]
    watches = cluster.watches[controller].arm_state(partition)
    cluster = cluster.evolve(watches={controller: watches})
    if is_complete(cluster, context, partition):
        context, then = completion(context, partition)
    else:
        everyone = context.assignment_of(partition)
        then = (ReadForEpoch(partition, everyone), StartNewReplicas(partition))
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(then)},
    )


def completion(
    context: ControllerContext, partition: PartitionId
) -> tuple[ControllerContext, tuple[Task, ...]]:
    """Return what is to be done once the target replicas are in sync.

    Added replicas become online, of which nobody is told. Whether a leader can be
    elected among the target replicas does not matter for what follows.

    Rules: C-REASG-4, C-REASG-5.
    Source: KafkaController.onPartitionReassignment,
    moveReassignedPartitionLeaderIfRequired.
    """
    assignment = context.full_assignment_of(partition)
    added = tuple((each, partition) for each in assignment.adding)
    context = context.move(added, ReplicaState.ONLINE).retarget(partition)
    info = context.info_of(partition)
    leader = None if info is None else info.leader
    target = assignment.target
    lead: Task = ReadForElection(partition, True, Strategy.REASSIGN)
    if leader in target and leader is not None and context.is_online(leader, partition):
        lead = ReadForEpoch(partition, target)
    return context, (
        lead,
        *removal_of(list(assignment.removing), partition),
        WriteAssignment(partition),
        FinishReassignment(partition),
    )


def read_for_epoch(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller reads leader and ISR, to write them again in a new epoch.

    Rules: C-REASG-2, C-REASG-4, C-FENCE-2.  Source: KafkaController.updateLeaderEpoch.
    """
    if not cluster.threads[controller].is_at(ReadForEpoch):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, ReadForEpoch)
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
    context = cluster.contexts[controller].with_info(partition, task.content)
    batch = (
        Batch()
        .add_leader_and_isr(task.reading.told, PartitionToLead(partition, task.content))
        .add_update_metadata(partition, context.metadata_of(partition))
    )
    cluster = cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(())},
    )
    yield send_batch(cluster, controller, context, batch)


def start_new_replicas(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller tells brokers that are added to create their replicas.

    The epoch is that of the request before, which did not say so. A replica that was
    started before is not started again.

    Rules: C-REASG-2, C-REASG-6, C-RSM-2, C-NEW-1, X-3.
    Source: KafkaController.startNewReplicasForReassignedPartition,
    ReplicaStateMachine.doHandleStateChanges (NewReplica).
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
    Source: KafkaController.updateReplicaAssignmentForPartition.
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


def drop_request(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller deletes a request for a reassignment that is not to take place.

    Rules: Z-REASG-1, Z-FENCE-1.
    Source: KafkaController.maybeRemoveFromZkReassignment.
    """
    if not cluster.threads[controller].is_at(DropRequest):
        return
    if is_fenced(cluster, controller):
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

    Abstraction: reading the znode and writing it are one step.

    Rules: Z-REASG-1.  Source: KafkaController.maybeRemoveFromZkReassignment.
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
    watches = cluster.watches[controller].disarm_state(partition)
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
