"""Rules that no release of Kafka has: the least change that ends a flaw."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.broker import (
    fetch_answers,
    high_watermark,
    isr,
    metadata_publisher,
)
from replicheck.model.kraft.cells.alter_partition import (
    AlterPartitionError,
    AlterPartitionRequest,
)
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.cells.partition import FollowerState
from replicheck.model.kraft.controller import (
    alter_partition,
    broker_lifecycle,
    elections,
    leader_election,
    offline_directories,
    partition_change,
)
from replicheck.model.kraft.controller.change_targets import (
    Assignment,
    ElectionResult,
    PartitionChange,
    replicas_after,
)
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, DirectoryId


def follower_states_after_skipped_epoch(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> dict[BrokerId, FollowerState]:
    """A leader that has not seen a leader epoch forgets what it knew of followers.

    Another may have led in that epoch, and followers may have cut their logs.

    Rules: KR-LEAD-3.  Source: Replica.resetReplicaState.
    """
    known = cluster.partitions[broker].leader_epoch
    if known is not None and record.leader_epoch > known + 1:
        return {follower: FollowerState() for follower in cluster.bounds.broker_ids}
    return original(metadata_publisher.follower_states)(cluster, broker, record)


def follower_states_of_epoch(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> dict[BrokerId, FollowerState]:
    """A leader forgets what it knew of followers with each leader epoch.

    A follower may have been no replica in between, and may have deleted its log.

    Rules: KR-LEAD-3.  Source: Replica.resetReplicaState.
    """
    if not cluster.partitions[broker].is_behind(record.leader_epoch):
        return {}
    return {follower: FollowerState() for follower in cluster.bounds.broker_ids}


def make_leader_of_newer_partition_epoch(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A record of the partition epoch that an answer brought changes nothing.

    Rules: KR-PEND-8.  Source: Partition.makeLeader.
    """
    if cluster.partitions[broker].partition_epoch == record.partition_epoch:
        return cluster
    return original(metadata_publisher.make_leader)(cluster, broker, record)


def ineligible_in_offline_directory(
    cluster: KraftCluster, request: AlterPartitionRequest
) -> frozenset[BrokerId]:
    """A member whose log directory is offline is refused, too (R-3).

    Rules: KR-AP-2.  Source: ReplicationControlManager.ineligibleReplicasForIsr.
    """
    refused = original(alter_partition.ineligible)(cluster, request)
    return refused | (request.isr - cluster.acceptable())


