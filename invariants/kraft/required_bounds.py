"""Which bounds allow what a property speaks of to happen at all."""

from __future__ import annotations

from collections.abc import Mapping

from replicheck.invariants.catalogue.systems import Predicate
from replicheck.invariants.kraft import log_directories, metadata, safety, steps

LEAVING = (
    "crashes",
    "fences",
    "shutdowns",
    "isr_shrinks",
    "directory_failures",
    "reassignments",
)
"""What takes a broker out of the ISR."""

NEEDS: Mapping[Predicate, tuple[str, ...]] = {
    metadata.leaderless_partition_has_candidate: ("eligible_leader_replicas",),
    metadata.stored_elr_is_outside_isr: ("eligible_leader_replicas",),
    metadata.last_known_leader_implies_leaderless: ("eligible_leader_replicas",),
    metadata.stored_isr_is_active: LEAVING,
    metadata.stored_leader_is_active: LEAVING,
    metadata.stored_leader_directory_is_online: ("directory_failures",),
    log_directories.known_directory_is_used: (
        "unassigned",
        "removed_directories",
        "moves",
    ),
    log_directories.acknowledged_failure_is_registered: ("directory_failures",),
    log_directories.future_log_is_elsewhere: ("moves",),
    log_directories.offline_leader_is_reported: ("directory_failures",),
    log_directories.offline_replica_is_of_its_topic: ("directory_failures",),
    steps.own_assignment_keeps_move: ("moves",),
    steps.lost_log_is_not_made_anew: ("directory_failures",),
    metadata.reassignment_keeps_asked_replicas: ("reassignments",),
    metadata.reassignment_in_sync_is_complete: ("reassignments",),
    metadata.stored_candidates_are_replicas: ("reassignments", "topic_deletions"),
    safety.removed_replica_is_deleted: ("reassignments", "topic_deletions"),
    safety.log_has_records_of_its_topic: ("topic_creations",),
    metadata.elr_index_is_current: ("min_isr_changes",),
    safety.followers_fetch_from_log_end: ("late_answers",),
    safety.registration_is_accepted: ("topic_deletions", "reassignment_cancels"),
    safety.heartbeat_is_accepted: ("topic_deletions",),
    safety.broker_knows_committed_metadata_only: ("controller_failovers",),
    safety.unfenced_broker_applied_registration: ("restarts",),
    steps.leader_change_begins_epoch: (*LEAVING, "preferred_elections"),
    steps.recovery_follows_unclean_election: (*LEAVING, "preferred_elections"),
    steps.completed_reassignment_is_in_sync: ("reassignments",),
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
