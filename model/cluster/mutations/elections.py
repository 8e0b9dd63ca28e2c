"""Mutations of the controller's elections."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.controller import partition_states
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId


def elect_any_live_broker(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A replica on an offline directory can be elected (M-4, C-CTX-1)."""
    task = partition_states.election_due(cluster, controller)
    if task is None:
        return
    live = tuple(sorted(cluster.contexts[controller].live_brokers))
    yield partition_states.choose_leader(cluster, controller, task, live)


MUTATIONS: dict[str, Protocol] = {
    "m-4-elect-any-live-broker": KAFKA_2_5.replacing(
        partition_states.read_for_election, by=elect_any_live_broker
    ),
}
