"""Which bounds allow what a property speaks of to happen at all."""

from __future__ import annotations

from collections.abc import Mapping

from replicheck.invariants.catalogue.systems import Predicate
from replicheck.invariants.kraft import safety, steps

LEAVING = ("crashes", "fences", "shutdowns", "isr_shrinks", "directory_failures")
"""What takes a broker out of the ISR."""

NEEDS: Mapping[Predicate, tuple[str, ...]] = {
    safety.leaderless_partition_has_candidate: ("eligible_leader_replicas",),
    safety.stored_elr_is_outside_isr: ("eligible_leader_replicas",),
    safety.last_known_leader_implies_leaderless: ("eligible_leader_replicas",),
    safety.stored_isr_is_active: LEAVING,
    safety.stored_leader_is_active: LEAVING,
    safety.stored_leader_directory_is_online: ("directory_failures",),
    safety.known_directory_is_used: ("unassigned", "removed_directories"),
    safety.acknowledged_failure_is_registered: ("directory_failures",),
    safety.broker_knows_committed_metadata_only: ("controller_failovers",),
    safety.unfenced_broker_applied_registration: ("restarts",),
    steps.leader_change_begins_epoch: (*LEAVING, "preferred_elections"),
    steps.recovery_follows_unclean_election: (*LEAVING, "preferred_elections"),
    steps.eligible_replica_stays_eligible: ("eligible_leader_replicas",),
    steps.unclean_election_is_allowed: (
        "restarts",
        "unclean_elections",
        "unclean_leader_election",
    ),
}
"""For such a property the bounds of which one must not be 0, or it is vacuously true.

Without restarts, no eligible leader replica is lost to an unclean shutdown, so that the
last known leader is never elected.
"""
