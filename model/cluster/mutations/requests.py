"""Mutations of the checks that a broker makes of a request."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import leader_and_isr
from replicheck.model.cluster.cells.messages import (
    LeaderAndIsrRequest,
    PartitionToLead,
)
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, Epoch


def obey_deposed_controllers(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The controller epoch of a request is not compared (M-13, B-CHK-2)."""

    def is_for_a_process_before(
        cluster: Cluster, broker: BrokerId, request: LeaderAndIsrRequest
    ) -> bool:
        process = cluster.processes[broker]
        return bool(process.has_epoch_above(request.broker_epoch))

    yield from leader_and_isr.obey(
        cluster, controller, broker, refuses=is_for_a_process_before
    )


def accept_an_equal_epoch(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """A request with the replica's own epoch is obeyed again (M-15, B-LIR-4)."""

    def is_as_new(cluster: Cluster, broker: BrokerId, asked: PartitionToLead) -> bool:
        next_epoch = Epoch(asked.content.epoch + 1)
        return bool(cluster.replicas[broker][asked.partition].is_behind(next_epoch))

    yield from leader_and_isr.obey(cluster, controller, broker, accepts=is_as_new)


def obey_what_was_meant_for_a_process_before(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The broker epoch of a request is not compared (M-16, B-CHK-1)."""

    def is_of_a_deposed_controller(
        cluster: Cluster, broker: BrokerId, request: LeaderAndIsrRequest
    ) -> bool:
        process = cluster.processes[broker]
        return bool(process.knows_controller_above(request.controller_epoch))

    yield from leader_and_isr.obey(
        cluster, controller, broker, refuses=is_of_a_deposed_controller
    )


MUTATIONS: dict[str, Protocol] = {
    "m-13-obey-deposed-controllers": KAFKA_2_5.replacing(
        leader_and_isr.handle_leader_and_isr, by=obey_deposed_controllers
    ),
    "m-15-accept-an-equal-epoch": KAFKA_2_5.replacing(
        leader_and_isr.handle_leader_and_isr, by=accept_an_equal_epoch
    ),
    "m-16-obey-what-was-meant-for-a-process-before": KAFKA_2_5.replacing(
        leader_and_isr.handle_leader_and_isr,
        by=obey_what_was_meant_for_a_process_before,
    ),
}
