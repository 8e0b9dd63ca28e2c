"""How the controller has the replicas of a topic deleted.

Source: TopicDeletionManager.onTopicDeletion, TopicDeletionManager.onPartitionDeletion.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.channels import Answer
from replicheck.model.cluster.cells.controller.batch import Batch
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.deletion_tasks import (
    OnTopicDeletion,
    ResumeDeletions,
    SettleReplicas,
    StartReplicaDeletion,
)
from replicheck.model.cluster.cells.controller.events import StopReplicaResponseReceived
from replicheck.model.cluster.cells.controller.state_machines import (
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.controller.tasks import Task
from replicheck.model.cluster.controller.controller_election import may_handle
from replicheck.model.cluster.controller.partitions.replica_states import isr_removals
from replicheck.model.cluster.controller.sending import send_batch, send_metadata
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId, ReplicaId


def on_topic_deletion(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller lets clients forget topics, and stops their online replicas.

    Replicas that are not online cannot be deleted now.

    Rules: C-DEL-2, C-DEL-3, C-PSM-1.
    Source: TopicDeletionManager.onTopicDeletion,
    TopicDeletionManager.onPartitionDeletion.
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
    dead = tuple(replica for replica in replicas if not context.is_online(*replica))
    context = context.move(dead, ReplicaState.INELIGIBLE)
    alive = tuple(replica for replica in replicas if replica not in dead)
    done = ReplicaState.DELETION_SUCCESSFUL
    again = tuple(replica for replica in alive if not context.is_in(*replica, done))
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
        said[partition] if partition in partitions else None
        for partition in cluster.bounds.partition_ids
    )
    brokers = context.live_or_shutting_down
    return send_metadata(cluster, controller, context, brokers, told)


def start_replica_deletion(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller tells brokers to delete replicas; a topic that has others waits.

    Rules: C-RSM-5, C-DEL-3.
    Source: ZkReplicaStateMachine.doHandleStateChanges (ReplicaDeletionStarted).
    """
    if not cluster.threads[controller].is_at(StartReplicaDeletion):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, StartReplicaDeletion)
    context = cluster.contexts[controller]
    started = ReplicaState.DELETION_STARTED
    legal = [
        replica for replica in task.replicas if context.may_become(*replica, started)
    ]
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
        kind: tuple((event.broker, p) for p, answer in event.answers if answer is kind)
        for kind in Answer
    }
    then = (
        *settle_tasks(of[Answer.STORAGE_ERROR], ReplicaState.INELIGIBLE),
        *settle_tasks(of[Answer.NONE], ReplicaState.DELETION_SUCCESSFUL),
    )
    yield cluster.evolve(
        event_queues={controller: cluster.event_queues[controller].pop()},
        threads={controller: cluster.threads[controller].begin(then)},
    )


def settle_tasks(
    replicas: tuple[ReplicaId, ...], state: ReplicaState
) -> tuple[Task, ...]:
    """Tasks for replicas of which it is known how their deletion went."""
    return (SettleReplicas(replicas, state),) if replicas else ()


def settle_replicas(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller notes that replicas were deleted, or that their topics must wait.

    Rules: C-DEL-4, C-DEL-5, C-RSM-5.
    Source: TopicDeletionManager.failReplicaDeletion,
    TopicDeletionManager.completeReplicaDeletion.
    """
    if not cluster.threads[controller].is_at(SettleReplicas):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, SettleReplicas)
    context = cluster.contexts[controller]
    queued = tuple(
        replica for replica in task.replicas if context.is_queued(replica[1])
    )
    context = context.move(queued, task.state)
    if task.state is ReplicaState.INELIGIBLE:
        for _, partition in queued:
            context = context.halt_deletion(partition)
    resumes = queued or task.state is ReplicaState.DELETION_SUCCESSFUL
    then: tuple[Task, ...] = (ResumeDeletions(),) if resumes else ()
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(then)},
    )
