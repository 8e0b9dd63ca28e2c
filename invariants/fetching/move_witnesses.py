"""What a sound check of moves between directories must have seen."""

from __future__ import annotations

from replicheck.model.fetching.state import Brokers
from replicheck.model.vocabulary import BrokerId, PartitionId


def future_log_has_record(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A future log has a record."""
    return not cluster.future_logs[broker][partition].log.is_empty()


def log_with_records_is_moved(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A future log became the current one, in its directory."""
    created = cluster.bounds.directory_of(partition)
    if cluster.locations[broker][partition] == created:
        return False
    return not cluster.logs[broker][partition].is_empty()


def leader_has_moved_its_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A leader goes on with what was its future log."""
    if not cluster.presumes_leadership(broker, partition):
        return False
    created = cluster.bounds.directory_of(partition)
    return cluster.locations[broker][partition] != created


def leader_log_lacks_its_epoch(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A leader's log does not know that the leader's epoch began (F-ALT-8).

    That it knows is what KAFKA-7415 brought; a move copies no epoch without records.
    """
    if not cluster.presumes_leadership(broker, partition):
        return False
    epoch = cluster.replicas[broker][partition].epoch
    return cluster.logs[broker][partition].latest_epoch != epoch


def move_has_failed(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> bool:
    """A broker gave up copying a future log until it is told anew."""
    return cluster.failed_moves[broker].has(partition)


def future_log_exceeds_current_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A future log has records that were cut from the current one."""
    end = cluster.logs[broker][partition].end_offset
    return cluster.future_logs[broker][partition].log.end_offset > end


MOVE_WITNESSES = (
    future_log_has_record,
    log_with_records_is_moved,
    leader_has_moved_its_log,
    leader_log_lacks_its_epoch,
    move_has_failed,
    future_log_exceeds_current_log,
)
