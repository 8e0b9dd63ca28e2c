"""Mutations of how the controller handles brokers that come and go."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.events import BrokerChange
from replicheck.model.cluster.cells.tasks import OnBrokerStartup
from replicheck.model.cluster.controller import election, events, sending
from replicheck.model.cluster.controller.partition_states import elections_due
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


def start_without_forgetting(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """What was known of a broker's directories outlives the broker (M-5, C-CTX-2)."""
    for after in events.on_broker_startup(cluster, controller):
        yield _still_knowing(cluster, after, controller)


def fail_without_forgetting(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """What was known of a broker's directories outlives the broker (M-5, C-CTX-2)."""
    for after in events.on_broker_failure(cluster, controller):
        yield _still_knowing(cluster, after, controller)


def _still_knowing(before: Cluster, after: Cluster, controller: BrokerId) -> Cluster:
    known = before.contexts[controller]
    context = after.contexts[controller]
    for replica in known.replicas_on(known.broker_ids):
        if known.holds_offline(*replica):
            context = context.mark_offline(*replica)
    return after.evolve(contexts={controller: context})


def elect_before_announcing(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Who came is told to the others after the elections (M-33, C-BRK-2)."""
    if not cluster.threads[controller].is_at(OnBrokerStartup):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, OnBrokerStartup)
    context = cluster.contexts[controller]
    if all(context.knows_live(*each) for each in task.brokers):
        yield from events.on_broker_startup(cluster, controller)
        return
    context = context.add_brokers(task.brokers)
    then = (*elections_due(context), task)
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(then)},
    )


MUTATIONS: dict[str, Protocol] = {
    "m-5-never-forget-an-offline-directory": KAFKA_2_5.replacing(
        events.on_broker_startup, by=start_without_forgetting
    ).replacing(events.on_broker_failure, by=fail_without_forgetting),
    "m-33-elect-before-announcing": KAFKA_2_5.replacing(
        events.on_broker_startup, by=elect_before_announcing
    ),
    "m-17-take-a-bounce-for-a-start": KAFKA_2_5.replacing(
        events.handle_broker_change, by=take_a_bounce_for_a_start
    ),
}
