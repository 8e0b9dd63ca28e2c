"""What is wrong in Kafka 2.5.1 itself, as mutations of the protocol that mends it."""

from __future__ import annotations

from replicheck.model.fetching import log_truncation, replica_manager, truncation
from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.state import Cluster, Thread
from replicheck.model.fetching.versions import MENDED
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


def keep_epochs_at_the_end(
    cluster: Cluster, thread: Thread, partition: PartitionId, offset: Offset
) -> PartitionLog:
    """A cut at the end of a log keeps epochs without records (K-8, KAFKA-10706)."""
    return original(log_truncation.truncate_log)(cluster, thread, partition, offset)


def cut_whoever_is_tracked(
    cluster: Cluster, thread: Thread, partition: PartitionId
) -> bool:
    """A partition without epochs is cut, also if it went and came back (K-9)."""
    return original(truncation.is_still_without_epoch)(cluster, thread, partition)


def count_on_what_was_known_before(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """Whoever led before keeps what it knew of followers (L-LEAD)."""
    return original(replica_manager.is_new_leader)(cluster, broker, partition)


MUTATIONS: dict[str, Protocol] = {
    "k-8-keep-epochs-at-the-end": MENDED.replacing(
        log_truncation.truncate_log, by=keep_epochs_at_the_end
    ),
    "k-9-cut-whoever-is-tracked": MENDED.replacing(
        truncation.is_still_without_epoch, by=cut_whoever_is_tracked
    ),
    "l-lead-count-on-what-was-known-before": MENDED.replacing(
        replica_manager.is_new_leader, by=count_on_what_was_known_before
    ),
}
