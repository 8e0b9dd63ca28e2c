"""Mutations of KRaft: rules that Kafka broke, and guards that were taken away."""

from __future__ import annotations

from attrs import evolve

from replicheck.model.kraft.broker import (
    directories,
    high_watermark,
    isr,
    metadata_publisher,
    replication,
)
from replicheck.model.kraft.cells.alter_partition import AlterPartitionRequest
from replicheck.model.kraft.cells.metadata import (
    BrokerRegistration,
    PartitionRegistration,
)
from replicheck.model.kraft.controller import (
    alter_partition,
    broker_lifecycle,
    elections,
    offline_directories,
    partition_change,
)
from replicheck.model.kraft.controller.partition_change import (
    ElectionKind,
    ElectionResult,
    PartitionChange,
)
from replicheck.model.kraft.protocols import (
    IGNORES_EQUAL_PARTITION_EPOCH,
    KAFKA_4_1,
)
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.protocol import mutations_of
from replicheck.model.rules import original
from replicheck.model.shared.records import Log
from replicheck.model.vocabulary import BrokerId, DirectoryId, Epoch, Offset


def ineligible_by_id(
    cluster: KraftCluster, request: AlterPartitionRequest
) -> frozenset[BrokerId]:
    """A member is judged by its id, whichever process fetched (KAFKA-14617)."""
    return request.isr - cluster.active()


def ineligible_never(
    cluster: KraftCluster, request: AlterPartitionRequest
) -> frozenset[BrokerId]:
    """The state of the proposed members is not looked at (KAFKA-13916)."""
    return frozenset()


def keeps_high_watermark_never(cluster: KraftCluster, leader: BrokerId) -> bool:
    """The high watermark moves however small the ISR is (KAFKA-15583)."""
    return False