def heartbeat_reports_first(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """A heartbeat reports directories before it ends a fencing (R-2).

    Rules: KR-HB-6.  Source: ReplicationControlManager.processBrokerHeartbeat.
    """
    reported = offline_directories.report_directories(cluster, cluster, broker)
    return broker_lifecycle.unfenced(reported, broker)


def eligible_replicas(
    cluster: KraftCluster, change: PartitionChange
) -> frozenset[BrokerId]:
    """The ELR has none that has no replica any more (R-7).

    Rules: KR-ELR-3.  Source: PartitionChangeBuilder.maybePopulateTargetElr.
    """
    return frozenset(replicas_after(cluster, change))


def is_complete_with_added(
    cluster: KraftCluster, assignment: Assignment, isr: frozenset[BrokerId]
) -> bool:
    """A reassignment needs all that it adds, and those that stay if it removes more.

    So it is since 4.3 (KAFKA-19975).

    Rules: KR-PCB-11.
    Source: PartitionReassignmentReplicas.maybeCompleteReassignment.
    """
    if not isr.issuperset(assignment.adding):
        return False
    if len(assignment.adding) >= len(assignment.removing):
        return True
    return isr.issuperset(assignment.target)


def assignment_keeps_elr(cluster: KraftCluster) -> bool:
    """The builder is told of ELR where a directory is assigned, as since 4.3.

    Rules: KR-ELR-6.  Source: ReplicationControlManager.handleAssignReplicasToDirs.
    """
    return True


def electable_replica_that_led_last(
    cluster: KraftCluster, change: PartitionChange, elr: frozenset[BrokerId]
) -> BrokerId | None:
    """The last known leader leads only if it has a replica (R-16).

    Rules: KR-PCB-6.  Source: PartitionChangeBuilder.canElectLastKnownLeader.
    """
    last = original(leader_election.electable_last_known_leader)(cluster, change, elr)
    return last if last in cluster.stored.replicas else None


def elr_index_of_partition(
    before: KraftCluster, after: KraftCluster
) -> frozenset[BrokerId]:
    """The index of eligible leaders is cleared with the ELR (R-5).

    Rules: KR-ELR-7.  Source: BrokersToIsrs.update.
    """
    return after.stored.elr


def cleared_with_leader(cluster: KraftCluster) -> PartitionRegistration:
    """Without a leader, a change of min.insync.replicas keeps the ELR (R-6).

    No record is appended meanwhile, so that all in it can still lead.

    Rules: KR-ELR-7.  Source: ReplicationControlManager.removeTopicElrs.
    """
    if cluster.stored.is_leaderless():
        return cluster.stored
    return original(elections.cleared)(cluster)


def elr_of_small_isr(
    cluster: KraftCluster,
    change: PartitionChange,
    elr: frozenset[BrokerId],
    result: ElectionResult,
) -> frozenset[BrokerId]:
    """The ELR is cleared when the elected leader alone is an ISR that is large enough.

    It is, when min.insync.replicas became 1 and the ELR was kept.

    Rules: KR-ELR-2.  Source: PartitionChangeBuilder.maybeUpdateRecordElr.
    """
    isr = partition_change.isr_after(cluster, change, elr, result)
    if len(isr) >= partition_change.controller_min_isr(cluster):
        return frozenset()
    return original(partition_change.elr_after)(cluster, change, elr, result)


def elr_until_election(
    cluster: KraftCluster,
    change: PartitionChange,
    elr: frozenset[BrokerId],
    result: ElectionResult,
) -> frozenset[BrokerId]:
    """Without the feature, the ELR is kept as long as the ISR is empty (R-8).

    Rules: KR-ELR-5.  Source: PartitionChangeBuilder.maybeUpdateRecordElr.
    """
    if cluster.has_elr or change.isr or result.leader is not None:
        return original(partition_change.elr_after)(cluster, change, elr, result)
    return elr


def reported_directories(
    cluster: KraftCluster, broker: BrokerId
) -> frozenset[DirectoryId]:
    """The directories that were in the heartbeat which is answered (R-9).

    Rules: KR-HB-7.  Source: BrokerLifecycleManager.BrokerHeartbeatResponseEvent.
    """
    return cluster.processes[broker].reported


def assignment_as_asked(
    cluster: KraftCluster, target: tuple[BrokerId, ...]
) -> Assignment:
    """What is on its way is added only if it is asked for, and so is removed (R-14).

    Rules: KR-REA-1.  Source: PartitionReassignmentReplicas.
    """
    stored = cluster.stored
    others = tuple(broker for broker in stored.replicas if broker not in target)
    added = stored.adding | (frozenset(target) - frozenset(stored.replicas))
    return Assignment(
        replicas=(*target, *others),
        adding=added & frozenset(target),
        removing=frozenset(others),
    )


def had_clean_shutdown_with_directory(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A broker that registers without its replica's directory was not clean (R-4).

    Rules: KR-UNC-2.  Source: ClusterControlManager.registerBroker.
    """
    directory = cluster.stored.directories[broker]
    known = cluster.processes[broker].directories
    if directory is not None and directory not in known:
        return False
    return original(broker_lifecycle.had_clean_shutdown)(cluster, broker)


def receive_answer_and_cut(
    cluster: KraftCluster, follower: BrokerId
) -> Iterator[KraftCluster]:
    """A log is cut where an answer says before the lock is given up (R-13).

    Rules: KR-TRU-2.  Source: AbstractFetcherThread.processFetchRequest.
    """
    for received in fetch_answers.receive_answer(cluster, follower):
        cut = tuple(fetch_answers.cut_log(received, follower))
        yield from cut or (received,)


def complete_and_commit(
    cluster: KraftCluster,
    leader: BrokerId,
    request: AlterPartitionRequest,
    answer: PartitionRegistration | AlterPartitionError | None,
) -> KraftCluster:
    """A leader whose proposal was refused commits what waited for it.

    Rules: KR-PEND-7, KR-HW-1.  Source: Partition.handleAlterPartitionError.
    """
    after = original(isr.complete)(cluster, leader, request, answer)
    if not after.leads(leader):
        return after
    return high_watermark.increment_high_watermark(after, leader)


def keeps_high_watermark_until_unfenced(
    cluster: KraftCluster, leader: BrokerId
) -> bool:
    """A new process commits nothing before it is unfenced for the first time.

    The image by which it leads may be that of the process before.

    Rules: KR-HW-1, KR-START-1.  Source: Partition.maybeIncrementLeaderHW.
    """
    if not cluster.processes[leader].is_serving:
        return True
    return original(high_watermark.keeps_high_watermark)(cluster, leader)


def no_directories_left(cluster: KraftCluster) -> tuple[DirectoryId | None, ...]:
    """The index of directories forgets a deleted topic, whatever its ISR was.

    Rules: KR-TOP-3, KR-DIR-4.  Source: ReplicationControlManager.replay.
    """
    return tuple(None for _ in cluster.bounds.broker_ids)
