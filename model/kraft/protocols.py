"""Kafka 4.1.1 as a protocol, those that change one rule of it, and their model."""

from __future__ import annotations

from replicheck.model.kraft.bounds import KraftBounds
from replicheck.model.kraft.broker import (
    assignments_manager,
    directories,
    fetch_answers,
    high_watermark,
    isr,
    log_moves,
    metadata_publisher,
    process,
    replication,
)
from replicheck.model.kraft.controller import (
    alter_partition,
    assignments,
    broker_lifecycle,
    elections,
    events,
    leader_election,
    offline_directories,
    partition_change,
    quorum,
)
from replicheck.model.kraft.log_move_versions import (
    epoch_of_process,
    has_other_or_new_directory,
    is_kept_with_its_directory,
    is_told_to_move_there,
    queue_assignment_without_move,
    recover_log_without_current,
)
from replicheck.model.kraft.state import KraftCluster, everyone_in_sync
from replicheck.model.kraft.versions import (
    assignment_as_asked,
    assignment_keeps_elr,
    cleared_with_leader,
    complete_and_commit,
    electable_replica_that_led_last,
    eligible_replicas,
    elr_index_of_partition,
    elr_of_small_isr,
    elr_until_election,
    follower_states_after_skipped_epoch,
    follower_states_of_epoch,
    had_clean_shutdown_with_directory,
    heartbeat_reports_first,
    ineligible_in_offline_directory,
    is_complete_with_added,
    keeps_high_watermark_until_unfenced,
    make_leader_of_newer_partition_epoch,
    no_directories_left,
    receive_answer_and_cut,
    reported_directories,
)
from replicheck.model.protocol import Action, Protocol, ProtocolModel
from replicheck.model.vocabulary import BrokerId, DirectoryId

