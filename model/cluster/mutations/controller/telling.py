"""Mutations of whom the controller tells, when, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from replicheck.model.cluster.broker import duplicate_requests, leader_and_isr
from replicheck.model.cluster.broker.log_creation import (
    directory_for_new_log,
)
from replicheck.model.cluster.cells.channels import (
    Batch,
    PartitionMetadata,
    PartitionToLead,
)
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.tasks import StartReplicaStateMachine
from replicheck.model.cluster.controller import sending
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, DirectoryId


def lead_before_knowing_anybody(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    brokers: Iterable[BrokerId],
    partitions: tuple[PartitionMetadata | None, ...],
) -> Cluster:
    """A new controller says who leads, before it says who is live (KAFKA-4443)."""
    starts = cluster.threads[controller].is_at(StartReplicaStateMachine)
    if starts and not any(partitions):
        return cluster
    send = original(sending.send_metadata)
    return send(cluster, controller, context, brokers, partitions)


def spare_who_shuts_down(
    cluster: Cluster, controller: BrokerId, context: ControllerContext, batch: Batch
) -> Cluster:
    """A leader that shuts down is not told of the next one (KAFKA-7482)."""
    told = tuple(
        (to, entry)
        for to, entry in batch.leader_and_isr
        if to not in context.shutting_down
    )
    send = original(sending.send_batch)
    kept = Batch(
        leader_and_isr=told,
        stop_replica=batch.stop_replica,
        deletion=batch.deletion,
        updates_metadata=batch.updates_metadata,
        metadata=batch.metadata,
    )
    return send(cluster, controller, context, kept)


def drop_what_was_sent(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """A request whose connection breaks after it was sent is gone (KAFKA-1738, N-2)."""
    if not cluster.faults.allow("duplicates"):
        return
    if not cluster.channels[controller][broker].awaits(object):
        return
    channel = cluster.channels[controller][broker].pop()
    yield cluster.evolve(
        faults=cluster.faults.spend("duplicates"),
        channels={(controller, broker): channel},
    )


def try_one_directory(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """A new log is begun in the first choice, or nowhere (KAFKA-8526, B-NEW-3)."""

    def first_choice(
        cluster: Cluster, broker: BrokerId, asked: PartitionToLead
    ) -> DirectoryId | None:
        directories = cluster.directories[broker]
        for directory in cluster.bounds.directory_ids:
            if not directories[directory].is_offline():
                chosen = directory_for_new_log(cluster, broker, asked)
                return chosen if directories[directory].is_good() else None
        return None

    yield from leader_and_isr.obey(cluster, controller, broker, creation=first_choice)


MUTATIONS: dict[str, Protocol] = {
    "kafka-4443-lead-before-knowing-anybody": KAFKA_2_5.replacing(
        sending.send_metadata, by=lead_before_knowing_anybody
    ),
    "kafka-7482-spare-who-shuts-down": KAFKA_2_5.replacing(
        sending.send_batch, by=spare_who_shuts_down
    ),
    "kafka-1738-drop-what-was-sent": KAFKA_2_5.replacing(
        duplicate_requests.send_again, by=drop_what_was_sent
    ),
    "kafka-8526-try-one-directory": KAFKA_2_5.replacing(
        leader_and_isr.handle_leader_and_isr, by=try_one_directory
    ),
}
