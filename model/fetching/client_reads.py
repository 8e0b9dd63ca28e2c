"""What a leader tells clients, which learn of committed records only."""

from __future__ import annotations

from collections.abc import Iterator

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


def consume(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A consumer reads all that a broker which believes that it leads has committed.

    Rules: L-READ.  Source: Partition.readRecords, FetchHighWatermark.
    """
    if not cluster.faults.allow("consumer_reads"):
        return
    if not cluster.presumes_leadership(leader, partition):
        return
    end = cluster.replicas[leader][partition].high_watermark
    read = cluster.consumed[partition].extend(
        cluster.logs[leader][partition].up_to(end)
    )
    if read == cluster.consumed[partition]:
        return
    yield cluster.evolve(
        consumed={partition: read}, faults=cluster.faults.spend("consumer_reads")
    )
