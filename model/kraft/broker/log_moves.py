"""Moves of a replica between the log directories of its broker.

The controller is told of the new directory before the future log takes the log's place.
Source: ReplicaAlterLogDirsThread, ReplicaManager.alterReplicaLogDirs.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.broker.assignments_manager import enqueue
from replicheck.model.kraft.cells.log_move import LogMove, Promotion
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.shared.records import Log
from replicheck.model.vocabulary import BrokerId, DirectoryId


def alter_replica_log_dirs(
    cluster: KraftCluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[KraftCluster]:
    """An operator names another directory; a move to a third one is cancelled first.

    While any directory is dead, none begins.

    Rules: KR-MOVE-1, KR-MOVE-3, KR-MOVE-6.
    Source: ReplicaManager.alterReplicaLogDirs, LogManager.getOrCreateLog.
    """
    if not cluster.faults.allow("moves") or not has_online_log(cluster, broker):
        return
    disks, move = cluster.disks[broker], cluster.moves[broker]
    if not disks.is_usable(directory) or move.goes_to(directory):
        return
    after = cancel_move(cluster, broker) if move.exists else cluster
    if directory != disks.used and not disks.has_offline:
        begun = LogMove().begin(directory, disks.used, cluster.empty_log())
        after = after.evolve(moves={broker: begun})
    if after != cluster:
        yield after.evolve(faults=cluster.faults.spend("moves"))


def has_online_log(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether a broker runs, and has opened the log of its replica."""
    if not cluster.processes[broker].has_published:
        return False
    if not cluster.caches[broker].partition.has_replica(broker):
        return False
    return not cluster.partitions[broker].is_offline


def cancel_move(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The cluster without the future log of a broker.

    Rules: KR-MOVE-3.  Source: Partition.removeFutureLocalReplica.
    """
    return stop_copying(cluster, broker).evolve(moves={broker: LogMove()})


def stop_copying(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The cluster after a thread lost a replica; what was told of it is taken back.

    Rules: KR-MOVE-3.  Source: ReplicaAlterLogDirsThread.removePartitions.
    """
    move = cluster.moves[broker]
    after = cluster.evolve(moves={broker: move.stop()})
    if move.origin is None or not is_reverted(cluster, broker):
        return after
    return enqueue(after, broker, move.origin, promotes=False)


@rule
def is_reverted(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether the controller may name the directory of a cancelled move.

    Rules: KR-MOVE-3.
    Source: ReassignmentState.maybeInconsistentMetadata.
    """
    promotion = cluster.moves[broker].promotion
    return promotion in (Promotion.QUEUED, Promotion.ACCEPTED)


def copy_to_future_log(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """A thread copies one record to the future log, or cuts what the log has not.

    Rules: KR-MOVE-1.  Source: ReplicaAlterLogDirsThread.processPartitionData.
    """
    move, log = cluster.moves[broker], cluster.logs[broker]
    if move.is_copied and not move.has_caught_up(log):
        yield cluster.evolve(moves={broker: move.copy(log)})


def promote_future_log(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """A future log that has caught up is told of, or takes the place of the log.

    Rules: KR-MOVE-2.
    Source: ReplicaAlterLogDirsThread.maybePromoteFutureReplica.
    """
    move = cluster.moves[broker]
    if move.directory is None or not move.has_caught_up(cluster.logs[broker]):
        return
    if move.promotion is Promotion.NONE:
        queued = cluster.evolve(moves={broker: move.reach(Promotion.QUEUED)})
        yield enqueue(queued, broker, move.directory, promotes=True)
    elif move.promotion is Promotion.ACCEPTED:
        yield replace_log(cluster, broker, move.directory)


def replace_log(
    cluster: KraftCluster, broker: BrokerId, directory: DirectoryId
) -> KraftCluster:
    """The cluster after the future log of a broker took the place of the log.

    Rules: KR-MOVE-2, KR-MOVE-5.  Source: LogManager.replaceCurrentWithFutureLog.
    """
    log, partition = log_after_move(cluster, broker), cluster.partitions[broker]
    kept = min(partition.high_watermark, log.end_offset)
    return cluster.evolve(
        logs={broker: log},
        partitions={broker: partition.with_high_watermark(kept)},
        disks={broker: cluster.disks[broker].use(directory)},
        moves={broker: LogMove()},
    )


@rule
def log_after_move(cluster: KraftCluster, broker: BrokerId) -> Log:
    """The log that takes the place of another: the future log as it is.

    Rules: KR-MOVE-2.  Source: LogManager.replaceCurrentWithFutureLog.
    """
    return cluster.moves[broker].log


@rule
def recover_abandoned_log(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """The cluster after a new process found its logs, before it opens one.

    A future log in the directory that the metadata names takes the place of the log,
    whatever the log has.

    Rules: KR-MOVE-5.  Source: LogManager.recoverAbandonedFutureLogs.
    """
    directory = cluster.moves[broker].directory
    if directory is None or not record.is_assigned(broker, directory):
        return cluster
    return replace_log(cluster, broker, directory)


def resume_move(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """The cluster after a delta of the partition: its move is taken up anew.

    It is not if the log was made in the directory of the future log.

    Rules: KR-MOVE-2, KR-DELTA-2.
    Source: ReplicaManager.maybeAddLogDirFetchers, Partition.maybeCreateFutureReplica.
    """
    move, used = cluster.moves[broker], cluster.disks[broker].used
    if not move.exists or cluster.partitions[broker].is_offline:
        return cluster
    if move.goes_to(used) or is_kept(cluster, broker, record):
        return cluster
    resumed = move.resume(used)
    return cluster.evolve(moves={broker: resumed})


@rule
def end_idle_thread(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The cluster after a delta ended a thread that has no future log to copy to.

    An answer that comes later is for that thread, and not for the thread of a move that
    begins since.

    Rules: KR-MOVE-4, KR-DELTA-2.
    Source: AbstractFetcherManager.shutdownIdleFetcherThreads.
    """
    if cluster.moves[broker].is_copied:
        return cluster
    return cluster.evolve(
        assignments={broker: cluster.assignments[broker].lose_thread()}
    )


@rule
def is_kept(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> bool:
    """Tell whether a move stays where it is: not so, whatever the record says.

    Rules: KR-MOVE-2.  Source: ReplicaAlterLogDirsThread.addPartitions.
    """
    return False
