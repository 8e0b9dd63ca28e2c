"""Mutations of what a registration says, and of who believes it."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import requests
from replicheck.model.cluster.cells.events import Reelect, RegisterBrokerAndReelect
from replicheck.model.cluster.cells.messages import Request
from replicheck.model.cluster.cells.znodes import ZooKeeperPath
from replicheck.model.cluster.controller import events, sessions
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watching import fire_watches
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerEpoch, BrokerId


def compare_ids_only(
    cluster: Cluster, before: BrokerEpoch | None, after: BrokerEpoch | None
) -> bool:
    """A broker that came back before it was missed never left (KAFKA-7235, C-BRK-1)."""
    return False


def refuse_any_other_epoch(
    cluster: Cluster, broker: BrokerId, request: Request
) -> bool:
    """A request for a broker epoch yet to be learned is refused (KAFKA-9839)."""
    process = cluster.processes[broker]
    if process.epoch != request.broker_epoch:
        return True
    return bool(process.knows_controller_above(request.controller_epoch))


def learn_the_epoch_later(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A broker refuses requests for the registration that it just made (KAFKA-9839).

    It is registered for a while before it knows its epoch.
    """
    if not cluster.event_queues[broker].head_is(RegisterBrokerAndReelect):
        return
    if not cluster.threads[broker].may_take(RegisterBrokerAndReelect):
        return
    node = cluster.broker_nodes[broker]
    if not node.is_present:
        cluster = fire_watches(cluster, ZooKeeperPath.BROKER_IDS)
        yield cluster.evolve(broker_nodes={broker: node.register()})
        return
    yield cluster.evolve(
        processes={broker: cluster.processes[broker].register(node.epoch)},
        event_queues={broker: cluster.event_queues[broker].become(Reelect())},
    )


MUTATIONS: dict[str, Protocol] = {
    "kafka-7235-compare-ids-only": KAFKA_2_5.replacing(
        events.has_bounced, by=compare_ids_only
    ),
    "kafka-9839-refuse-any-other-epoch": KAFKA_2_5.replacing(
        requests.is_stale, by=refuse_any_other_epoch
    ).replacing(sessions.register_again, by=learn_the_epoch_later),
}
