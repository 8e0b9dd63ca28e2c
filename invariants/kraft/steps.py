"""Properties of single steps of the cluster in KRaft mode."""

from __future__ import annotations

from replicheck.model.kraft.state import KraftCluster


def leader_change_begins_epoch(before: KraftCluster, after: KraftCluster) -> bool:
    """Another leader has another leader epoch, and another ISR alone has not.

    Rules: KINV-2.
    """
    if is_failover(before, after):
        return True
    old, new = before.stored, after.stored
    return (old.leader == new.leader) == (old.leader_epoch == new.leader_epoch)


def partition_change_begins_partition_epoch(
    before: KraftCluster, after: KraftCluster
) -> bool:
    """Every change of the partition has a partition epoch of its own.

    Rules: KINV-2.
    """
    if is_failover(before, after):
        return True
    old, new = before.stored, after.stored
    return old == new or new.partition_epoch == old.partition_epoch + 1


def is_failover(before: KraftCluster, after: KraftCluster) -> bool:
    """Tell whether the controller failed over, which may lose what it appended."""
    return before.faults.controller_failovers != after.faults.controller_failovers


def leader_high_watermark_does_not_fall(
    before: KraftCluster, after: KraftCluster
) -> bool:
    """The high watermark of a leader does not fall within its leader epoch."""
    return all(
        new.high_watermark >= old.high_watermark
        for broker, (old, new) in enumerate(
            zip(before.partitions, after.partitions, strict=True)
        )
        if old.is_led_by(before.bounds.broker_ids[broker])
        and new.is_in(before.bounds.broker_ids[broker], old.leader_epoch)
    )


def recovery_follows_unclean_election(
    before: KraftCluster, after: KraftCluster
) -> bool:
    """A leader that was no candidate is marked as recovering.

    A failover, which may take back an election, is left out.
    """
    if is_failover(before, after):
        return True
    old, new = before.stored, after.stored
    if new.leader is None or new.leader == old.leader:
        return True
    return new.leader in old.candidates or new.is_recovering


def unclean_election_is_allowed(before: KraftCluster, after: KraftCluster) -> bool:
    """Only configuration, an operator, or an empty ELR elects no candidate.

    With an empty ISR and ELR, the last known leader is elected without being allowed.
    """
    old, new = before.stored, after.stored
    if new.leader is None or new.leader == old.leader or old.can_elect(new.leader):
        return True
    if is_failover(before, after):
        return True
    return (
        before.bounds.allows_unclean_elections
        or before.faults.unclean_elections != after.faults.unclean_elections
        or old.last_known_leader == new.leader
    )


STEPS = (
    leader_change_begins_epoch,
    partition_change_begins_partition_epoch,
    leader_high_watermark_does_not_fall,
    recovery_follows_unclean_election,
    unclean_election_is_allowed,
)
