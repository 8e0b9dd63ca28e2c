"""What is true of what brokers keep on disk, and of what was deleted."""

from __future__ import annotations

from replicheck.invariants.fetching.knowledge import leads_throughout
from replicheck.model.fetching.state import Brokers
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


def clean_shutdown_marker_is_valid(cluster: Brokers, broker: BrokerId) -> bool:
    """The marker of a clean shutdown means that logs are as that left them.

    G-LOAD; known to be violated before 2.8 by a crash while logs are loaded
    (KAFKA-10471).
    """
    return cluster.markers[broker].is_true()


def checkpoint_falls_only_with_high_watermark(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A checkpoint is lowered only if the high watermark was (KAFKA-769).

    It holds but for a log that is moved: the file of its new directory counts then.
    """
    if after.checkpoints[broker] is before.checkpoints[broker]:
        return True
    if after.locations[broker] != before.locations[broker]:
        return True
    old = before.checkpoints[broker][partition]
    if after.checkpoints[broker][partition] >= old:
        return True
    return before.replicas[broker][partition].is_online()


def deleted_records_stay_deleted(
    before: Brokers, after: Brokers, partition: PartitionId
) -> bool:
    """What no log and no future log has any more does not come back into a log.

    That is what a client which deletes records waits for. G-LSO; holds as long as no
    process ends before the start is on disk.
    """
    if after.logs is before.logs:
        return True
    lowest = low_watermark(before, partition)
    if not lowest:
        return True
    brokers = after.bounds.broker_ids
    return all(after.logs[b][partition].start_offset >= lowest for b in brokers)


def low_watermark(cluster: Brokers, partition: PartitionId) -> Offset:
    """The least start of the logs and future logs of all brokers.

    Source: Partition.lowWatermarkIfLeader.
    """
    logs = [cluster.logs[broker][partition] for broker in cluster.bounds.broker_ids]
    copies = [
        cluster.future_logs[broker][partition] for broker in cluster.bounds.broker_ids
    ]
    logs += [copy.log for copy in copies if copy.exists()]
    return min(log.start_offset for log in logs)


def leader_log_start_never_decreases(
    before: Brokers, after: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """While a broker leads, no record comes back into its log.

    G-LSO; known to be violated: a copy that replaces the log can begin lower (F-ALT-6).
    """
    if after.logs[leader][partition] is before.logs[leader][partition]:
        return True
    if not leads_throughout(before, after, leader, partition):
        return True
    start = before.logs[leader][partition].start_offset
    if not start:
        return True
    return after.logs[leader][partition].start_offset >= start


DISKS = (clean_shutdown_marker_is_valid,)
DISK_STEPS = (
    checkpoint_falls_only_with_high_watermark,
    deleted_records_stay_deleted,
    leader_log_start_never_decreases,
)