ENVIRONMENT: tuple[Action, ...] = (
    process.crash,
    process.lose_tail,
    process.restart,
    broker_lifecycle.begin_controlled_shutdown,
    elections.elect_preferred_leader,
    elections.elect_unclean_leader,
    elections.change_min_isr,
    quorum.fail_over_controller,
    broker_lifecycle.fence_broker,
    directories.fail_directory,
    directories.remove_directory,
    directories.stop_with_unreported_directory,
    offline_directories.refresh_registration,
    assignments.reassign_partition,
    assignments.cancel_reassignment,
    assignments.delete_topic,
    assignments.create_topic,
    elections.unregister_broker,
    elections.switch_elr_off,
    fetch_answers.answer_late,
    log_moves.alter_replica_log_dirs,
    quorum.append_no_op_record,
)
KAFKA_4_1 = Protocol(
    "kafka-4.1.1",
    (
        *ENVIRONMENT,
        broker_lifecycle.fence_stale_broker,
        broker_lifecycle.register_broker,
        broker_lifecycle.unfence_broker,
        broker_lifecycle.end_controlled_shutdown,
        quorum.commit_metadata,
        alter_partition.handle_alter_partition,
        metadata_publisher.publish_metadata,
        isr.expand_isr,
        isr.shrink_isr,
        isr.handle_alter_partition_response,
        replication.append,
        replication.fetch,
        fetch_answers.receive_answer,
        fetch_answers.cut_log,
        directories.receive_heartbeat_answer,
        offline_directories.report_offline_directories,
        offline_directories.assign_replica_to_directory,
        offline_directories.handle_assignment,
        assignments_manager.send_assignment,
        assignments_manager.receive_assignment_answer,
        log_moves.copy_to_future_log,
        log_moves.promote_future_log,
        quorum.apply_no_op_record,
    ),
)
FORGETS_AFTER_SKIPPED_EPOCH = KAFKA_4_1.replacing(
    metadata_publisher.follower_states, by=follower_states_after_skipped_epoch
).named("forgets-after-skipped-epoch")
IGNORES_EQUAL_PARTITION_EPOCH = KAFKA_4_1.replacing(
    metadata_publisher.make_leader, by=make_leader_of_newer_partition_epoch
).named("ignores-equal-partition-epoch")
REFUSES_OFFLINE_DIRECTORIES = KAFKA_4_1.replacing(
    alter_partition.ineligible, by=ineligible_in_offline_directory
).named("refuses-offline-directories")
REPORTS_DIRECTORIES_FIRST = KAFKA_4_1.replacing(
    broker_lifecycle.heartbeat_unfences, by=heartbeat_reports_first
).named("reports-directories-first")
KEEPS_ELR_AT_ASSIGNMENT = KAFKA_4_1.replacing(
    offline_directories.knows_elr_at_assignment, by=assignment_keeps_elr
).named("keeps-elr-at-assignment")
FORGETS_AT_EACH_EPOCH = KAFKA_4_1.replacing(
    metadata_publisher.follower_states, by=follower_states_of_epoch
).named("forgets-at-each-epoch")
HAS_ELR_OF_REPLICAS = FORGETS_AT_EACH_EPOCH.replacing(
    partition_change.eligible, by=eligible_replicas
).named("has-elr-of-replicas")
COMPLETES_WITH_ADDED = KAFKA_4_1.replacing(
    partition_change.is_complete, by=is_complete_with_added
).named("completes-with-added")
CLEARS_ELR_INDEX = KAFKA_4_1.replacing(
    events.elr_index_after, by=elr_index_of_partition
).named("clears-elr-index")
KEEPS_ELR_WITHOUT_LEADER = (
    CLEARS_ELR_INDEX.replacing(elections.cleared, by=cleared_with_leader)
    .replacing(partition_change.elr_after, by=elr_of_small_isr)
    .named("keeps-elr-without-leader")
)
KEEPS_ELR_UNTIL_ELECTION = KAFKA_4_1.replacing(
    partition_change.elr_after, by=elr_until_election
).named("keeps-elr-until-election")
ACKNOWLEDGES_REPORTED = KAFKA_4_1.replacing(
    directories.known_to_controller, by=reported_directories
).named("acknowledges-reported-directories")
REASSIGNS_AS_ASKED = KAFKA_4_1.replacing(
    assignments.assignment_to, by=assignment_as_asked
).named("reassigns-as-asked")
COMPLETES_AS_ASKED = COMPLETES_WITH_ADDED.replacing(
    assignments.assignment_to, by=assignment_as_asked
).named("completes-as-asked")
CHECKS_DIRECTORY_AT_REGISTRATION = (
    KEEPS_ELR_AT_ASSIGNMENT.replacing(
        broker_lifecycle.had_clean_shutdown, by=had_clean_shutdown_with_directory
    )
    .replacing(assignments_manager.epoch_of_assignment, by=epoch_of_process)
    .named("checks-directory-at-registration")
)
ELECTS_REPLICAS = KAFKA_4_1.replacing(
    leader_election.electable_last_known_leader, by=electable_replica_that_led_last
).named("elects-replicas")
CUTS_AT_ONCE = KAFKA_4_1.replacing(
    fetch_answers.receive_answer, by=receive_answer_and_cut
).named("cuts-at-once")
COMMITS_AFTER_REFUSAL = KAFKA_4_1.replacing(isr.complete, by=complete_and_commit).named(
    "commits-after-refusal"
)
COMMITS_ONCE_UNFENCED = KAFKA_4_1.replacing(
    high_watermark.keeps_high_watermark, by=keeps_high_watermark_until_unfenced
).named("commits-once-unfenced")
CLEARS_DIRECTORY_INDEX = KAFKA_4_1.replacing(
    assignments.directories_left, by=no_directories_left
).named("clears-directory-index")
KEEPS_TOLD_MOVES = (
    KAFKA_4_1.replacing(log_moves.is_kept, by=is_kept_with_its_directory)
    .replacing(directories.queue_assignment, by=queue_assignment_without_move)
    .replacing(assignments_manager.is_told_to_move, by=is_told_to_move_there)
    .named("keeps-told-moves")
)
TELLS_NEW_DIRECTORIES = KAFKA_4_1.replacing(
    metadata_publisher.has_other_directories, by=has_other_or_new_directory
).named("tells-new-directories")
RECOVERS_LOST_LOGS = KEEPS_ELR_AT_ASSIGNMENT.replacing(
    log_moves.recover_abandoned_log, by=recover_log_without_current
).named("recovers-lost-logs")
PROTOCOLS = (
    KAFKA_4_1,
    FORGETS_AFTER_SKIPPED_EPOCH,
    IGNORES_EQUAL_PARTITION_EPOCH,
    REFUSES_OFFLINE_DIRECTORIES,
    REPORTS_DIRECTORIES_FIRST,
    KEEPS_ELR_AT_ASSIGNMENT,
    FORGETS_AT_EACH_EPOCH,
    HAS_ELR_OF_REPLICAS,
    COMPLETES_WITH_ADDED,
    CLEARS_ELR_INDEX,
    KEEPS_ELR_WITHOUT_LEADER,
    KEEPS_ELR_UNTIL_ELECTION,
    ACKNOWLEDGES_REPORTED,
    REASSIGNS_AS_ASKED,
    COMPLETES_AS_ASKED,
    CHECKS_DIRECTORY_AT_REGISTRATION,
    ELECTS_REPLICAS,
    CUTS_AT_ONCE,
    COMMITS_AFTER_REFUSAL,
    COMMITS_ONCE_UNFENCED,
    CLEARS_DIRECTORY_INDEX,
    KEEPS_TOLD_MOVES,
    RECOVERS_LOST_LOGS,
    TELLS_NEW_DIRECTORIES,
)

