"""How the controller deletes a topic: replica by replica, and then its znodes.

Source: TopicDeletionManager.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.context import (
    ControllerContext,
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.deletion_tasks import (
    DeleteMarker,
    DeleteTopic,
    OnTopicDeletion,
    ReadDeletions,
    ResumeDeletions,
    SettleReplicas,
    StartReplicaDeletion,
)
from replicheck.model.cluster.cells.messages import Answer, Batch
from replicheck.model.cluster.cells.thread import (
    StopReplicaResponseReceived,
    Task,
    TopicDeletion,
)
from replicheck.model.cluster.cells.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.election import (
    is_fenced,
    may_handle,
    resign,
)
from replicheck.model.cluster.controller.replica_states import isr_removals
from replicheck.model.cluster.controller.sending import send_batch, send_metadata
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watching import fire_watches
from replicheck.model.vocabulary import BrokerId, PartitionId, ReplicaId


def handle_topic_deletion(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller queues the topics that are marked for deletion, and begins.

    The marker of a topic that does not exist is deleted at once. Whether replicas are
    offline is not asked here. A topic that is being reassigned is to wait, but that
    counts only for a topic that was queued before.

    Rules: Z-DEL-1, C-DEL-1, Z-WATCH-1.
    Source: KafkaController.processTopicDeletion, enqueueTopicsForDeletion.
    """
    if not may_handle(cluster, controller, TopicDeletion):
        return
    watches = cluster.watches[controller].arm(ZooKeeperPath.DELETE_TOPICS)
    context = cluster.contexts[controller]
    marked = marked_topics(cluster)
    known = [each for each in marked if context.knows_partition(each)]
    for partition in known:
        if context.partitions[partition].is_being_reassigned:
            context = context.halt_deletion(partition)
    for partition in known:
        context = context.queue_for_deletion(partition)
    unknown = tuple(DeleteMarker(each) for each in marked if each not in known)
    then: tuple[Task, ...] = (ResumeDeletions(),) if known else ()
    yield cluster.evolve(
        watches={controller: watches},
        event_queues={controller: cluster.event_queues[controller].pop()},
        contexts={controller: context},
        threads={controller: cluster.threads[controller].begin((*unknown, *then))},
    )


def marked_topics(cluster: Cluster) -> list[PartitionId]:
    """Return the partitions whose topics are marked for deletion."""
    nodes = cluster.topic_nodes
    return [each for each in cluster.bounds.partition_ids if nodes[each].is_marked]


def read_deletions(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new controller queues the topics that are marked for deletion.

    A topic waits that has a replica which is not online, or is being reassigned.

    Rules: C-INIT-1, C-DEL-7.
    Source: KafkaController.fetchTopicDeletionsInProgress, TopicDeletionManager.init.
    """
    if not cluster.threads[controller].is_at(ReadDeletions):
        return
    context = cluster.contexts[controller]
    for partition in marked_topics(cluster):
        context = context.queue_for_deletion(partition)
        assignment = context.assignment_of(partition)
        waits = context.partitions[partition].is_being_reassigned
        if waits or context.online_replicas(partition) != assignment:
            context = context.halt_deletion(partition)
    watches = cluster.watches[controller].arm(ZooKeeperPath.DELETE_TOPICS)
    yield cluster.evolve(
        watches={controller: watches},
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(())},
    )


def resume_deletions(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller sees how far the deletion of each queued topic is.

    All replicas deleted: its znodes are next. None under way and some failed: those are
    made ready for another try. None under way, and the topic not halted: it begins.

    Rules: C-DEL-6, C-DEL-7.  Source: TopicDeletionManager.resumeDeletions.
    """
    if not cluster.threads[controller].is_at(ResumeDeletions):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, ResumeDeletions)
    context = cluster.contexts[controller]
    for partition in task.released:
        context = context.release_deletion(partition)
    queued = context.queued_for_deletion
    deleted = [each for each in queued if is_deleted(context, each)]
    idle = [each for each in queued if not is_under_way(context, each)]
    waiting = [each for each in idle if each not in deleted]
    failed = tuple(
        replica
        for each in waiting
        for replica in replicas_in(context, each, ReplicaState.INELIGIBLE)
    )
    halted = {each for each in queued if context.partitions[each].deletion_is_halted}
    begun = tuple(each for each in waiting if each not in halted)
    completed = tuple(DeleteTopic(each) for each in deleted)
    begin: tuple[Task, ...] = (OnTopicDeletion(begun),) if begun else ()
    for retried in isr_removals(failed):
        then = (*completed, *retried, *begin)
        yield cluster.evolve(
            contexts={controller: context},
            threads={controller: cluster.threads[controller].finish(then)},
        )


