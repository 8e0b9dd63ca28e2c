"""Mutations of the checks that a broker makes of a request."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.cluster.broker import replica_roles, requests
from replicheck.model.cluster.cells.channels import (
    Answers,
    PartitionToLead,
    Request,
    StopReplicaRequest,
)
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, Epoch


def obey_deposed_controllers(
    cluster: Cluster, broker: BrokerId, request: Request
) -> bool:
    """The controller epoch of a request is not compared (M-13, B-CHK-2)."""
    process = cluster.processes[broker]
    return process.has_epoch_above(request.broker_epoch)


def ignore_broker_epoch(cluster: Cluster, broker: BrokerId, request: Request) -> bool:
    """The broker epoch of a request is not compared (M-16, B-CHK-1)."""
    process = cluster.processes[broker]
    return process.knows_controller_above(request.controller_epoch)


def accept_a_smaller_epoch(
    cluster: Cluster, broker: BrokerId, asked: PartitionToLead
) -> bool:
    """Any request is obeyed but one with the replica's own epoch (M-14, B-LIR-4)."""
    replica = cluster.replicas[broker][asked.partition]
    return not replica.is_in_epoch(asked.content.epoch)


def accept_an_equal_epoch(
    cluster: Cluster, broker: BrokerId, asked: PartitionToLead
) -> bool:
    """A request with the replica's own epoch is obeyed again (M-15, B-LIR-4)."""
    next_epoch = Epoch(asked.content.epoch + 1)
    return cluster.replicas[broker][asked.partition].is_behind(next_epoch)


def leave_waiting_producers(
    cluster: Cluster, broker: BrokerId, request: StopReplicaRequest
) -> Iterator[tuple[Cluster, Answers]]:
    """StopReplica answers no producer that waits (KAFKA-9198, B-STOP-1)."""
    produces = {
        (broker, partition): cluster.produces[broker][partition]
        for partition in request.partitions
    }
    for after, answers in original(requests.stop_replicas)(cluster, broker, request):
        yield after.evolve(produces=produces), answers


def overtake_in_line(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """StopReplica can be handled before the request in front of it (N-1)."""
    yield from requests.handle_stop_replica(cluster, controller, broker)
    channel = cluster.channels[controller][broker]
    if channel.answers is None and len(channel.requests) > 1:
        first, second, *later = channel.requests
        ahead = evolve(channel, requests=(second, first, *later))
        cluster = cluster.evolve(channels={(controller, broker): ahead})
        yield from requests.handle_stop_replica(cluster, controller, broker)


MUTATIONS: dict[str, Protocol] = {
    "n-1-overtake-in-line": KAFKA_2_5.replacing(
        requests.handle_stop_replica, by=overtake_in_line
    ),
    "m-13-obey-deposed-controllers": KAFKA_2_5.replacing(
        requests.is_stale, by=obey_deposed_controllers
    ),
    "m-14-accept-a-smaller-epoch": KAFKA_2_5.replacing(
        replica_roles.is_newer, by=accept_a_smaller_epoch
    ),
    "m-15-accept-an-equal-epoch": KAFKA_2_5.replacing(
        replica_roles.is_newer, by=accept_an_equal_epoch
    ),
    "m-16-ignore-broker-epoch": KAFKA_2_5.replacing(
        requests.is_stale, by=ignore_broker_epoch
    ),
    "kafka-9198-leave-waiting-producers": KAFKA_2_5.replacing(
        requests.stop_replicas, by=leave_waiting_producers
    ),
}
