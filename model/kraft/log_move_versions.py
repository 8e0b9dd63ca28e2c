"""Rules of log directories that no release of Kafka has: least changes."""

from __future__ import annotations

from replicheck.model.kraft.broker import (
    assignments_manager,
    directories,
    log_moves,
    metadata_publisher,
)
from replicheck.model.kraft.cells.assignment import SentAssignment
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerEpoch, BrokerId


def is_kept_with_its_directory(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> bool:
    """A move goes on if the record names the directory of which it told (R-17).

    Rules: KR-MOVE-2.  Source: ReplicaAlterLogDirsThread.addPartitions.
    """
    move = cluster.moves[broker]
    if not log_moves.is_reverted(cluster, broker):
        return False
    return record.is_assigned(broker, move.directory)


def queue_assignment_without_move(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """While a move goes on, its log's present directory is not told (R-17).

    Rules: KR-ASG-1, KR-MOVE-2.  Source: ReplicaManager.maybeUpdateTopicAssignment.
    """
    if is_kept_with_its_directory(cluster, broker, record):
        return cluster
    return original(directories.queue_assignment)(cluster, broker, record)


def is_told_to_move_there(
    cluster: KraftCluster, broker: BrokerId, sent: SentAssignment
) -> bool:
    """An answer counts for the move to the directory that was sent (R-12).

    Rules: KR-MOVE-4.  Source: ReplicaAlterLogDirsThread.updateReassignmentState.
    """
    told = original(assignments_manager.is_told_to_move)(cluster, broker, sent)
    return told and cluster.moves[broker].goes_to(sent.directory)


def epoch_of_process(cluster: KraftCluster, broker: BrokerId) -> BrokerEpoch | None:
    """An assignment has the broker epoch of the process that sends it, or none (R-4).

    Rules: KR-ASG-2.  Source: AssignmentsManager.maybeSendAssignments.
    """
    return cluster.processes[broker].epoch


def recover_log_without_current(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A future log takes the place of a log that cannot be opened, and of no other.

    Rules: KR-MOVE-5.  Source: LogManager.recoverAbandonedFutureLogs.
    """
    if cluster.disks[broker].has_log():
        return cluster
    return original(log_moves.recover_abandoned_log)(cluster, broker, record)


def has_other_or_new_directory(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration, offset: int
) -> bool:
    """A replica that is new to a partition counts as one in another directory.

    Rules: KR-ASG-1.  Source: TopicDelta.localChanges.
    """
    if not cluster.caches[broker].partition.has_replica(broker):
        return True
    return original(metadata_publisher.has_other_directories)(
        cluster, broker, record, offset
    )
