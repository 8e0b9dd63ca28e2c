"""How the controller deletes a topic: replica by replica, and then its znodes.

Source: TopicDeletionManager.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.deletion_tasks import (
    DeleteMarker,
    DeleteTopic,
    OnTopicDeletion,
    ReadDeletions,
    ResumeDeletions,
)
from replicheck.model.cluster.cells.controller.events import TopicDeletion
from replicheck.model.cluster.cells.controller.state_machines import ReplicaState
from replicheck.model.cluster.cells.controller.tasks import Task
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.controller_election import (
    is_fenced,
    may_handle,
    resign,
)
from replicheck.model.cluster.controller.partitions.replica_states import isr_removals
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.vocabulary import BrokerId, PartitionId, ReplicaId


def handle_topic_deletion(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller queues the topics that are marked for deletion, and begins.

    The marker of a topic that does not exist is deleted at once. Whether replicas are
    offline is not asked here. A topic that is being reassigned is to wait, but that
    counts only for a topic that was queued before.

    Rules: Z-DEL-1, C-DEL-1, Z-WATCH-1.
    Source: KafkaController.processTopicDeletion,
    TopicDeletionManager.enqueueTopicsForDeletion.
    """
    if not may_handle(cluster, controller, TopicDeletion):
        return
    watches = cluster.watches[controller].arm(ZooKeeperPath.DELETE_TOPICS)
    context = cluster.contexts[controller]
    marked = marked_topics(cluster)
    known = [partition for partition in marked if context.knows_partition(partition)]
    for partition in known:
        if context.partitions[partition].is_being_reassigned:
            context = context.halt_deletion(partition)
    for partition in known:
        context = context.queue_for_deletion(partition)
    unknown = tuple(
        DeleteMarker(partition) for partition in marked if partition not in known
    )
    then: tuple[Task, ...] = (ResumeDeletions(),) if known else ()
    yield cluster.evolve(
        watches={controller: watches},
        event_queues={controller: cluster.event_queues[controller].pop()},
        contexts={controller: context},
        threads={controller: cluster.threads[controller].begin((*unknown, *then))},
    )


def marked_topics(cluster: Cluster) -> list[PartitionId]:
    """The partitions whose topics are marked for deletion."""
    nodes = cluster.topic_nodes
    return [
        partition
        for partition in cluster.bounds.partition_ids
        if nodes[partition].is_marked
    ]


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
    deleted = [partition for partition in queued if is_deleted(context, partition)]
    idle = [partition for partition in queued if not is_under_way(context, partition)]
    undeleted = [partition for partition in idle if partition not in deleted]
    failed = tuple(
        replica
        for partition in undeleted
        for replica in replicas_in(context, partition, ReplicaState.INELIGIBLE)
    )
    halted = {
        partition
        for partition in queued
        if context.partitions[partition].deletion_is_halted
    }
    begun = tuple(partition for partition in undeleted if partition not in halted)
    completed = tuple(DeleteTopic(partition) for partition in deleted)
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
        context.is_in(broker, partition, ReplicaState.DELETION_SUCCESSFUL)
        for broker in context.assignment_of(partition)
    )


def is_under_way(context: ControllerContext, partition: PartitionId) -> bool:
    """Tell whether a replica is being deleted."""
    started = replicas_in(context, partition, ReplicaState.DELETION_STARTED)
    return len(started) > 0


def replicas_in(
    context: ControllerContext, partition: PartitionId, state: ReplicaState
) -> tuple[ReplicaId, ...]:
    """The replicas of a partition that are in a state."""
    assignment = context.assignment_of(partition)
    return tuple(
        (broker, partition)
        for broker in assignment
        if context.is_in(broker, partition, state)
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
