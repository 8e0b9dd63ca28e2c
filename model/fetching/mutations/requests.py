"""Mutations of how a broker obeys the controller, and handles a failed directory."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.broker import replica_manager, replica_removal
from replicheck.model.fetching.cells.requests import Becoming
from replicheck.model.fetching.fetchers.fetcher_manager import (
    remove_fetcher_for_partitions,
)
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId


def accept_a_known_epoch(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, epoch: Epoch
) -> bool:
    """A request with the replica's own epoch is obeyed (B-LAI-1)."""
    if cluster.replicas[broker][partition].is_behind(epoch):
        return True
    return cluster.replicas[broker][partition].is_in_epoch(epoch)


def accept_any_epoch(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, epoch: Epoch
) -> bool:
    """A request with any epoch is obeyed (B-LAI-1)."""
    return True


def lead_with_the_fetcher_at_work(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The fetcher is removed after the broker began to lead, at once (B-LEAD)."""
    if not cluster.inboxes[broker][partition].tells_to_lead(broker):
        return
    if not replica_manager.accepts(cluster, broker, partition):
        return
    yield replica_manager.take_request(cluster, broker, partition, Becoming.LEADER)


def mark_offline_and_go_on_fetching(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The replica is marked offline before its fetcher is removed (B-DIR-1)."""
    if not cluster.directory_of(broker, partition).is_failing():
        return
    if not cluster.handlers[broker].is_idle():
        return
    if cluster.replicas[broker][partition].is_online():
        yield replica_removal.mark_partition_offline(cluster, broker, partition)
    elif any(
        cluster.fetch_state(thread, partition).is_tracked()
        for thread in cluster.threads_of(broker)
    ):
        yield remove_fetcher_for_partitions(cluster, broker, partition)


MUTATIONS: dict[str, Protocol] = {
    "b-lai-1-accept-a-known-epoch": KAFKA_2_5.replacing(
        replica_manager.is_newer, by=accept_a_known_epoch
    ),
    "b-lai-1-accept-any-epoch": KAFKA_2_5.replacing(
        replica_manager.is_newer, by=accept_any_epoch
    ),
    "b-lead-lead-with-the-fetcher-at-work": KAFKA_2_5.replacing(
        replica_manager.make_leaders, by=lead_with_the_fetcher_at_work
    ),
    "b-dir-1-mark-offline-and-go-on-fetching": KAFKA_2_5.replacing(
        replica_removal.handle_log_dir_failure, by=mark_offline_and_go_on_fetching
    ),
}