def had_clean_shutdown_always(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A broker stays eligible after an unclean shutdown (KAFKA-15581)."""
    return True


def any_last_known_leader(
    cluster: KraftCluster, change: PartitionChange, elr: frozenset[BrokerId]
) -> BrokerId | None:
    """The last known leader is elected although it cannot lead (KAFKA-19522)."""
    if change.isr or elr:
        return None
    return cluster.stored.last_known_leader


def stay_in_isr_at_registration(
    cluster: KraftCluster, broker: BrokerId
) -> PartitionRegistration:
    """A registration changes no partition (KAFKA-18106)."""
    return cluster.stored


def keep_elr_of_other_min_isr(cluster: KraftCluster) -> PartitionRegistration:
    """The ELR stays when min.insync.replicas changes (KAFKA-16540)."""
    return cluster.stored


def clear_elr_in_same_epoch(cluster: KraftCluster) -> PartitionRegistration:
    """The ELR is cleared without a new partition epoch."""
    after = original(elections.cleared)(cluster)
    return evolve(after, partition_epoch=cluster.stored.partition_epoch)


def is_caught_up_always(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A broker is unfenced before it has applied its registration."""
    return cluster.processes[broker].has_published


def awaited_of_committed_isr(
    cluster: KraftCluster, leader: BrokerId
) -> frozenset[BrokerId]:
    """A follower that is about to join is not waited for (KIP-497)."""
    return cluster.partitions[leader].isr - {leader}


def preferred_election_of_any_replica(cluster: KraftCluster) -> ElectionKind:
    """A preferred election may elect uncleanly (KAFKA-13162)."""
    return ElectionKind.UNCLEAN


def isr_without_elected(
    cluster: KraftCluster,
    change: PartitionChange,
    elr: frozenset[BrokerId],
    result: ElectionResult,
) -> frozenset[BrokerId]:
    """A broker that is elected from the ELR does not join the ISR."""
    return change.isr


def begin_epoch_with_smaller_isr(
    cluster: KraftCluster, change: PartitionChange, after: PartitionRegistration
) -> Epoch:
    """A replica that leaves the ISR begins a leader epoch (KAFKA-15021)."""
    epoch = original(partition_change.leader_epoch_after)(cluster, change, after)
    old = cluster.stored
    if after.leader == old.leader and old.isr - after.isr:
        return Epoch(epoch + 1)
    return epoch


def lead_in_same_epoch(
    cluster: KraftCluster, change: PartitionChange, after: PartitionRegistration
) -> Epoch:
    """Another leader leads in the leader epoch of the one before."""
    return cluster.stored.leader_epoch


def is_answered_before_commit(cluster: KraftCluster, leader: BrokerId) -> bool:
    """The controller answers before its decision is committed (KAFKA-13104)."""
    return cluster.channels[leader].is_answered(cluster.metadata.end)


def recover_at_once(
    cluster: KraftCluster, change: PartitionChange, result: ElectionResult
) -> bool:
    """An unclean election is not marked as one."""
    return False


def keep_last_known_leader(
    cluster: KraftCluster, change: PartitionChange, result: ElectionResult
) -> BrokerId | None:
    """The last known leader is still kept when another leads."""
    before = cluster.stored.last_known_leader
    after = original(partition_change.last_known_leader_after)
    return after(cluster, change, result) if before is None else before


def lower_high_watermark(cluster: KraftCluster, leader: BrokerId) -> KraftCluster:
    """The high watermark is the least end of all, even if that is lower."""
    end = high_watermark.end_of_all(
        cluster, leader, high_watermark.awaited(cluster, leader)
    )
    partition = cluster.partitions[leader]
    if end is not None and end < partition.high_watermark:
        return cluster.evolve(partitions={leader: partition.with_high_watermark(end)})
    return original(high_watermark.increment_high_watermark)(cluster, leader)


def diverge_never(
    cluster: KraftCluster, leader: BrokerId, follower: BrokerId
) -> Offset | None:
    """A fetch is answered without a look at the follower's last epoch (KAFKA-15510)."""
    return None


def keep_failed_directories(
    cluster: KraftCluster, broker: BrokerId, failed: frozenset[DirectoryId]
) -> BrokerRegistration:
    """A registration does not lose its failed directories (KAFKA-15364)."""
    return cluster.registrations[broker]


def make_offline_replica_anew(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """A delta makes a replica that is offline anew, on a healthy disk (KAFKA-16234)."""
    partition, disks = cluster.partitions[broker], cluster.disks[broker]
    if not partition.is_offline:
        return cluster
    return cluster.evolve(
        logs={broker: Log()},
        disks={broker: disks.use(disks.first_live)},
        partitions={broker: partition.forget().with_high_watermark(Offset(0))},
    )


def stay_with_assignment(
    cluster: KraftCluster, broker: BrokerId, directory: DirectoryId
) -> bool:
    """A replica stays in the ISR when it is assigned to a directory that failed."""
    return False


def queue_assignment_never(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A broker does not tell where its replica lies."""
    return cluster


OF_KAFKA_4_1 = mutations_of(
    KAFKA_4_1,
    {
        "kafka-13916-accept-any-member": KAFKA_4_1.replacing(
            alter_partition.ineligible, by=ineligible_never
        ),
        "kafka-15583-commit-below-min-isr": KAFKA_4_1.replacing(
            high_watermark.keeps_high_watermark, by=keeps_high_watermark_never
        ),
        "kafka-15581-trust-unclean-shutdown": KAFKA_4_1.replacing(
            broker_lifecycle.had_clean_shutdown, by=had_clean_shutdown_always
        ),
        "kafka-19522-elect-any-last-known-leader": KAFKA_4_1.replacing(
            partition_change.electable_last_known_leader, by=any_last_known_leader
        ),
        "kafka-18106-stay-in-isr-at-registration": KAFKA_4_1.replacing(
            broker_lifecycle.partition_after_registration,
            by=stay_in_isr_at_registration,
        ),
        "kafka-16540-keep-elr-of-other-min-isr": KAFKA_4_1.replacing(
            elections.cleared, by=keep_elr_of_other_min_isr
        ),
        "kafka-18649-clear-elr-in-same-epoch": KAFKA_4_1.replacing(
            elections.cleared, by=clear_elr_in_same_epoch
        ),
        "kr-hb-3-unfence-before-registration-applied": KAFKA_4_1.replacing(
            broker_lifecycle.is_caught_up, by=is_caught_up_always
        ),
        "kip-497-wait-for-committed-isr": KAFKA_4_1.replacing(
            high_watermark.awaited, by=awaited_of_committed_isr
        ),
        "kafka-13162-prefer-any-replica": KAFKA_4_1.replacing(
            elections.preferred_kind, by=preferred_election_of_any_replica
        ),
        "kr-pcb-7-elected-outside-isr": KAFKA_4_1.replacing(
            partition_change.isr_after, by=isr_without_elected
        ),
        "kafka-15021-begin-epoch-with-smaller-isr": KAFKA_4_1.replacing(
            partition_change.leader_epoch_after, by=begin_epoch_with_smaller_isr
        ),
        "kr-rec-1-lead-in-same-epoch": KAFKA_4_1.replacing(
            partition_change.leader_epoch_after, by=lead_in_same_epoch
        ),
        "kafka-13104-answer-before-commit": KAFKA_4_1.replacing(
            isr.is_answered, by=is_answered_before_commit
        ),
        "kr-pcb-5-recover-at-once": KAFKA_4_1.replacing(
            partition_change.is_recovering_after, by=recover_at_once
        ),
        "kr-elr-4-keep-last-known-leader": KAFKA_4_1.replacing(
            partition_change.last_known_leader_after, by=keep_last_known_leader
        ),
        "kr-hw-1-lower-high-watermark": KAFKA_4_1.replacing(
            high_watermark.increment_high_watermark, by=lower_high_watermark
        ),
        "kafka-15510-never-diverge": KAFKA_4_1.replacing(
            replication.diverging_end, by=diverge_never
        ),
        "kafka-15364-keep-failed-directories": KAFKA_4_1.replacing(
            offline_directories.without_directories, by=keep_failed_directories
        ),
        "kafka-16234-make-offline-replica-anew": KAFKA_4_1.replacing(
            metadata_publisher.meet_offline, by=make_offline_replica_anew
        ),
        "kr-dir-6-stay-with-assignment": KAFKA_4_1.replacing(
            offline_directories.leaves_with_assignment, by=stay_with_assignment
        ),
        "kr-asg-1-queue-no-assignment": KAFKA_4_1.replacing(
            directories.queue_assignment, by=queue_assignment_never
        ),
    },
)
WITHOUT_FLAW = mutations_of(
    IGNORES_EQUAL_PARTITION_EPOCH,
    {
        "kafka-14617-judge-members-by-id": IGNORES_EQUAL_PARTITION_EPOCH.replacing(
            alter_partition.ineligible, by=ineligible_by_id
        ),
    },
)
"""Of a protocol that does not lose the record by itself within the same bounds."""
MUTATIONS = OF_KAFKA_4_1 + WITHOUT_FLAW