def is_deleted(context: ControllerContext, partition: PartitionId) -> bool:
    """Tell whether every replica, if there is any, was deleted."""
    return all(
        context.is_in(each, partition, ReplicaState.DELETION_SUCCESSFUL)
        for each in context.assignment_of(partition)
    )


def is_under_way(context: ControllerContext, partition: PartitionId) -> bool:
    """Tell whether a replica is being deleted."""
    return bool(replicas_in(context, partition, ReplicaState.DELETION_STARTED))


def replicas_in(
    context: ControllerContext, partition: PartitionId, state: ReplicaState
) -> tuple[ReplicaId, ...]:
    """Return the replicas of a partition that are in a state."""
    assignment = context.assignment_of(partition)
    return tuple(
        (each, partition)
        for each in assignment
        if context.is_in(each, partition, state)
    )


def on_topic_deletion(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller lets clients forget topics, and stops their online replicas.

    Replicas that are not online cannot be deleted now.

    Rules: C-DEL-2, C-DEL-3, C-PSM-1.
    Source: TopicDeletionManager.onTopicDeletion, onPartitionDeletion.
    """
    if not cluster.threads[controller].is_at(OnTopicDeletion):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, OnTopicDeletion)
    context = cluster.contexts[controller]
    for partition in task.partitions:
        if not context.partitions[partition].deletion_has_begun:
            context = context.with_partition(partition, PartitionState.NON_EXISTENT)
            context = context.begin_deletion(partition)
    cluster = _let_clients_forget(cluster, controller, context, task.partitions)
    replicas = [
        (broker, partition)
        for partition in task.partitions
        for broker in context.assignment_of(partition)
    ]
    dead = tuple(each for each in replicas if not context.is_online(*each))
    context = context.move(dead, ReplicaState.INELIGIBLE)
    alive = tuple(each for each in replicas if each not in dead)
    done = ReplicaState.DELETION_SUCCESSFUL
    again = tuple(each for each in alive if not context.is_in(*each, done))
    halted = tuple(sorted({partition for _, partition in dead}))
    for stopped in isr_removals(again):
        then = (*stopped, StartReplicaDeletion(again, halted))
        yield cluster.evolve(
            contexts={controller: context},
            threads={controller: cluster.threads[controller].finish(then)},
        )


def _let_clients_forget(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    partitions: tuple[PartitionId, ...],
) -> Cluster:
    said = context.metadata
    told = tuple(
        said[each] if each in partitions else None
        for each in cluster.bounds.partition_ids
    )
    everyone = context.live_or_shutting_down
    return send_metadata(cluster, controller, context, everyone, told)


def start_replica_deletion(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller tells brokers to delete replicas; a topic that has others waits.

    Rules: C-RSM-5, C-DEL-3.
    Source: ReplicaStateMachine.doHandleStateChanges (ReplicaDeletionStarted).
    """
    if not cluster.threads[controller].is_at(StartReplicaDeletion):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, StartReplicaDeletion)
    context = cluster.contexts[controller]
    started = ReplicaState.DELETION_STARTED
    legal = [each for each in task.replicas if context.may_become(*each, started)]
    context = context.move(task.replicas, started)
    for partition in task.halted:
        context = context.halt_deletion(partition)
    cluster = cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(())},
    )
    yield send_deletion(cluster, controller, context, legal)


