"""Mutations of what the controller sends, to whom, when, and who may write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve

from replicheck.model.cluster.broker import duplicate_requests, leader_and_isr
from replicheck.model.cluster.broker.log_creation import directory_for_new_log
from replicheck.model.cluster.cells.channels import (
    Ask,
    PartitionMetadata,
    PartitionToLead,
)
from replicheck.model.cluster.cells.controller.batch import Batch
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.tasks import StartReplicaStateMachine
from replicheck.model.cluster.controller import controller_election, sending
from replicheck.model.cluster.controller.partitions import partition_states
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId, ReplicaId


def fence_no_controller(cluster: Cluster, controller: BrokerId) -> bool:
    """A write does not depend on the controller epoch (M-12, Z-FENCE-1)."""
    return False


def stop_first(
    cluster: Cluster, controller: BrokerId, context: ControllerContext, batch: Batch
) -> Cluster:
    """StopReplica goes out before the batch's other requests (M-22, C-BATCH-1)."""
    send = original(sending.send_batch)
    stops = Batch(stop_replica=batch.stop_replica)
    cluster = send(cluster, controller, context, stops)
    return send(cluster, controller, context, _with_stop_replica(batch, ()))


def spare_live_brokers_a_stop(
    cluster: Cluster, controller: BrokerId, context: ControllerContext, batch: Batch
) -> Cluster:
    """A live broker with an offline replica gets no StopReplica (M-23, C-RSM-4)."""
    stops = tuple(
        replica for replica in batch.stop_replica if not context.holds_offline(*replica)
    )
    send = original(sending.send_batch)
    return send(cluster, controller, context, _with_stop_replica(batch, stops))


def _with_stop_replica(batch: Batch, replicas: tuple[ReplicaId, ...]) -> Batch:
    return Batch(
        leader_and_isr=batch.leader_and_isr,
        stop_replica=replicas,
        updates_metadata=batch.updates_metadata,
        metadata=batch.metadata,
    )


def tell_the_offline_replica_too(
    cluster: Cluster, controller: BrokerId, context: ControllerContext, batch: Batch
) -> Cluster:
    """A replica to be stopped is told who leads, and its answer is new (M-24, C-RSM-4).

    The controller forgets that the replica is offline when it tells its broker.
    """
    decided = {entry.partition: entry for _, entry in batch.leader_and_isr}
    remembered = cluster.contexts[controller]
    for broker, partition in batch.stop_replica:
        if partition in decided:
            batch = batch.add_leader_and_isr((broker,), decided[partition])
            remembered = remembered.mark_online(broker, partition)
    cluster = cluster.evolve(contexts={controller: remembered})
    return original(sending.send_batch)(cluster, controller, context, batch)


def hide_offline_directories(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    brokers: Iterable[BrokerId],
    partitions: tuple[PartitionMetadata | None, ...],
) -> Cluster:
    """Clients learn of dead brokers only (M-30, C-UMR-1)."""
    told = tuple(
        partition
        and evolve(partition, offline=partition.offline - context.live_or_shutting_down)
        for partition in partitions
    )
    send = original(sending.send_metadata)
    return send(cluster, controller, context, brokers, told)


def forget_that_a_replica_is_new(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    partition: PartitionId,
    brokers: tuple[BrokerId, ...],
    ask: Ask = PartitionToLead,
) -> Cluster:
    """A later entry of a batch replaces an earlier one whole (M-36, C-BATCH-2)."""
    batch: Batch = cluster.batches[controller]
    kept = tuple(
        (to, entry)
        for to, entry in batch.leader_and_isr
        if to not in brokers or entry.partition != partition
    )
    cluster = cluster.evolve(batches={controller: evolve(batch, leader_and_isr=kept)})
    collect = original(partition_states.collect)
    return collect(cluster, controller, context, partition, brokers, ask)


def lead_before_first_metadata(
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


def skip_requests_to_leader_shutting_down(
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


def drop_sent_requests(
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
    "m-12-fence-no-controller": KAFKA_2_5.replacing(
        controller_election.is_fenced, by=fence_no_controller
    ),
    "m-22-stop-first": KAFKA_2_5.replacing(sending.send_batch, by=stop_first),
    "m-23-spare-live-brokers-a-stop": KAFKA_2_5.replacing(
        sending.send_batch, by=spare_live_brokers_a_stop
    ),
    "m-24-tell-the-offline-replica-too": KAFKA_2_5.replacing(
        sending.send_batch, by=tell_the_offline_replica_too
    ),
    "m-30-hide-offline-directories": KAFKA_2_5.replacing(
        sending.send_metadata, by=hide_offline_directories
    ),
    "m-36-forget-that-a-replica-is-new": KAFKA_2_5.replacing(
        partition_states.collect, by=forget_that_a_replica_is_new
    ),
    "kafka-4443-lead-before-first-metadata": KAFKA_2_5.replacing(
        sending.send_metadata, by=lead_before_first_metadata
    ),
    "kafka-7482-skip-requests-to-leader-shutting-down": KAFKA_2_5.replacing(
        sending.send_batch, by=skip_requests_to_leader_shutting_down
    ),
    "kafka-1738-drop-sent-requests": KAFKA_2_5.replacing(
        duplicate_requests.send_again, by=drop_sent_requests
    ),
    "kafka-8526-try-one-directory": KAFKA_2_5.replacing(
        leader_and_isr.handle_leader_and_isr, by=try_one_directory
    ),
}
