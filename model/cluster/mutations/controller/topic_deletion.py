"""Mutations of how topics are deleted, step by step."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import deletion, requests
from replicheck.model.cluster.broker.processes import forget_replica
from replicheck.model.cluster.cells.channels import Answer, Answers, StopReplicaRequest
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.deletion_tasks import (
    ResumeDeletions,
    SettleReplicas,
)
from replicheck.model.cluster.cells.controller.events import StopReplicaResponseReceived
from replicheck.model.cluster.cells.controller.tasks import Task, failover
from replicheck.model.cluster.controller import broker_changes, controller_election
from replicheck.model.cluster.controller.deletion import (
    replica_deletion,
    topic_deletion,
)
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


def settle_in_any_state(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """An answer counts also for a replica that is not being deleted (C-RSM-0)."""
    for after in replica_deletion.settle_replicas(cluster, controller):
        task = cluster.threads[controller].task
        assert isinstance(task, SettleReplicas)
        context = after.contexts[controller]
        for replica in task.replicas:
            context = context.with_replica(*replica, task.state)
        yield after.evolve(contexts={controller: context})


def take_a_stop_for_a_deletion(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The answer to a stop counts for that to a deletion (KAFKA-9946, C-DEL-4)."""
    if not requests.is_due(cluster, controller, broker, StopReplicaRequest):
        return
    request = cluster.channels[controller][broker].head
    assert isinstance(request, StopReplicaRequest)
    context = cluster.contexts[controller]
    told = [
        partition
        for partition in request.partitions
        if context.has_begun_to_delete(partition)
    ]
    for after in requests.handle_stop_replica(cluster, controller, broker):
        if told and not request.deletes:
            answers = tuple((partition, Answer.NONE) for partition in told)
            queue = after.event_queues[controller].append(
                StopReplicaResponseReceived(broker, answers)
            )
            after = after.evolve(event_queues={controller: queue})
        yield after


def wait_for_a_signal(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new controller lets no deletion go on by itself (KAFKA-1663, C-INIT-1)."""
    for after in controller_election.elect(cluster, controller):
        if after.threads[controller].has(ResumeDeletions):
            tasks = [
                task
                for task in failover(cluster.bounds)
                if not isinstance(task, ResumeDeletions)
            ]
            thread = after.threads[controller].clear().begin(tuple(tasks))
            after = after.evolve(threads={controller: thread})
        yield after


def keep_deleted_topics(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A controller goes on to know a topic that it deleted (KAFKA-1742, C-DEL-6)."""
    for after in topic_deletion.delete_topic_node(cluster, controller):
        if after.contexts[controller].is_active():
            kept = cluster.contexts[controller]
            after = after.evolve(contexts={controller: kept})
        yield after


def fail_a_directory_by_a_deletion(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Iterator[tuple[Cluster, Answer]]:
    """A log that is gone while it is flushed makes its directory fail (KAFKA-15391)."""
    known = cluster.replicas[broker][partition]
    for after, answer in original(deletion.delete_replica)(cluster, broker, partition):
        yield after, answer
        if known.is_online() and not known.lacks_log():
            directory = cluster.directory_of(broker, partition)
            failed = after.directories[broker][directory].fail()
            yield after.evolve(directories={(broker, directory): failed}), answer


def count_missing_logs_as_deleted(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Iterator[tuple[Cluster, Answer]]:
    """A log that is not found counts as deleted, wherever it is (B-STOP-1).

    As Kafka has it from 2.7.0 on (LogManager.asyncDelete).
    """
    replica = cluster.replicas[broker][partition]
    found = deletion.directories_with_log(cluster, broker, partition)
    if not found and not replica.is_offline():
        yield forget_replica(cluster, broker, partition), Answer.NONE
        return
    yield from original(deletion.delete_replica)(cluster, broker, partition)


MUTATIONS: dict[str, Protocol] = {
    "b-stop-1-count-missing-logs-as-deleted": KAFKA_2_5.replacing(
        deletion.delete_replica, by=count_missing_logs_as_deleted
    ),
    "m-28-take-an-offline-replica-for-deleted": KAFKA_2_5.replacing(
        deletion.delete_replica, by=take_an_offline_replica_for_deleted
    ),
    "m-29-resume-no-deletion": KAFKA_2_5.replacing(
        broker_changes.deletions_to_resume, by=resume_no_deletion
    ),
    "m-32-clear-the-marker": KAFKA_2_5.replacing(
        requests.stop_replicas, by=clear_the_marker
    ),
    "c-rsm-0-settle-in-any-state": KAFKA_2_5.replacing(
        replica_deletion.settle_replicas, by=settle_in_any_state
    ),
    "kafka-9946-take-a-stop-for-a-deletion": KAFKA_2_5.replacing(
        requests.handle_stop_replica, by=take_a_stop_for_a_deletion
    ),
    "kafka-1663-wait-for-a-signal": KAFKA_2_5.replacing(
        controller_election.elect, by=wait_for_a_signal
    ),
    "kafka-1742-keep-deleted-topics": KAFKA_2_5.replacing(
        topic_deletion.delete_topic_node, by=keep_deleted_topics
    ),
    "kafka-15391-fail-a-directory-by-a-deletion": KAFKA_2_5.replacing(
        deletion.delete_replica, by=fail_a_directory_by_a_deletion
    ),
}
