"""Log directories of a broker: they fail, and the replica in them goes offline."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.broker.assignments_manager import enqueue
from replicheck.model.kraft.broker.log_moves import (
    cancel_move,
    has_online_log,
    stop_copying,
)
from replicheck.model.kraft.broker.process import end_process
from replicheck.model.kraft.cells.log_move import LogMove
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.cells.partition import FollowerState
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, DirectoryId, Offset


def fail_directory(
    cluster: KraftCluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[KraftCluster]:
    """A disk dies; the replica there goes offline, and without a disk the process ends.

    A future log on it is lost, and its move is cancelled. A process that has opened no
    log there has nothing that goes offline: what it publishes next can make a new log.

    Rules: KR-DISK-1, KR-DISK-2, KR-DISK-3, KR-MOVE-3.
    Source: ReplicaManager.handleLogDirFailure, LogManager.handleLogDirFailure.
    """
    if not cluster.faults.allow("directory_failures"):
        return
    disks = cluster.disks[broker]
    if not disks.is_usable(directory):
        return
    after = cluster.evolve(
        disks={broker: disks.fail(directory)},
        faults=cluster.faults.spend("directory_failures"),
    )
    if cluster.moves[broker].goes_to(directory):
        after = cancel_move(after, broker)
    process = after.processes[broker]
    if not process.is_running:
        yield after
    elif not after.disks[broker].has_live:
        yield end_process(after, broker, process.crash())
    else:
        after = after.evolve(processes={broker: process.lose_directory(directory)})
        if disks.used == directory and has_online_log(after, broker):
            after = mark_offline(stop_copying(after, broker), broker)
        yield after


@rule
def mark_offline(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The cluster after a broker lost its log: it neither leads nor follows.

    Rules: KR-DISK-2, KR-DISK-4.  Source: ReplicaManager.markPartitionOffline.
    """
    return cluster.evolve(
        partitions={broker: cluster.partitions[broker].go_offline()},
        followers={
            (broker, follower): FollowerState()
            for follower in cluster.bounds.broker_ids
        },
    )


