"""How the controller moves a partition to other brokers, up to its completion.

Source: KafkaController.onPartitionReassignment.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.events import (
    PartitionReassignmentIsrChange,
    Strategy,
)
from replicheck.model.cluster.cells.controller.reassignment_tasks import (
    CheckReassignment,
    FinishReassignment,
    ReadForEpoch,
    Reassign,
    RemoveReplicas,
    StartNewReplicas,
    WriteAssignment,
)
from replicheck.model.cluster.cells.controller.tasks import (
    ReadForElection,
    ReadForIsrRemoval,
    Task,
)
from replicheck.model.cluster.controller.controller_election import (
    is_fenced,
    may_handle,
    resign,
)
from replicheck.model.cluster.controller.partitions.replica_states import to_online
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, PartitionId


def reassign(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller stores what replicas there are to be, if that is new.

    Replicas that are in it no more are removed at once, which is so where another
    reassignment is replaced.

    Rules: C-REASG-1, Z-ASG-1, Z-FENCE-1.
    Source: KafkaController.onPartitionReassignment,
    KafkaController.updateCurrentReassignment.
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
    dropped = [
        broker for broker in known.replicas if broker not in task.assignment.replicas
    ]
    context = context.halt_deletion(partition).begin_reassignment(partition)
    watches = cluster.watches[controller].register_state(partition)
    then = (*removal_of(dropped, partition), CheckReassignment(partition))
    yield cluster.evolve(
        watches={controller: watches},
        contexts={controller: context.assign(partition, task.assignment)},
        threads={controller: cluster.threads[controller].finish(then)},
    )


def removal_of(brokers: list[BrokerId], partition: PartitionId) -> tuple[Task, ...]:
    """Tasks that remove replicas.

    Rules: C-REASG-4.
    Source: KafkaController.stopRemovedReplicasOfReassignedPartition.
    """
    replicas = tuple((broker, partition) for broker in brokers)
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
        watches = cluster.watches[controller].read_state(partition)
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

    Once the target replicas are in sync, the added ones become online. The broker of
    one that was online before, as another controller or its own start made it, is told
    what is cached.

    Rules: C-REASG-1, C-REASG-2, C-REASG-4, C-RSM-3.
    Source: KafkaController.onPartitionReassignment.
    """
    if not cluster.threads[controller].is_at(CheckReassignment):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, CheckReassignment)
    partition = task.partition
    context = cluster.contexts[controller]
    watches = cluster.watches[controller].read_state(partition)
    cluster = cluster.evolve(watches={controller: watches})
    if is_complete(cluster, context, partition):
        adding = context.full_assignment_of(partition).adding
        added = tuple((broker, partition) for broker in adding)
        cluster = to_online(cluster, controller, context, added)
        context, then = completion(cluster.contexts[controller], partition)
    else:
        replicas = context.assignment_of(partition)
        then = (ReadForEpoch(partition, replicas), StartNewReplicas(partition))
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(then)},
    )


def completion(
    context: ControllerContext, partition: PartitionId
) -> tuple[ControllerContext, tuple[Task, ...]]:
    """Memory and tasks once the target replicas are in sync.

    Whether a leader can be elected among the target replicas does not matter for what
    follows.

    Rules: C-REASG-4, C-REASG-5.
    Source: KafkaController.onPartitionReassignment,
    KafkaController.moveReassignedPartitionLeaderIfRequired.
    """
    assignment = context.full_assignment_of(partition)
    context = context.retarget(partition)
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
