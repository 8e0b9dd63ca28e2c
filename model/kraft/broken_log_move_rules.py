"""Rules of moves in KRaft, each broken as Kafka broke it, or without a guard."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.broker.log_moves import replace_log
from replicheck.model.kraft.cells.log_move import Promotion
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.vocabulary import BrokerId


def is_reverted_while_queued(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A move that was accepted is not taken back at the controller (KAFKA-16297)."""
    return cluster.moves[broker].promotion is Promotion.QUEUED


def leave_abandoned_log(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A future log in the assigned directory stays a future log (KAFKA-16082)."""
    return cluster


def is_valid_without_replica(cluster: KraftCluster, broker: BrokerId) -> bool:
    """An assignment is sent although the broker has no replica (KAFKA-16886)."""
    return cluster.caches[broker].partition.replicas != ()


def is_valid_without_topic(cluster: KraftCluster, broker: BrokerId) -> bool:
    """An assignment is sent although the topic is deleted (KAFKA-17190)."""
    record = cluster.caches[broker].partition
    return not record.replicas or record.has_replica(broker)


def promote_untold(cluster: KraftCluster, broker: BrokerId) -> Iterator[KraftCluster]:
    """A future log that has caught up takes the log's place, and no one is told."""
    move = cluster.moves[broker]
    if move.directory is not None and move.has_caught_up(cluster.logs[broker]):
        yield replace_log(cluster, broker, move.directory)