def remove_directory(
    cluster: KraftCluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[KraftCluster]:
    """An operator takes a dead directory out of log.dirs while the broker is down.

    Rules: KR-UNC-2.  Source: LogManager.readBrokerEpochFromCleanShutdownFiles.
    """
    if not cluster.faults.allow("removed_directories"):
        return
    if cluster.processes[broker].is_running:
        return
    disks = cluster.disks[broker]
    if disks.can_be_removed(directory):
        yield cluster.evolve(
            disks={broker: disks.remove(directory)},
            faults=cluster.faults.spend("removed_directories"),
        )


def receive_heartbeat_answer(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """The answer to a heartbeat that reported failed directories comes.

    Rules: KR-HB-7, KR-CTL-2.
    Source: BrokerLifecycleManager.BrokerHeartbeatResponseEvent.
    """
    process = cluster.processes[broker]
    if not process.awaits_answer or not is_report_committed(cluster, broker):
        return
    known = known_to_controller(cluster, broker)
    yield cluster.evolve(processes={broker: process.acknowledge(known)})


def is_report_committed(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether nothing that a heartbeat reported can be lost any more.

    Rules: KR-CTL-2, KR-HB-7.  Source: DeferredEventQueue.completeUpTo.
    """
    if not cluster.metadata.has_uncommitted:
        return True
    committed = cluster.metadata.at(cluster.metadata.committed).brokers[broker]
    return committed.directories.isdisjoint(cluster.processes[broker].reported)


@rule
def known_to_controller(
    cluster: KraftCluster, broker: BrokerId
) -> frozenset[DirectoryId]:
    """The directories that count as reported: all that have failed by now.

    Rules: KR-HB-7.  Source: BrokerLifecycleManager.BrokerHeartbeatResponseEvent.
    """
    return cluster.processes[broker].offline


def stop_with_unreported_directory(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """A broker that could not report a failed directory in time ends.

    Rules: KR-DISK-3.  Source: BrokerLifecycleManager.OfflineDirBrokerFailureEvent.
    """
    if not cluster.faults.allow("failure_timeouts"):
        return
    process = cluster.processes[broker]
    if process.is_running and process.has_unacknowledged:
        after = end_process(cluster, broker, process.crash())
        yield after.evolve(faults=cluster.faults.spend("failure_timeouts"))


@rule
def open_log(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """The cluster after a new process found its log, made an empty one, or did neither.

    While a configured directory is dead, nothing is made for a replica that is assigned
    to it; a replica whose directory is not known is made anew.

    Rules: KR-LOGC-1, KR-LOGC-2, KR-LOGC-3, KR-DISK-7.
    Source: Partition.createLogInAssignedDirectoryId, LogManager.getOrCreateLog.
    """
    disks, assigned = cluster.disks[broker], record.directories[broker]
    is_refused = assigned is not None and not disks.is_usable(assigned)
    if is_refused and disks.has_offline:
        return mark_offline(cluster, broker)
    if disks.has_log():
        return cluster
    return create_log(cluster, broker, assigned)


def create_log(
    cluster: KraftCluster, broker: BrokerId, assigned: DirectoryId | None
) -> KraftCluster:
    """The cluster after a broker made an empty log.

    Rules: KR-LOGC-3.  Source: LogManager.getOrCreateLog.
    """
    directory = directory_of_new_log(cluster, broker, assigned)
    partition = cluster.partitions[broker].with_high_watermark(Offset(0))
    return cluster.evolve(
        logs={broker: cluster.empty_log()},
        disks={broker: cluster.disks[broker].use(directory)},
        partitions={broker: partition},
    )


@rule
def directory_of_new_log(
    cluster: KraftCluster, broker: BrokerId, assigned: DirectoryId | None
) -> DirectoryId:
    """The directory of a log that is made: the assigned one, or the emptiest.

    The future log of a move counts as one in its directory.

    Rules: KR-LOGC-3.  Source: LogManager.getOrCreateLog, LogManager.nextLogDirs.
    """
    disks = cluster.disks[broker]
    if assigned is not None and disks.is_usable(assigned):
        return assigned
    return disks.emptiest(cluster.moves[broker].directory)


@rule
def set_stray_aside(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """The cluster after a new process found its logs: those of other topics are strays.

    A stray is renamed, and never served; it does not count where a log is made.

    Rules: KR-LOGC-3, KR-LOGC-4, KR-DISK-6.  Source: LogManager.isStrayKraftReplica.
    """
    partition = cluster.partitions[broker]
    if partition.is_of(record.topic_id):
        return cluster
    begun = cluster.evolve(
        partitions={broker: partition.begin(record.topic_id)},
        moves={broker: LogMove()},
    )
    return create_log(begun, broker, record.directories[broker])


@rule
def create_replica(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """The cluster after a broker made a replica, which it did not have.

    One that is offline stays so, but for another topic of the same name. What was to
    be told of the directory of the topic before is dropped.

    Rules: KR-DISK-5, KR-DISK-6, KR-LOGC-2, KR-ASG-2.
    Source: ReplicaManager.getOrCreatePartition, Assignment.valid.
    """
    partition = cluster.partitions[broker]
    if partition.is_of(record.topic_id):
        return create_log(cluster, broker, None)
    begun = cluster.evolve(
        partitions={broker: partition.begin(record.topic_id)},
        processes={broker: cluster.processes[broker].assign(None)},
    )
    return create_log(begun, broker, record.directories[broker])


@rule
def queue_assignment(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """The cluster after a broker saw in which directory its replica is said to lie.

    If it lies in another one, that is to be told. Where no replica is moved, nothing
    else is ever told.

    Rules: KR-ASG-1.  Source: ReplicaManager.maybeUpdateTopicAssignment.
    """
    used = cluster.disks[broker].used
    if not record.is_assigned(broker, used):
        return enqueue(cluster, broker, used, promotes=False)
    if cluster.bounds.moves_replicas:
        return cluster
    process = cluster.processes[broker].assign(None)
    return cluster.evolve(processes={broker: process})
