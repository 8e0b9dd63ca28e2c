"""Properties of single steps of the cluster in KRaft mode."""

from __future__ import annotations

from attrs import evolve

from replicheck.model.kraft.cells.log_move import Promotion
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.vocabulary import BrokerId


def leader_change_begins_epoch(before: KraftCluster, after: KraftCluster) -> bool:
    """Another leader has another leader epoch, and another ISR alone has not.

    A replica that is removed begins one, too.

    Rules: KINV-2.
    """
    old, new = before.stored, after.stored
    if new is old or is_failover(before, after):
        return True
    if not frozenset(old.replicas) <= frozenset(new.replicas):
        return old.leader_epoch != new.leader_epoch
    return (old.leader == new.leader) == (old.leader_epoch == new.leader_epoch)


def partition_change_begins_partition_epoch(
    before: KraftCluster, after: KraftCluster
) -> bool:
    """Every change of the partition begins a partition epoch.

    Rules: KINV-2.
    """
    old, new = before.stored, after.stored
    if new is old or is_failover(before, after) or creates_topic(before, after):
        return True
    return old == new or new.partition_epoch > old.partition_epoch


def partition_epoch_begins_with_change(
    before: KraftCluster, after: KraftCluster
) -> bool:
    """Every partition epoch begins with a change of the partition.

    Rules: KR-PCB-1.
    """
    old, new = before.stored, after.stored
    if new is old or is_failover(before, after):
        return True
    return old == new or old != evolve(new, partition_epoch=old.partition_epoch)


def broker_epoch_begins_with_process(before: KraftCluster, after: KraftCluster) -> bool:
    """A process that is registered keeps its broker epoch.

    Rules: KR-REG-5.
    """
    return all(
        new.epoch == old.epoch or is_failover(before, after)
        for broker, (old, new) in enumerate(
            zip(before.registrations, after.registrations, strict=True)
        )
        if new is not old and before.is_alive(before.bounds.broker_ids[broker])
    )


def is_failover(before: KraftCluster, after: KraftCluster) -> bool:
    """Tell whether the controller failed over, which may lose what it appended."""
    return before.faults.controller_failovers != after.faults.controller_failovers


def creates_topic(before: KraftCluster, after: KraftCluster) -> bool:
    """Tell whether another topic of the same name was created."""
    return before.faults.topic_creations != after.faults.topic_creations


def leader_high_watermark_does_not_fall(
    before: KraftCluster, after: KraftCluster
) -> bool:
    """The high watermark of a leader does not fall within its leader epoch."""
    return all(
        new.high_watermark >= old.high_watermark
        for broker, (old, new) in enumerate(
            zip(before.partitions, after.partitions, strict=True)
        )
        if new is not old
        and old.is_of(new.topic_id)
        and old.is_led_by(before.bounds.broker_ids[broker])
        and new.is_in(before.bounds.broker_ids[broker], old.leader_epoch)
    )


def recovery_follows_unclean_election(
    before: KraftCluster, after: KraftCluster
) -> bool:
    """A leader that was no candidate is marked as recovering.

    A failover, which may take back an election, is left out.
    """
    old, new = before.stored, after.stored
    if new is old or is_failover(before, after):
        return True
    if new.leader is None or new.leader == old.leader:
        return True
    if ends_reassignment(before, after) or creates_topic(before, after):
        return True
    return new.leader in old.candidates or new.is_recovering


def ends_reassignment(before: KraftCluster, after: KraftCluster) -> bool:
    """Tell whether a reassignment was completed: its last replica may lead at once."""
    old, new = before.stored, after.stored
    if new is old or not old.is_reassigned() or new.is_reassigned():
        return False
    return old.target == frozenset(new.replicas)


def unclean_election_is_allowed(before: KraftCluster, after: KraftCluster) -> bool:
    """Only configuration, an operator, or an empty ELR elects no candidate.

    With an empty ISR and ELR, the last known leader is elected without being allowed.
    """
    old, new = before.stored, after.stored
    if new is old or new.leader is None or new.leader == old.leader:
        return True
    if old.can_elect(new.leader):
        return True
    if is_failover(before, after) or ends_reassignment(before, after):
        return True
    if creates_topic(before, after):
        return True
    return (
        before.bounds.allows_unclean_elections
        or before.faults.unclean_elections != after.faults.unclean_elections
        or old.last_known_leader == new.leader
    )


