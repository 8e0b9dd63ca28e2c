"""Kafka 2.5.1 with the rules of later versions, where it was wrong itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import evolve, frozen

from replicheck.model.cluster.broker import (
    aborted_requests,
    deletion,
    replication,
    requests,
)
from replicheck.model.cluster.broker.isr import isr_shrinking
from replicheck.model.cluster.broker.leader_and_isr import answers_of
from replicheck.model.cluster.broker.log_creation import Creation
from replicheck.model.cluster.cells.channels import (
    Answer,
    Answers,
    PartitionToLead,
    StopReplicaRequest,
    to_create,
)
from replicheck.model.cluster.cells.controller.batch import Batch
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.controller import sending
from replicheck.model.cluster.controller.partitions import replica_states
from replicheck.model.cluster.controller.reassignment import reassignment_steps
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import original
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId, ReplicaId

Fences = Callable[[Epoch, Epoch], bool]
"""Whether a replica's epoch fences a request's."""


@frozen
class StopReplicaRequestOfEpochs(StopReplicaRequest):
    """KIP-570: with the leader epoch of each partition.

    None is that of a topic which is being deleted, and of which nothing newer can come.

    Source: StopReplicaRequest, version 3.
    """

    epochs: tuple[Epoch | None, ...] = ()

    def of(self, partition: PartitionId) -> Epoch | None:
        """The epoch of a partition in the request."""
        return self.epochs[self.partitions.index(partition)]


def call_added_replicas_new(
    cluster: Cluster,
    context: ControllerContext,
    partition: PartitionId,
    brokers: tuple[BrokerId, ...],
    content: LeaderAndIsr,
) -> Batch:
    """Replicas that are added are new in the first request already (KAFKA-10314).

    Rules: C-REASG-2.  Source: KafkaController.updateLeaderEpochAndSendRequest, 2.7.0.
    """
    added = context.full_assignment_of(partition).adding
    present = tuple(broker for broker in brokers if broker not in added)
    told = Batch().add_leader_and_isr(present, PartitionToLead(partition, content))
    new = tuple(broker for broker in brokers if broker in added)
    return told.add_leader_and_isr(new, to_create(partition, content))


def stop_in_an_epoch(
    cluster: Cluster,
    context: ControllerContext,
    broker: BrokerId,
    partitions: tuple[PartitionId, ...],
    deletes: bool,
) -> StopReplicaRequest:
    """A StopReplica request says in which leader epoch it was sent (KIP-570).

    Rules: C-STOP-1.
    Source: AbstractControllerBrokerRequestBatch.addStopReplicaRequestForBrokers, 2.6.0.
    """
    make = original(sending.stop_request)
    plain = make(cluster, context, broker, partitions, deletes)
    return StopReplicaRequestOfEpochs(
        plain.controller_epoch,
        plain.broker_epoch,
        plain.partitions,
        plain.deletes,
        tuple(_epoch_of(context, partition) for partition in partitions),
    )


def _epoch_of(context: ControllerContext, partition: PartitionId) -> Epoch | None:
    info = context.info_of(partition)
    return None if info is None or context.is_queued(partition) else info.epoch


def stop_unless_in_a_newer_epoch(
    cluster: Cluster, broker: BrokerId, request: StopReplicaRequest
) -> Iterator[tuple[Cluster, Answers]]:
    """A replica in a newer epoch than the request's is left alone (KIP-570).

    Rules: B-STOP-1, C-STOP-1.  Source: ReplicaManager.stopReplicas, 3.4.1.
    """
    yield from stop_where(cluster, broker, request, is_behind)


def is_behind(replica_epoch: Epoch, epoch: Epoch) -> bool:
    """Tell whether an epoch is older than the replica's."""
    return epoch < replica_epoch


def stop_where(
    cluster: Cluster, broker: BrokerId, request: StopReplicaRequest, fences: Fences
) -> Iterator[tuple[Cluster, Answers]]:
    """Obey for the partitions whose epoch in the request is not fenced."""
    assert isinstance(request, StopReplicaRequestOfEpochs), "all requests have epochs"
    fenced = []
    for partition in request.partitions:
        known, epoch = cluster.replicas[broker][partition].epoch, request.of(partition)
        if known is not None and epoch is not None and fences(known, epoch):
            fenced.append(partition)
    kept = tuple(
        partition for partition in request.partitions if partition not in fenced
    )
    allowed = evolve(request, partitions=kept)
    refused = (
        tuple((partition, Answer.STALE) for partition in fenced)
        if request.deletes
        else ()
    )
    for after, answers in original(requests.stop_replicas)(cluster, broker, allowed):
        yield after, (*answers, *refused)


