"""Mutations of how topics are deleted."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import deletion, requests
from replicheck.model.cluster.broker.processes import forget_replica
from replicheck.model.cluster.cells.channels import Answer, Answers, StopReplicaRequest
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.deletion_tasks import SettleReplicas
from replicheck.model.cluster.cells.controller.tasks import Task
from replicheck.model.cluster.controller import broker_changes
from replicheck.model.cluster.controller.deletion import replica_deletion
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, PartitionId, ReplicaId


def take_an_offline_replica_for_deleted(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Iterator[tuple[Cluster, Answer]]:
    """Deleting a replica that is marked offline succeeds (M-28, B-LDF-6)."""
    if cluster.replicas[broker][partition].is_offline():
        yield cluster, Answer.NONE
        return
    yield from original(deletion.delete_replica)(cluster, broker, partition)


def resume_no_deletion(
    cluster: Cluster, context: ControllerContext, replicas: tuple[ReplicaId, ...]
) -> tuple[Task, ...]:
    """A broker that starts does not let deletions go on (M-29, C-DEL-7)."""
    return ()


def clear_the_marker(
    cluster: Cluster, broker: BrokerId, request: StopReplicaRequest
) -> Iterator[tuple[Cluster, Answers]]:
    """Stopping a replica makes its marker go away (M-32, B-LDF-6)."""
    for after, answers in original(requests.stop_replicas)(cluster, broker, request):
        if not request.deletes:
            for partition in request.partitions:
                if after.replicas[broker][partition].is_offline():
                    after = forget_replica(after, broker, partition)
        yield after, answers


def settle_whatever_the_state(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """An answer counts also for a replica that is not being deleted (C-RSM-0)."""
    for after in replica_deletion.settle_replicas(cluster, controller):
        task = cluster.threads[controller].task
        assert isinstance(task, SettleReplicas)
        context = after.contexts[controller]
        for replica in task.replicas:
            context = context.with_replica(*replica, task.state)
        yield after.evolve(contexts={controller: context})


MUTATIONS: dict[str, Protocol] = {
    "m-28-take-an-offline-replica-for-deleted": KAFKA_2_5.replacing(
        deletion.delete_replica, by=take_an_offline_replica_for_deleted
    ),
    "m-29-resume-no-deletion": KAFKA_2_5.replacing(
        broker_changes.deletions_to_resume, by=resume_no_deletion
    ),
    "m-32-clear-the-marker": KAFKA_2_5.replacing(
        requests.stop_replicas, by=clear_the_marker
    ),
    "c-rsm-0-settle-whatever-the-state": KAFKA_2_5.replacing(
        replica_deletion.settle_replicas, by=settle_whatever_the_state
    ),
}
