"""Rules of the controller in KRaft, each broken as Kafka broke it, or unguarded."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.kraft.cells.alter_partition import (
    AlterPartitionChannel,
    AlterPartitionRequest,
)
from replicheck.model.kraft.cells.metadata import (
    BrokerRegistration,
    PartitionRegistration,
)
from replicheck.model.kraft.controller import (
    assignments,
    broker_lifecycle,
    elections,
    offline_directories,
    partition_change,
    quorum,
)
from replicheck.model.kraft.controller.change_targets import (
    Assignment,
    ElectionKind,
    ElectionResult,
    PartitionChange,
)
from replicheck.model.kraft.controller.events import write
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, DirectoryId, Epoch


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


def had_clean_shutdown_always(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A broker stays eligible after an unclean shutdown (KAFKA-15581)."""
    return True


def had_clean_shutdown_never(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A broker is not eligible any more after a clean shutdown (KAFKA-18635)."""
    return False


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


def is_caught_up_at_end(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A broker is unfenced only at the end of the metadata log (KAFKA-13959)."""
    if broker in cluster.behind_no_op:
        return False
    return cluster.processes[broker].has_applied(cluster.metadata.end)


def is_applied_to_end_by_all(cluster: KraftCluster, offset: int) -> bool:
    """The offset of a controlled shutdown is set anew by heartbeats (KAFKA-14292)."""
    return all(
        is_caught_up_at_end(cluster, broker)
        for broker in offline_directories.awaited_at_shutdown(cluster)
    )


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


def keep_failed_directories(
    cluster: KraftCluster, broker: BrokerId, failed: frozenset[DirectoryId]
) -> BrokerRegistration:
    """A registration does not lose its failed directories (KAFKA-15364)."""
    return cluster.registrations[broker]


def stay_with_assignment(
    cluster: KraftCluster, broker: BrokerId, directory: DirectoryId
) -> bool:
    """A replica stays in the ISR when it is assigned to a directory that failed."""
    return False


def changes_nothing_with_target_isr(
    cluster: KraftCluster, change: PartitionChange, after: PartitionRegistration
) -> bool:
    """A record is written where the ISR should be empty, and is not (KAFKA-16624)."""
    return after == cluster.stored and change.isr >= cluster.stored.isr


def forget_elr_at_assignment(cluster: KraftCluster) -> bool:
    """The builder takes ELR for switched off at an assignment (pull request 20716)."""
    return original(offline_directories.knows_elr_at_assignment)(cluster)


def is_complete_with_some(
    cluster: KraftCluster, assignment: Assignment, isr: frozenset[BrokerId]
) -> bool:
    """A reassignment is complete when all that it adds are in sync (KAFKA-15665)."""
    return isr.issuperset(assignment.adding)


def is_complete_with_target(
    cluster: KraftCluster, assignment: Assignment, isr: frozenset[BrokerId]
) -> bool:
    """A reassignment waits for replicas that stay and are dead (KAFKA-19975)."""
    return original(partition_change.is_complete)(cluster, assignment, isr)


def keep_epoch_without_replica(
    cluster: KraftCluster, change: PartitionChange, after: PartitionRegistration
) -> Epoch:
    """A replica that is removed begins no leader epoch."""
    old = cluster.stored
    return Epoch(old.leader_epoch + (after.leader != old.leader))


def fail_over_with_memory(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """A controller keeps in memory what the metadata log has lost (KAFKA-13100)."""
    for after in quorum.fail_over_controller(cluster):
        yield after.evolve(stored=cluster.stored)


def fail_over_without_record(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """A standby that could not replay the last record becomes active (KAFKA-14275)."""
    for after in quorum.fail_over_controller(cluster):
        log = after.metadata
        if log.first < log.end:
            yield after.evolve(stored=log.at(log.end - 1).partition)
        yield after


def fence_with_all_that_ended(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """All that ended are fenced in one event, each from one base (KAFKA-13173)."""
    if cluster.is_alive(broker) or cluster.registrations[broker].is_fenced:
        return
    after = cluster
    for ended in cluster.bounds.broker_ids:
        if cluster.is_alive(ended) or cluster.registrations[ended].is_fenced:
            continue
        one = broker_lifecycle.fenced(cluster, ended)
        after = after.evolve(
            registrations={ended: one.registrations[ended]},
            stored=offline_directories.merged(cluster.stored, after.stored, one.stored),
        )
    yield from write(cluster, after)


def sessions_of_running(cluster: KraftCluster) -> frozenset[BrokerId]:
    """A new controller knows only brokers that it hears from (KAFKA-18138)."""
    return frozenset(
        broker for broker in cluster.bounds.broker_ids if cluster.is_alive(broker)
    )


def lose_request(cluster: KraftCluster, broker: BrokerId) -> AlterPartitionChannel:
    """A request that the old controller did not answer is not sent again."""
    return AlterPartitionChannel()


def is_applied_by_every_broker(cluster: KraftCluster, offset: int) -> bool:
    """A controlled shutdown waits for brokers that are not active, too."""
    return all(
        cluster.processes[broker].has_applied(offset)
        for broker in cluster.bounds.broker_ids
    )


def new_topic_with_all_in_sync(
    cluster: KraftCluster, replicas: tuple[BrokerId, ...]
) -> PartitionRegistration:
    """A new partition has fenced brokers in its ISR (KAFKA-13083)."""
    created = original(assignments.new_topic)(cluster, replicas)
    return evolve(created, isr=frozenset(replicas), leader=replicas[0])


def refreshed_and_fenced(cluster: KraftCluster, broker: BrokerId) -> BrokerRegistration:
    """A process that registers once more is fenced by it (KAFKA-16757)."""
    return original(offline_directories.refreshed)(cluster, broker).fence()


def refreshed_without_directories(
    cluster: KraftCluster, broker: BrokerId
) -> BrokerRegistration:
    """A registration without directories has none online (KAFKA-16162)."""
    after = original(offline_directories.refreshed)(cluster, broker)
    return evolve(after, directories=frozenset())


def refreshed_in_next_epoch(
    cluster: KraftCluster, broker: BrokerId
) -> BrokerRegistration:
    """A process that registers once more gets another broker epoch (KAFKA-16952)."""
    after = original(offline_directories.refreshed)(cluster, broker)
    return evolve(after, epoch=BrokerEpoch(after.epoch + 1))