def require_eligible_follower(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A broker that the controller knows to stop does not join the ISR (KIP-841).

    Abstraction: the leader writes to ZooKeeper as before; that the controller does so
    for it, and what it says, is in the same step (KIP-497).

    Rules: B-ISR-2.  Source: ReplicationControlManager.alterPartition, 3.3.0.
    """

    def may_join(
        cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
    ) -> bool:
        if not replication.reaches_epoch_start(cluster, leader, follower, partition):
            return False
        return not any(
            cluster.controller_nodes.is_held_by(broker)
            and cluster.contexts[broker].is_active()
            and not cluster.contexts[broker].is_live(follower)
            for broker in cluster.bounds.broker_ids
        )

    yield from replication.serve_fetch(cluster, leader, follower, partition, may_join)


def announce_if_no_request_is_sent(
    cluster: Cluster,
    context: ControllerContext,
    leaderless: tuple[PartitionId, ...],
    replicas: tuple[ReplicaId, ...],
) -> bool:
    """Brokers learn who is live, also if partitions are offline (KAFKA-13225).

    Rules: C-OFF-1.  Source: KafkaController.onReplicasBecomeOffline, 3.1.0.
    """
    return bool(cluster.bounds.metadata) and not (leaderless and replicas)


def shrink_unassigned_members(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> bool:
    """A member of the ISR that is no replica is out of sync itself (KAFKA-9672).

    Rules: C-REASG-7.  Source: Partition.isFollowerOutOfSync, 3.0.0.
    """
    return isr_shrinking.lags(cluster, leader, follower, partition)


def delete_unless_it_may_be_offline(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Iterator[tuple[Cluster, Answer]]:
    """A log that is not found counts as deleted if no directory is offline only.

    In 2.5.1 that is asked for a partition in use; from 2.7.0 on it is not asked at all.

    Rules: B-STOP-1, C-STOP-2.  Source: LogManager.asyncDelete.
    """
    found = deletion.directories_with_log(cluster, broker, partition)
    if not found and deletion.has_offline_directory(cluster, broker):
        yield cluster, Answer.STORAGE_ERROR
        return
    yield from original(deletion.delete_replica)(cluster, broker, partition)


def skip_failing_partitions(
    cluster: Cluster,
    broker: BrokerId,
    partitions: tuple[PartitionToLead, ...],
    creation: Creation,
) -> Iterator[tuple[Cluster, Answers]]:
    """An error of one partition is its own; all others are obeyed (KAFKA-9769).

    Rules: B-LIR-10.  Source: ReplicaManager.makeFollowers.
    """
    fatal = [
        asked
        for asked in partitions
        if aborted_requests.ends_request(cluster, broker, asked)
    ]
    obeyed = tuple(asked for asked in partitions if asked not in fatal)
    refused = aborted_requests.rejected(tuple(fatal))
    for asked in fatal:
        cluster = aborted_requests.hold_place(cluster, broker, asked.partition)
    for after, answers in answers_of(cluster, broker, obeyed, creation):
        yield after, (*answers, *refused)


REPAIRED = (
    KAFKA_2_5.replacing(
        reassignment_steps.asked_in_new_epoch, by=call_added_replicas_new
    )
    .replacing(sending.stop_request, by=stop_in_an_epoch)
    .replacing(requests.stop_replicas, by=stop_unless_in_a_newer_epoch)
    .replacing(replication.fetch, by=require_eligible_follower)
    .replacing(replica_states.announces_brokers, by=announce_if_no_request_is_sent)
    .replacing(isr_shrinking.is_out_of_sync, by=shrink_unassigned_members)
    .replacing(deletion.delete_replica, by=delete_unless_it_may_be_offline)
    .replacing(aborted_requests.abort_request, by=skip_failing_partitions)
    .named("repaired")
)
