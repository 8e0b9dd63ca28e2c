"""Mutations of what the controller takes from answers."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.channels import Answer
from replicheck.model.cluster.cells.controller.events import (
    LeaderAndIsrResponseReceived,
)
from replicheck.model.cluster.controller import controller_election, events
from replicheck.model.cluster.controller.partitions.replica_states import (
    replicas_become_offline,
)
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, PartitionId


def take_only_dead_leaders_for_offline(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A leader on an offline directory counts as online (M-4, C-CTX-1)."""
    event = _response(cluster, controller)
    if event is None:
        return
    context = cluster.contexts[controller]
    found = tuple(
        (event.broker, partition) for partition in _with(event, Answer.STORAGE_ERROR)
    )
    new = tuple(replica for replica in found if not context.holds_offline(*replica))
    if not new:
        yield from events.handle_leader_and_isr_response(cluster, controller)
        return
    cluster = _without_event(cluster, controller)
    for learned, then in replicas_become_offline(cluster, controller, context, new):
        for replica in new:
            learned = learned.mark_offline(*replica)
        yield cluster.evolve(
            contexts={controller: learned},
            threads={controller: cluster.threads[controller].begin(then)},
        )


def take_every_error_for_offline(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Any error, also of a stale request, makes a replica offline (M-6, C-LDE-2)."""
    event = _response(cluster, controller)
    if event is None:
        return
    yield from events.learn_from(
        _without_event(cluster, controller),
        controller,
        event.broker,
        _with(event, Answer.NONE),
        _with(event, Answer.STORAGE_ERROR) + _with(event, Answer.STALE),
    )


def take_stale_for_healthy(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """An answer that the epoch is known says that all is well (M-7, C-LIR-1)."""
    event = _response(cluster, controller)
    if event is None:
        return
    yield from events.learn_from(
        _without_event(cluster, controller),
        controller,
        event.broker,
        _with(event, Answer.NONE) + _with(event, Answer.STALE),
        _with(event, Answer.STORAGE_ERROR),
    )


def _with(
    event: LeaderAndIsrResponseReceived, answer: Answer
) -> tuple[PartitionId, ...]:
    """The partitions with an answer."""
    return tuple(partition for partition, said in event.answers if said is answer)


def _without_event(cluster: Cluster, controller: BrokerId) -> Cluster:
    queue = cluster.event_queues[controller].pop()
    return cluster.evolve(event_queues={controller: queue})


def _response(
    cluster: Cluster, controller: BrokerId
) -> LeaderAndIsrResponseReceived | None:
    """The response that the controller can handle next, if there is one."""
    if not controller_election.may_handle(
        cluster, controller, LeaderAndIsrResponseReceived
    ):
        return None
    event = cluster.event_queues[controller].head
    assert isinstance(event, LeaderAndIsrResponseReceived)
    return event


MUTATIONS: dict[str, Protocol] = {
    "m-4-take-only-dead-leaders-for-offline": KAFKA_2_5.replacing(
        events.handle_leader_and_isr_response, by=take_only_dead_leaders_for_offline
    ),
    "m-6-take-every-error-for-offline": KAFKA_2_5.replacing(
        events.handle_leader_and_isr_response, by=take_every_error_for_offline
    ),
    "m-7-take-stale-for-healthy": KAFKA_2_5.replacing(
        events.handle_leader_and_isr_response, by=take_stale_for_healthy
    ),
}
