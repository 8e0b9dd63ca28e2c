"""Mutations of what a registration says, and of who believes it."""

from __future__ import annotations

from replicheck.model.cluster.controller import broker_changes
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerEpoch


def compare_ids_only(
    cluster: Cluster, before: BrokerEpoch | None, after: BrokerEpoch | None
) -> bool:
    """A broker that came back before it was missed never left (KAFKA-7235, C-BRK-1)."""
    return False


MUTATIONS: dict[str, Protocol] = {
    "kafka-7235-compare-ids-only": KAFKA_2_5.replacing(
        broker_changes.has_bounced, by=compare_ids_only
    ),
}
