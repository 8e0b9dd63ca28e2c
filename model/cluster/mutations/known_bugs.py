"""What was wrong in Kafka 2.5.1 or its repairs, as mutations of `repaired`."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import (
    aborted_requests,
    deletion,
    replication,
    requests,
)
from replicheck.model.cluster.broker.isr import isr_shrinking
from replicheck.model.cluster.broker.log_creation import Creation
from replicheck.model.cluster.cells.channels import (
    Answer,
    Answers,
    PartitionToLead,
    StopReplicaRequest,
)
from replicheck.model.cluster.cells.controller.batch import Batch
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.controller.partitions import replica_states
from replicheck.model.cluster.controller.reassignment import reassignment_steps
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.versions import repaired
from replicheck.model.cluster.versions.repaired import REPAIRED
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId, ReplicaId


def call_no_target_new(
    cluster: Cluster,
    context: ControllerContext,
    partition: PartitionId,
    brokers: tuple[BrokerId, ...],
    content: LeaderAndIsr,
) -> Batch:
    """The first request to an added replica does not call it new (KAFKA-10314)."""
    ask = original(reassignment_steps.asked_in_new_epoch)
    return ask(cluster, context, partition, brokers, content)


def stop_in_any_epoch(
    cluster: Cluster, broker: BrokerId, request: StopReplicaRequest
) -> Iterator[tuple[Cluster, Answers]]:
    """A late StopReplica undoes what came after it (KAFKA-9539, C-STOP-1)."""
    yield from original(requests.stop_replicas)(cluster, broker, request)


def stop_in_newer_epochs_only(
    cluster: Cluster, broker: BrokerId, request: StopReplicaRequest
) -> Iterator[tuple[Cluster, Answers]]:
    """A StopReplica in the replica's own epoch is ignored (KAFKA-13972)."""

    def is_not_newer(replica_epoch: Epoch, epoch: Epoch) -> bool:
        return epoch <= replica_epoch

    yield from repaired.stop_where(cluster, broker, request, is_not_newer)


def add_any_caught_up_follower(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A broker that stops is taken back into the ISR (KAFKA-14140, B-ISR-2)."""
    yield from replication.fetch(cluster, leader, follower, partition)


def announce_if_all_have_leaders(
    cluster: Cluster,
    context: ControllerContext,
    leaderless: tuple[PartitionId, ...],
    replicas: tuple[ReplicaId, ...],
) -> bool:
    """No broker is told of a death while a partition has no leader (KAFKA-13225)."""
    ask = original(replica_states.announces_brokers)
    return ask(cluster, context, leaderless, replicas)


def ask_replicas_only(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> bool:
    """A member of the ISR that is no replica is an error (KAFKA-9672, C-REASG-7)."""
    ask = original(isr_shrinking.is_out_of_sync)
    return ask(cluster, leader, follower, partition)


def end_the_whole_request(
    cluster: Cluster,
    broker: BrokerId,
    partitions: tuple[PartitionToLead, ...],
    creation: Creation,
) -> Iterator[tuple[Cluster, Answers]]:
    """One partition ends the request after others took its epoch (KAFKA-9769)."""
    abort = original(aborted_requests.abort_request)
    yield from abort(cluster, broker, partitions, creation)


def delete_logs_in_use(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Iterator[tuple[Cluster, Answer]]:
    """A log that is not found is deleted, if the partition is unknown (B-STOP-1)."""
    yield from original(deletion.delete_replica)(cluster, broker, partition)


MUTATIONS: dict[str, Protocol] = {
    "kafka-9769-end-the-whole-request": REPAIRED.replacing(
        aborted_requests.abort_request, by=end_the_whole_request
    ),
    "b-stop-1-delete-logs-in-use": REPAIRED.replacing(
        deletion.delete_replica, by=delete_logs_in_use
    ),
    "kafka-10314-call-no-target-new": REPAIRED.replacing(
        reassignment_steps.asked_in_new_epoch, by=call_no_target_new
    ),
    "kafka-9539-stop-in-any-epoch": REPAIRED.replacing(
        requests.stop_replicas, by=stop_in_any_epoch
    ),
    "kafka-13972-stop-in-newer-epochs-only": REPAIRED.replacing(
        requests.stop_replicas, by=stop_in_newer_epochs_only
    ),
    "kafka-14140-add-any-caught-up-follower": REPAIRED.replacing(
        repaired.require_eligible_follower, by=add_any_caught_up_follower
    ),
    "kafka-9672-ask-replicas-only": REPAIRED.replacing(
        isr_shrinking.is_out_of_sync, by=ask_replicas_only
    ),
    "kafka-13225-announce-if-all-have-leaders": REPAIRED.replacing(
        replica_states.announces_brokers, by=announce_if_all_have_leaders
    ),
}
