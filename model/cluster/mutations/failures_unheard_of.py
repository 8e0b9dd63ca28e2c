"""Mutations of brokers whose controller hears of no failed directory."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import log_dirs
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.versions.old_controller import (
    OLD_CONTROLLER,
    halt_on_a_failed_directory,
)
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId


def notify_nobody(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A broker that runs on tells a controller that does not listen (KAFKA-5767)."""
    if cluster.handlers[broker].has_closed():
        handlers = {broker: cluster.handlers[broker].finish()}
        yield cluster.evolve(handlers=handlers)


MUTATIONS: dict[str, Protocol] = {
    "kafka-5767-run-on-unheard": OLD_CONTROLLER.replacing(
        halt_on_a_failed_directory, by=log_dirs.mark_replicas_offline
    ).replacing(log_dirs.notify_controller, by=notify_nobody),
}
