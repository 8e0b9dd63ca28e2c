"""The files of high watermarks on disk: each directory has one, for all its logs.

Source: ReplicaManager.checkpointHighWatermarks, OffsetCheckpointFile.
"""

from __future__ import annotations

from replicheck.model.fetching.cells.future_log import NO_FUTURE_LOG, FutureLog
from replicheck.model.fetching.state import Brokers
from replicheck.model.vocabulary import BrokerId, DirectoryId, Offset

CURRENT_AND_FUTURE = 2
"""With so many directories there is one beside that of a replica's current log."""


def write_high_watermarks(cluster: Brokers, broker: BrokerId) -> Brokers:
    """Write the file of each good directory in which the broker knows a log.

    Rules: G-LOAD, B-LAI-2.  Source: ReplicaManager.checkpointHighWatermarks.
    """
    for directory in cluster.bounds.directory_ids:
        is_good = cluster.directories[broker][directory].is_good()
        if is_good and has_known_log(cluster, broker, directory):
            cluster = write_checkpoint_file(cluster, broker, directory)
    return cluster


def has_known_log(cluster: Brokers, broker: BrokerId, directory: DirectoryId) -> bool:
    """Tell whether a replica that is online has a log or a future log there."""
    for partition in cluster.bounds.partition_ids:
        if not cluster.replicas[broker][partition].is_online():
            continue
        if cluster.locations[broker][partition] == directory:
            return True
        if cluster.future_logs[broker][partition].is_hosted_in(directory):
            return True
    return False


def write_checkpoint_file(
    cluster: Brokers, broker: BrokerId, directory: DirectoryId
) -> Brokers:
    """Write a file anew: it has nothing of a log that the broker does not know there.

    Rules: G-LOAD, G-HW-1.  Source: OffsetCheckpointFile.write.
    """
    for partition in cluster.bounds.partition_ids:
        index = (broker, partition)
        future = cluster.future_logs[broker][partition]
        replica = cluster.replicas[broker][partition]
        if cluster.locations[broker][partition] == directory:
            known = replica.high_watermark if replica.is_online() else Offset(0)
            cluster = cluster.evolve(checkpoints={index: known})
        elif future.is_hosted_in(directory) and replica.is_online():
            written = future.checkpoint(future.high_watermark)
            cluster = cluster.evolve(future_logs={index: written})
        elif future.is_in(directory) or not future.exists():
            forgotten = future.checkpoint(Offset(0))
            cluster = cluster.evolve(future_logs={index: forgotten})
    return cluster


def without_future_log(cluster: Brokers, stored: Offset) -> FutureLog:
    """No future log, and what the file of the directory without a log has.

    Abstraction: with more than two directories, it has nothing.
    """
    if cluster.bounds.directories > CURRENT_AND_FUTURE:
        return NO_FUTURE_LOG
    return NO_FUTURE_LOG.checkpoint(stored)
