"""Mutations of who creates a replica, and where."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.cluster.broker import aborted_requests, leader_and_isr
from replicheck.model.cluster.broker.log_creation import Creation, directory_for_new_log
from replicheck.model.cluster.cells.channels import Answers, PartitionToLead, to_create
from replicheck.model.cluster.controller import broker_changes
from replicheck.model.cluster.controller.partitions import partition_states
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, DirectoryId


def create_although_a_directory_is_offline(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """A replica that is not found is created, wherever its log is (M-1, B-NEW-1)."""

    def first_good(
        cluster: Cluster, broker: BrokerId, asked: PartitionToLead
    ) -> DirectoryId | None:
        as_new = evolve(asked, is_new=True)
        return directory_for_new_log(cluster, broker, as_new)

    yield from leader_and_isr.obey(cluster, controller, broker, creation=first_good)


def create_logs_only_if_new(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """A replica that is not found is refused, disks offline or not (B-NEW-1)."""

    def if_new(
        cluster: Cluster, broker: BrokerId, asked: PartitionToLead
    ) -> DirectoryId | None:
        if not asked.is_new:
            return None
        return directory_for_new_log(cluster, broker, asked)

    yield from leader_and_isr.obey(cluster, controller, broker, creation=if_new)


def call_replicas_of_a_started_broker_new(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A broker that starts is told to create its replicas (M-2, C-NEW-1)."""
    yield from broker_changes.start_brokers(cluster, controller, to_create)


def call_no_replica_new(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """No broker is told to create the first replicas (M-3, C-PSM-2)."""
    yield from partition_states.initialize(cluster, controller, PartitionToLead)


def obey_between_the_phases(
    cluster: Cluster,
    broker: BrokerId,
    partitions: tuple[PartitionToLead, ...],
    creation: Creation,
) -> Iterator[tuple[Cluster, Answers]]:
    """A log that is found in a directory to be closed is used (B-LIR-10)."""
    yield from leader_and_isr.answers_of(cluster, broker, partitions, creation)


MUTATIONS: dict[str, Protocol] = {
    "b-lir-10-obey-between-the-phases": KAFKA_2_5.replacing(
        aborted_requests.abort_request, by=obey_between_the_phases
    ),
    "m-1-create-although-a-directory-is-offline": KAFKA_2_5.replacing(
        leader_and_isr.handle_leader_and_isr,
        by=create_although_a_directory_is_offline,
    ),
    "b-new-1-create-logs-only-if-new": KAFKA_2_5.replacing(
        leader_and_isr.handle_leader_and_isr, by=create_logs_only_if_new
    ),
    "m-2-call-replicas-of-a-started-broker-new": KAFKA_2_5.replacing(
        broker_changes.on_broker_startup, by=call_replicas_of_a_started_broker_new
    ),
    "m-3-call-no-replica-new": KAFKA_2_5.replacing(
        partition_states.initialize_partition, by=call_no_replica_new
    ),
}