def send_deletion(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    replicas: list[ReplicaId],
) -> Cluster:
    """Send StopReplica to the brokers of replicas, which are to delete them."""
    batch = Batch()
    for replica in replicas:
        batch = batch.add_deletion(*replica)
    return send_batch(cluster, controller, context, batch)


def handle_stop_replica_response(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The controller learns which replicas a broker deleted, and which it could not.

    Rules: C-DEL-4, C-DEL-5, C-LIR-6.
    Source: KafkaController.processTopicDeletionStopReplicaResponseReceived.
    """
    if not may_handle(cluster, controller, StopReplicaResponseReceived):
        return
    event = cluster.event_queues[controller].head
    assert isinstance(event, StopReplicaResponseReceived)
    of = {
        each: tuple((event.broker, p) for p, answer in event.answers if answer is each)
        for each in Answer
    }
    then = (
        *settling(of[Answer.STORAGE_ERROR], ReplicaState.INELIGIBLE),
        *settling(of[Answer.NONE], ReplicaState.DELETION_SUCCESSFUL),
    )
    yield cluster.evolve(
        event_queues={controller: cluster.event_queues[controller].pop()},
        threads={controller: cluster.threads[controller].begin(then)},
    )


def settling(replicas: tuple[ReplicaId, ...], state: ReplicaState) -> tuple[Task, ...]:
    """Return what is to be done for replicas of which it is known how it went."""
    return (SettleReplicas(replicas, state),) if replicas else ()


def settle_replicas(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller notes that replicas were deleted, or that their topics must wait.

    Rules: C-DEL-4, C-DEL-5, C-RSM-5.
    Source: TopicDeletionManager.failReplicaDeletion, completeReplicaDeletion.
    """
    if not cluster.threads[controller].is_at(SettleReplicas):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, SettleReplicas)
    context = cluster.contexts[controller]
    queued = tuple(each for each in task.replicas if context.is_queued(each[1]))
    context = context.move(queued, task.state)
    if task.state is ReplicaState.INELIGIBLE:
        for _, partition in queued:
            context = context.halt_deletion(partition)
    then: tuple[Task, ...] = (ResumeDeletions(),) if queued else ()
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(then)},
    )


def delete_topic_node(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller deletes the topic's znodes, and forgets the topic.

    What it knows of offline directories stays.

    Abstraction: the partition's state goes with the topic, and with its configuration.

    Rules: C-DEL-6, C-RSM-5, C-CTX-2, Z-FENCE-1.
    Source: TopicDeletionManager.completeDeleteTopic, KafkaZkClient.deleteTopicZNode.
    """
    if not cluster.threads[controller].is_at(DeleteTopic):
        return
    if is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, DeleteTopic)
    at = task.partition
    cluster = fire_watches(cluster, ZooKeeperPath.TOPICS)
    yield cluster.evolve(
        topic_nodes={at: cluster.topic_nodes[at].delete()},
        partition_nodes={at: cluster.partition_nodes[at].delete()},
        contexts={controller: cluster.contexts[controller].remove_topic(at)},
        threads={controller: cluster.threads[controller].finish((DeleteMarker(at),))},
    )


def delete_marker(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller deletes the marker, which ends the deletion.

    Rules: Z-DEL-1, Z-FENCE-1.  Source: KafkaZkClient.deleteTopicDeletions.
    """
    if not cluster.threads[controller].is_at(DeleteMarker):
        return
    if is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, DeleteMarker)
    at = task.partition
    cluster = fire_watches(cluster, ZooKeeperPath.DELETE_TOPICS)
    yield cluster.evolve(
        topic_nodes={at: cluster.topic_nodes[at].unmark()},
        threads={controller: cluster.threads[controller].finish(())},
    )
