"""Mutations of what the controller takes from answers."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.messages import Answer
from replicheck.model.cluster.cells.thread import LeaderAndIsrResponseReceived
from replicheck.model.cluster.controller import election, events
from replicheck.model.cluster.controller.replica_states import replicas_become_offline
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId


def take_only_dead_leaders_for_offline(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A leader on an offline directory counts as online (M-4, C-CTX-1)."""
    event = _response(cluster, controller)
    if event is None:
        return
    context = cluster.contexts[controller]
    if event.answer is not Answer.STORAGE_ERROR or context.holds_offline(event.broker):
        yield from events.handle_leader_and_isr_response(cluster, controller)
        return
    queues = {controller: cluster.event_queues[controller].pop()}
    cluster = cluster.evolve(event_queues=queues)
    brokers = frozenset({event.broker})
    for each, then in replicas_become_offline(cluster, controller, context, brokers):
        yield cluster.evolve(
            contexts={controller: each.mark_offline(event.broker)},
            threads={controller: cluster.threads[controller].begin(then)},
        )


def take_every_error_for_offline(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Any error, also of a stale request, makes a replica offline (M-6, C-LDE-2)."""
    event = _response(cluster, controller)
    if event is None:
        return
    context = cluster.contexts[controller]
    if event.answer is not Answer.STALE or context.holds_offline(event.broker):
        yield from events.handle_leader_and_isr_response(cluster, controller)
        return
    queues = {controller: cluster.event_queues[controller].pop()}
    cluster = cluster.evolve(event_queues=queues)
    yield from events.learn_of_offline_replica(cluster, controller, event.broker)


def take_stale_for_healthy(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """An answer that the epoch is known says that all is well (M-7, C-LIR-1)."""
    event = _response(cluster, controller)
    if event is None:
        return
    if event.answer is not Answer.STALE:
        yield from events.handle_leader_and_isr_response(cluster, controller)
        return
    context = cluster.contexts[controller].mark_online(event.broker)
    yield cluster.evolve(
        event_queues={controller: cluster.event_queues[controller].pop()},
        contexts={controller: context},
    )


def _response(
    cluster: Cluster, controller: BrokerId
) -> LeaderAndIsrResponseReceived | None:
    """Return the response that the controller can handle next, if there is one."""
    if not election.may_handle(cluster, controller, LeaderAndIsrResponseReceived):
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
