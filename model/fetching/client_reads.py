"""What a leader tells clients, which learn of committed records only."""

from __future__ import annotations

from replicheck.model.fetching.state import Brokers
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


@rule
def last_offset_for_clients(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Offset | None:
    """The end of a leader's log as a client is told it, None for an error.

    A new leader's high watermark may be below what its predecessor told. Until it has
    reached the start of the leader's epoch, the answer is OFFSET_NOT_AVAILABLE.

    Rules: L-LIST.  Source: KIP-207, Partition.fetchOffsetForTimestamp.
    """
    replica = cluster.replicas[leader][partition]
    if replica.high_watermark < replica.epoch_start:
        return None
    return replica.high_watermark
