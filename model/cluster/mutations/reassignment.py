"""Mutations of the reassignment of partitions."""

from __future__ import annotations

from replicheck.model.cluster.cells.context import ControllerContext
from replicheck.model.cluster.controller import reassignment
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import PartitionId


def take_it_for_complete(
    cluster: Cluster, context: ControllerContext, partition: PartitionId
) -> bool:
    """Replicas are removed whoever is in sync (C-REASG-1)."""
    return True


MUTATIONS: dict[str, Protocol] = {
    "reassignment-complete-at-once": KAFKA_2_5.replacing(
        reassignment.is_complete, by=take_it_for_complete
    ),
}