BUDGETS: dict[str, tuple[str, ...]] = {
    "crash": ("crashes",),
    "lose_tail": ("lost_tails",),
    "restart": ("restarts",),
    "register_broker": ("restarts",),
    "begin_controlled_shutdown": ("shutdowns",),
    "end_controlled_shutdown": ("shutdowns",),
    "elect_preferred_leader": ("preferred_elections",),
    "elect_unclean_leader": ("unclean_elections",),
    "change_min_isr": ("min_isr_changes",),
    "fail_over_controller": ("controller_failovers",),
    "commit_metadata": ("controller_failovers",),
    "fence_broker": ("fences",),
    "fence_stale_broker": ("crashes", "directory_failures"),
    "unfence_broker": ("fences", "restarts"),
    "shrink_isr": ("isr_shrinks",),
    "append": ("records",),
    "answer_late": ("late_answers",),
    "receive_answer": ("late_answers",),
    "receive_answer_and_cut": ("late_answers",),
    "cut_log": ("late_answers",),
    "reassign_partition": ("reassignments",),
    "cancel_reassignment": ("reassignment_cancels",),
    "delete_topic": ("topic_deletions",),
    "create_topic": ("topic_creations",),
    "unregister_broker": ("unregistrations",),
    "switch_elr_off": ("elr_downgrades",),
    "fail_directory": ("directory_failures",),
    "remove_directory": ("removed_directories",),
    "stop_with_unreported_directory": ("failure_timeouts",),
    "refresh_registration": ("registration_refreshes",),
    "receive_heartbeat_answer": ("directory_failures",),
    "report_offline_directories": ("directory_failures",),
    "assign_replica_to_directory": ("unassigned", "removed_directories"),
    "alter_replica_log_dirs": ("moves",),
    "handle_assignment": ("moves",),
    "send_assignment": ("moves",),
    "receive_assignment_answer": ("moves",),
    "copy_to_future_log": ("moves",),
    "promote_future_log": ("moves",),
    "append_no_op_record": ("no_op_records",),
    "apply_no_op_record": ("no_op_records",),
}
"""For each action, by name, the bounds of which one must not be 0."""


def kraft_model(
    protocol: Protocol = KAFKA_4_1,
    bounds: KraftBounds = KraftBounds(),
    start: KraftCluster | None = None,
) -> ProtocolModel:
    """The model of the cluster under one protocol, within bounds, from one state."""
    return ProtocolModel(
        "kraft",
        protocol,
        bounds,
        everyone_in_sync,
        domains={BrokerId: bounds.broker_ids, DirectoryId: bounds.directory_ids},
        budgets=BUDGETS,
        start=start,
    )
