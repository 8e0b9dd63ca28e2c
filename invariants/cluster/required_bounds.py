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
    leadership.no_two_brokers_are_controller_in_one_epoch: (
        "controller_moves",
        "session_expiries",
    ),
    steps.the_controller_epoch_never_goes_back: (
        "controller_moves",
        "crashes",
        "session_expiries",
        "shutdowns",
    ),
    durability.every_member_of_the_isr_holds_what_is_committed: ("records",),
    durability.no_committed_record_is_lost_from_all_logs: ("records",),
    durability.what_a_leader_knows_of_its_followers_is_true: ("records",),
    durability.logs_agree_up_to_every_common_record: ("records",),
    durability.the_true_leader_holds_what_is_acknowledged: PRODUCERS,
    steps.an_acknowledgement_has_enough_replicas: PRODUCERS,
    liveness.at_rest_no_producer_waits_at_an_offline_replica: PRODUCERS,
    liveness.at_rest_every_broker_tells_the_truth: ("metadata",),
    liveness.at_rest_every_broker_tells_the_stored_isr: ("isr_notifications",),
    liveness.at_rest_leaders_have_good_directories: ("session_expiries",),
    liveness.at_rest_nothing_keeps_a_topic_from_its_deletion: ("topic_deletions",),
    deletion.a_topic_is_gone_only_when_its_logs_are: ("topic_deletions",),
    deletion.at_rest_a_topic_created_anew_is_hosted: ("topic_recreations",),
    reassignment.at_rest_a_reassignment_is_complete: ("reassignments",),
    reassignment.lagging_followers_can_leave_the_isr: ("isr_shrinks",),
    reassignment.a_replica_is_removed_when_its_successors_are_in_sync: (
        "reassignments",
    ),
    steps.a_stale_copy_changes_nothing: ("duplicates",),
    missed_failures.a_handled_failure_is_not_forgotten: DIRECTORIES,
    log_dirs.a_replica_marked_offline_does_not_fetch: DIRECTORIES,
    log_dirs.a_replica_is_marked_offline_for_a_directory: DIRECTORIES,
    log_dirs.offline_replicas_mean_an_offline_directory: DIRECTORIES,
    controller_decisions.at_rest_no_replica_is_unassigned: ("reassignments",),
    controller_decisions.at_rest_no_request_is_left: ("reassignments",),
    controller_decisions.a_leader_that_stops_is_told_who_leads: (),
    controller_decisions.only_who_stops_is_taken_for_stopping: ("shutdowns",),
    controller_decisions.at_rest_what_is_gone_is_forgotten: (),
    offline_markers.a_marker_stays_while_the_process_runs: (),
}
"""For such a property the bounds of which one must not be 0, or it is vacuously true.

Without any, only a protocol that is wrong ever meets its premise. A fault that happens
before the search begins counts, too.
"""
