"""What a sound check of moves between directories must have seen."""

from __future__ import annotations

from replicheck.model.fetching.state import Brokers
from replicheck.model.vocabulary import BrokerId, PartitionId


def a_record_is_copied_to_another_directory(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A future log has a record."""
    return not cluster.future_logs[broker][partition].log.is_empty()


def a_log_with_a_record_was_moved(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A future log became the current one, in its directory."""
    created = cluster.bounds.directory_of(partition)
    if cluster.locations[broker][partition] == created:
        return False
    return not cluster.logs[broker][partition].is_empty()


def a_leader_moved_its_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A leader goes on with what was its future log."""
    if not cluster.presumes_leadership(broker, partition):
        return False
    created = cluster.bounds.directory_of(partition)
    return cluster.locations[broker][partition] != created


def a_leader_forgot_its_epoch(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A leader's log does not know that the leader's epoch began (F-ALT-8).

    That it knows is what KAFKA-7415 brought; a move copies no epoch without records.
    """
    if not cluster.presumes_leadership(broker, partition):
        return False
    epoch = cluster.replicas[broker][partition].epoch
    return cluster.logs[broker][partition].latest_epoch != epoch


def a_move_failed(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> bool:
    """A broker gave up copying a future log until it is told anew."""
    return cluster.failed_moves[broker].has(partition)


def a_future_log_is_beyond_the_current_one(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A future log has records that were cut from the current one."""
    end = cluster.logs[broker][partition].end_offset
    return cluster.future_logs[broker][partition].log.end_offset > end


MOVE_WITNESSES = (
    a_record_is_copied_to_another_directory,
    a_log_with_a_record_was_moved,
    a_leader_moved_its_log,
    a_leader_forgot_its_epoch,
    a_move_failed,
    a_future_log_is_beyond_the_current_one,
)
