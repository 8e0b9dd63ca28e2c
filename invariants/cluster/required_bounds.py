"""What a property speaks of, and which bounds allow it to happen at all."""

from __future__ import annotations

from collections.abc import Mapping

from replicheck.invariants.catalogue.systems import Predicate
from replicheck.invariants.cluster import steps
from replicheck.invariants.cluster.subjects import (
    controller_decisions,
    deletion,
    durability,
    leadership,
    liveness,
    log_dirs,
    missed_failures,
    offline_markers,
    reassignment,
)

DIRECTORIES = ("directory_failures",)
PRODUCERS = ("acknowledgements",)

NEEDS: Mapping[Predicate, tuple[str, ...]] = {
    leadership.controller_epoch_has_one_controller: (
        "controller_moves",
        "session_expiries",
    ),
    steps.controller_epoch_never_decreases: (
        "controller_moves",
        "crashes",
        "session_expiries",
        "shutdowns",
    ),
    durability.isr_members_have_committed_records: ("records",),
    durability.committed_records_remain_in_some_log: ("records",),
    durability.leader_view_of_followers_is_correct: ("records",),
    durability.logs_match_up_to_common_records: ("records",),
    durability.current_leader_has_acknowledged_records: PRODUCERS,
    steps.acknowledgement_requires_min_insync_replicas: PRODUCERS,
    liveness.quiescent_offline_replica_blocks_no_producer: PRODUCERS,
    liveness.quiescent_metadata_is_current: ("metadata",),
    liveness.quiescent_metadata_has_stored_isr: ("isr_notifications",),
    liveness.quiescent_leader_has_good_directory: ("session_expiries",),
    liveness.quiescent_topic_deletion_is_complete: ("topic_deletions",),
    deletion.deleted_topic_has_no_logs: ("topic_deletions",),
    deletion.quiescent_recreated_topic_is_online: ("topic_recreations",),
    reassignment.quiescent_reassignment_is_complete: ("reassignments",),
    reassignment.lagging_followers_can_leave_isr: ("isr_shrinks",),
    reassignment.reassignment_awaits_target_in_isr: ("reassignments",),
    steps.stale_duplicate_changes_nothing: ("duplicates",),
    missed_failures.controller_learns_of_offline_replicas: DIRECTORIES,
    log_dirs.offline_replica_does_not_fetch: DIRECTORIES,
    log_dirs.offline_replica_implies_failed_directory: DIRECTORIES,
    log_dirs.offline_replica_count_implies_offline_directory: DIRECTORIES,
    controller_decisions.quiescent_replicas_are_assigned: ("reassignments",),
    controller_decisions.quiescent_reassignment_request_is_removed: ("reassignments",),
    controller_decisions.stopping_leader_learns_new_leader: (),
    controller_decisions.controller_marks_only_stopping_brokers: ("shutdowns",),
    controller_decisions.quiescent_controller_forgets_deleted_topics: (),
    offline_markers.offline_marker_stays_until_restart: (),
}
"""For such a property the bounds of which one must not be 0, or it is vacuously true.

Without any, only a protocol that is wrong ever meets its premise. A fault that happens
before the search begins counts, too.
"""
