"""Mutations of how the controller handles brokers that come and go."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.thread import BrokerChange, OnBrokerStartup
from replicheck.model.cluster.controller import election, events, sending
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId


def take_a_bounce_for_a_start(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A broker that bounced keeps its leadership and its ISR (M-17, C-BRK-1)."""
    if not election.may_handle(cluster, controller, BrokerChange):
        return
    known, current, after = events.read_broker_change(cluster, controller)
    bounced = [
        broker
        for broker, epoch in current.items()
        if known[broker] and epoch and epoch != known[broker]
    ]
    if not bounced:
        yield from events.handle_broker_change(cluster, controller)
        return
    epochs = tuple(current.values())
    start = OnBrokerStartup(sending.epochs_of(bounced, epochs))
    yield after.evolve(
        channels={
            (controller, each): after.channels[controller][each].clear()
            for each in bounced
        },
        threads={controller: after.threads[controller].begin((start,))},
    )


MUTATIONS: dict[str, Protocol] = {
    "m-17-take-a-bounce-for-a-start": KAFKA_2_5.replacing(
        events.handle_broker_change, by=take_a_bounce_for_a_start
    ),
}
