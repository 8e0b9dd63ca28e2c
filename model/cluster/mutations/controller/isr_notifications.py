"""Mutations of how the controller is told of ISRs."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import isr_changes
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId


def tell_nobody(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A leader forgets which ISRs it stored (Z-ISRN-1)."""
    for after in isr_changes.propagate_isr_changes(cluster, broker):
        told = after.changed_partitions[broker]
        yield cluster.evolve(changed_partitions={broker: told})


MUTATIONS: dict[str, Protocol] = {
    "z-isrn-1-tell-nobody": KAFKA_2_5.replacing(
        isr_changes.propagate_isr_changes, by=tell_nobody
    ),
}
