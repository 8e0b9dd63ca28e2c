"""Mutations of how the controller handles brokers that come, go and register."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.events import BrokerChange
from replicheck.model.cluster.cells.controller.tasks import OnBrokerStartup
from replicheck.model.cluster.controller import (
    api_requests,
    broker_changes,
    controller_election,
    sending,
)
from replicheck.model.cluster.controller.partitions import replica_states
from replicheck.model.cluster.controller.partitions.partition_states import (
    elections_due,
)
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerEpoch, BrokerId


def take_a_bounce_for_a_start(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A broker that bounced keeps its leadership and its ISR (M-17, C-BRK-1)."""
    if not controller_election.may_handle(cluster, controller, BrokerChange):
        return
    known, current, after = broker_changes.read_broker_change(cluster, controller)
    bounced = [
        broker
        for broker, epoch in current.items()
        if known[broker] and epoch and epoch != known[broker]
    ]
    if not bounced:
        yield from broker_changes.handle_broker_change(cluster, controller)
        return
    epochs = tuple(current.values())
    start = OnBrokerStartup(sending.epochs_of(bounced, epochs))
    yield after.evolve(
        channels={
            (controller, broker): after.channels[controller][broker].clear()
            for broker in bounced
        },
        threads={controller: after.threads[controller].begin((start,))},
    )


def forget_nothing(
    cluster: Cluster, context: ControllerContext, brokers: frozenset[BrokerId]
) -> ControllerContext:
    """What was known of a broker's directories outlives the broker (M-5, C-CTX-2)."""
    return context


def elect_before_announcing(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Brokers that came are told to the others after elections (M-33, C-BRK-2)."""
    if not cluster.threads[controller].is_at(OnBrokerStartup):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, OnBrokerStartup)
    context = cluster.contexts[controller]
    if all(context.knows_live(*broker) for broker in task.brokers):
        yield from broker_changes.on_broker_startup(cluster, controller)
        return
    came = frozenset(broker for broker, _ in task.brokers)
    context = context.add_brokers(task.brokers).forget_directories(came)
    then = (*elections_due(context), task)
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(then)},
    )


def compare_ids_only(
    cluster: Cluster, before: BrokerEpoch | None, after: BrokerEpoch | None
) -> bool:
    """A broker that came back before it was missed never left (KAFKA-7235, C-BRK-1)."""
    return False


def obey_late_shutdowns(
    cluster: Cluster, controller: BrokerId, broker: BrokerId, epoch: BrokerEpoch
) -> bool:
    """A request to shut down stops the broker's next process (KAFKA-7235, C-CSD-1)."""
    return cluster.contexts[controller].live[broker] is None


MUTATIONS: dict[str, Protocol] = {
    "kafka-7235-obey-late-shutdowns": KAFKA_2_5.replacing(
        api_requests.is_outdated, by=obey_late_shutdowns
    ),
    "m-5-never-forget-an-offline-directory": KAFKA_2_5.replacing(
        replica_states.forget_directories, by=forget_nothing
    ),
    "m-33-elect-before-announcing": KAFKA_2_5.replacing(
        broker_changes.on_broker_startup, by=elect_before_announcing
    ),
    "m-17-take-a-bounce-for-a-start": KAFKA_2_5.replacing(
        broker_changes.handle_broker_change, by=take_a_bounce_for_a_start
    ),
    "kafka-7235-compare-ids-only": KAFKA_2_5.replacing(
        broker_changes.has_bounced, by=compare_ids_only
    ),
}