def completed_reassignment_is_in_sync(
    before: KraftCluster, after: KraftCluster
) -> bool:
    """All replicas that are left are in the ISR when a reassignment is complete.

    Rules: KR-PCB-11.
    """
    if not ends_reassignment(before, after):
        return True
    return after.stored.isr.issuperset(after.stored.replicas)


def eligible_replica_stays_eligible(before: KraftCluster, after: KraftCluster) -> bool:
    """A broker that can be elected cleanly can still be, without a reason against it.

    Reasons are an ISR that is large enough, another min.insync.replicas, a leader that
    was elected uncleanly, and an end of the broker's process that was not clean.

    Rules: KR-ELR-2, KR-ELR-3, KR-ELR-5.
    """
    old, new = before.stored, after.stored
    if new is old or old.has_empty_elr() or is_failover(before, after):
        return True
    if before.min_isr != after.min_isr or new.is_recovering or not new.replicas:
        return True
    if new.has_in_sync(min(after.min_isr, len(new.replicas))):
        return True
    return all(
        new.can_elect(broker)
        for broker in before.bounds.broker_ids
        if old.can_elect(broker)
        if new.has_replica(broker)
        if not ended_uncleanly(before, after, broker)
    )


def own_assignment_keeps_move(before: KraftCluster, after: KraftCluster) -> bool:
    """A move is not begun anew by a record that names the directory it goes to.

    Rules: KLIVE-6.
    """
    return not any(
        after.moves[broker] is not before.moves[broker]
        and after.moves[broker].promotion is Promotion.NONE
        and before.moves[broker].promotion in (Promotion.QUEUED, Promotion.ACCEPTED)
        and before.moves[broker].directory == after.moves[broker].directory
        and names_move(after, broker)
        for broker in before.bounds.broker_ids
    )


def names_move(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether a broker's image names the directory to which it moves its replica.

    Another directory may have been asked for meanwhile.
    """
    directory = cluster.moves[broker].directory
    return cluster.caches[broker].partition.is_assigned(broker, directory)


def ended_uncleanly(
    before: KraftCluster, after: KraftCluster, broker: BrokerId
) -> bool:
    """Tell whether a broker registers anew, and may have lost records.

    The process before it crashed, or the directory of the replica cannot be opened.
    """
    if after.is_registered(broker, before.registrations[broker].epoch):
        return False
    known = before.processes[broker].clean_epoch
    if not before.is_registered(broker, known):
        return True
    return before.disks[broker].has_offline or not before.disks[broker].has_log()


def lost_log_is_not_made_anew(before: KraftCluster, after: KraftCluster) -> bool:
    """A broker makes no empty log for a replica that lies on a dead disk.

    A disk that is not configured any more is left out.

    Rules: KINV-14.
    """
    return not any(
        is_made_anew_elsewhere(before, after, broker)
        for broker in before.bounds.broker_ids
    )


def is_made_anew_elsewhere(
    before: KraftCluster, after: KraftCluster, broker: BrokerId
) -> bool:
    """Tell whether a log on a dead disk was replaced by one with fewer records."""
    if after.disks[broker] is before.disks[broker]:
        return False
    if not before.disks[broker].has_lost_log():
        return False
    if after.disks[broker].has_lost_log():
        return False
    if not before.partitions[broker].is_of(after.partitions[broker].topic_id):
        return False
    return not after.logs[broker].reaches(before.logs[broker].end_offset)


STEPS = (
    leader_change_begins_epoch,
    partition_change_begins_partition_epoch,
    partition_epoch_begins_with_change,
    broker_epoch_begins_with_process,
    leader_high_watermark_does_not_fall,
    recovery_follows_unclean_election,
    unclean_election_is_allowed,
    completed_reassignment_is_in_sync,
    eligible_replica_stays_eligible,
    own_assignment_keeps_move,
    lost_log_is_not_made_anew,
)
