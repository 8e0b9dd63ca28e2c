"""Mutations of KRaft: rules that Kafka broke, and guards that were taken away."""

from __future__ import annotations

from replicheck.model.kraft import (
    broken_broker_rules,
    broken_controller_rules,
)
from replicheck.model.kraft.broker import (
    directories,
    fetch_answers,
    high_watermark,
    isr,
    metadata_publisher,
    process,
    replication,
)
from replicheck.model.kraft.controller import (
    alter_partition,
    assignments,
    broker_lifecycle,
    elections,
    leader_election,
    offline_directories,
    partition_change,
    quorum,
)
from replicheck.model.kraft.log_move_mutations import OF_MOVES
from replicheck.model.kraft.protocols import (
    COMPLETES_WITH_ADDED,
    CUTS_AT_ONCE,
    IGNORES_EQUAL_PARTITION_EPOCH,
    KAFKA_4_1,
    KEEPS_ELR_AT_ASSIGNMENT,
)
from replicheck.model.protocol import mutations_of

OF_KAFKA_4_1 = mutations_of(
    KAFKA_4_1,
    {
        "kafka-13916-accept-any-member": KAFKA_4_1.replacing(
            alter_partition.ineligible, by=broken_controller_rules.ineligible_never
        ),
        "kafka-15583-commit-below-min-isr": KAFKA_4_1.replacing(
            high_watermark.keeps_high_watermark,
            by=broken_broker_rules.keeps_high_watermark_never,
        ),
        "kafka-15581-trust-unclean-shutdown": KAFKA_4_1.replacing(
            broker_lifecycle.had_clean_shutdown,
            by=broken_controller_rules.had_clean_shutdown_always,
        ),
        "kafka-19522-elect-any-last-known-leader": KAFKA_4_1.replacing(
            leader_election.electable_last_known_leader,
            by=broken_controller_rules.any_last_known_leader,
        ),
        "kafka-18106-stay-in-isr-at-registration": KAFKA_4_1.replacing(
            broker_lifecycle.partition_after_registration,
            by=broken_controller_rules.stay_in_isr_at_registration,
        ),
        "kafka-16540-keep-elr-of-other-min-isr": KAFKA_4_1.replacing(
            elections.cleared, by=broken_controller_rules.keep_elr_of_other_min_isr
        ),
        "kafka-18649-clear-elr-in-same-epoch": KAFKA_4_1.replacing(
            elections.cleared, by=broken_controller_rules.clear_elr_in_same_epoch
        ),
        "kr-hb-3-unfence-before-registration-applied": KAFKA_4_1.replacing(
            broker_lifecycle.is_caught_up,
            by=broken_controller_rules.is_caught_up_always,
        ),
        "kip-497-wait-for-committed-isr": KAFKA_4_1.replacing(
            high_watermark.awaited, by=broken_broker_rules.awaited_of_committed_isr
        ),
        "kafka-13162-prefer-any-replica": KAFKA_4_1.replacing(
            elections.preferred_kind,
            by=broken_controller_rules.preferred_election_of_any_replica,
        ),
        "kr-pcb-7-elected-outside-isr": KAFKA_4_1.replacing(
            partition_change.isr_after, by=broken_controller_rules.isr_without_elected
        ),
        "kafka-15021-begin-epoch-with-smaller-isr": KAFKA_4_1.replacing(
            partition_change.leader_epoch_after,
            by=broken_controller_rules.begin_epoch_with_smaller_isr,
        ),
        "kr-rec-1-lead-in-same-epoch": KAFKA_4_1.replacing(
            partition_change.leader_epoch_after,
            by=broken_controller_rules.lead_in_same_epoch,
        ),
        "kr-ctl-2-answer-before-commit": KAFKA_4_1.replacing(
            isr.is_answered, by=broken_broker_rules.is_answered_before_commit
        ),
        "kr-pcb-5-recover-at-once": KAFKA_4_1.replacing(
            partition_change.is_recovering_after,
            by=broken_controller_rules.recover_at_once,
        ),
        "kr-elr-4-keep-last-known-leader": KAFKA_4_1.replacing(
            partition_change.last_known_leader_after,
            by=broken_controller_rules.keep_last_known_leader,
        ),
        "kr-hw-1-lower-high-watermark": KAFKA_4_1.replacing(
            high_watermark.increment_high_watermark,
            by=broken_broker_rules.lower_high_watermark,
        ),
        "kafka-15510-never-diverge": KAFKA_4_1.replacing(
            replication.diverging_end, by=broken_broker_rules.diverge_never
        ),
        "kafka-15364-keep-failed-directories": KAFKA_4_1.replacing(
            offline_directories.without_directories,
            by=broken_controller_rules.keep_failed_directories,
        ),
        "kafka-16234-make-offline-replica-anew": KAFKA_4_1.replacing(
            metadata_publisher.meet_offline,
            by=broken_broker_rules.make_offline_replica_anew,
        ),
        "kr-dir-6-stay-with-assignment": KAFKA_4_1.replacing(
            offline_directories.leaves_with_assignment,
            by=broken_controller_rules.stay_with_assignment,
        ),
        "kafka-15665-complete-with-some": KAFKA_4_1.replacing(
            partition_change.is_complete,
            by=broken_controller_rules.is_complete_with_some,
        ),
        "kafka-13198-keep-removed-replica": KAFKA_4_1.replacing(
            metadata_publisher.delete_replica,
            by=broken_broker_rules.keep_removed_replica,
        ),
        "kr-pcb-8-keep-epoch-without-replica": KAFKA_4_1.replacing(
            partition_change.leader_epoch_after,
            by=broken_controller_rules.keep_epoch_without_replica,
        ),
        "kafka-15221-keep-end-of-older-process": KAFKA_4_1.replacing(
            replication.update_fetch_state,
            by=broken_broker_rules.keep_end_of_older_process,
        ),
        "kafka-13100-fail-over-with-memory": KAFKA_4_1.replacing(
            quorum.fail_over_controller,
            by=broken_controller_rules.fail_over_with_memory,
        ),
        "kafka-13173-fence-with-all-that-ended": KAFKA_4_1.replacing(
            broker_lifecycle.fence_stale_broker,
            by=broken_controller_rules.fence_with_all_that_ended,
        ),
        "kafka-14704-raise-before-truncation": KAFKA_4_1.replacing(
            replication.truncate, by=broken_broker_rules.raise_before_truncation
        ),
        "kafka-16757-fence-with-refresh": KAFKA_4_1.replacing(
            offline_directories.refreshed,
            by=broken_controller_rules.refreshed_and_fenced,
        ),
        "kafka-18138-know-running-brokers-only": KAFKA_4_1.replacing(
            quorum.sessions_after, by=broken_controller_rules.sessions_of_running
        ),
        "kr-net-1-lose-request": KAFKA_4_1.replacing(
            quorum.channel_after, by=broken_controller_rules.lose_request
        ),
        "kr-hb-3-wait-for-every-broker": KAFKA_4_1.replacing(
            broker_lifecycle.is_applied_by_all,
            by=broken_controller_rules.is_applied_by_every_broker,
        ),
        "kafka-18723-append-what-is-sent": KAFKA_4_1.replacing(
            fetch_answers.record_sent, by=broken_broker_rules.record_when_sent
        ),
        "kafka-13266-note-end-before-removal": KAFKA_4_1.replacing(
            metadata_publisher.add_fetcher,
            by=broken_broker_rules.note_end_before_removal,
        ),
        "kafka-14616-serve-stray-log": KAFKA_4_1.replacing(
            directories.set_stray_aside, by=broken_broker_rules.serve_stray_log
        ),
        "kr-tru-4-use-answer-of-deleted-topic": KAFKA_4_1.replacing(
            metadata_publisher.add_fetcher,
            by=broken_broker_rules.use_answer_of_deleted_topic,
        ),
        "kafka-13959-unfence-at-end": KAFKA_4_1.replacing(
            broker_lifecycle.is_caught_up,
            by=broken_controller_rules.is_caught_up_at_end,
        ),
        "kafka-14292-set-shutdown-offset-anew": KAFKA_4_1.replacing(
            broker_lifecycle.is_applied_by_all,
            by=broken_controller_rules.is_applied_to_end_by_all,
        ),
        "kafka-18635-trust-no-clean-shutdown": KAFKA_4_1.replacing(
            broker_lifecycle.had_clean_shutdown,
            by=broken_controller_rules.had_clean_shutdown_never,
        ),
        "kafka-16624-write-record-without-change": KAFKA_4_1.replacing(
            partition_change.changes_nothing,
            by=broken_controller_rules.changes_nothing_with_target_isr,
        ),
        "kafka-14275-fail-over-without-record": KAFKA_4_1.replacing(
            quorum.fail_over_controller,
            by=broken_controller_rules.fail_over_without_record,
        ),
        "kafka-16952-begin-broker-epoch-with-refresh": KAFKA_4_1.replacing(
            offline_directories.refreshed,
            by=broken_controller_rules.refreshed_in_next_epoch,
        ),
        "kafka-16162-know-no-directory-online": KAFKA_4_1.replacing(
            offline_directories.refreshed,
            by=broken_controller_rules.refreshed_without_directories,
        ),
        "kafka-16157-keep-offline-replica-by-name": KAFKA_4_1.replacing(
            directories.create_replica,
            by=broken_broker_rules.keep_offline_replica_by_name,
        ),
        "kafka-13083-begin-with-all-in-sync": KAFKA_4_1.replacing(
            assignments.new_topic,
            by=broken_controller_rules.new_topic_with_all_in_sync,
        ),
        "kafka-12403-keep-replica-of-deleted-topic": KAFKA_4_1.replacing(
            metadata_publisher.delete_replica,
            by=broken_broker_rules.keep_replica_of_deleted_topic,
        ),
        "kafka-13127-delete-replica-at-start": KAFKA_4_1.replacing(
            directories.open_log, by=broken_broker_rules.delete_replica_at_start
        ),
        "kafka-13161-lead-without-leader": KAFKA_4_1.replacing(
            metadata_publisher.make_follower,
            by=broken_broker_rules.follow_with_leader_only,
        ),
        "kafka-14296-lead-in-controlled-shutdown": KAFKA_4_1.replacing(
            metadata_publisher.make_follower,
            by=broken_broker_rules.follow_unless_stopping,
        ),
        "kafka-12367-keep-known-partition-epoch": KAFKA_4_1.replacing(
            metadata_publisher.make_leader,
            by=broken_broker_rules.lead_in_known_partition_epoch,
        ),
        "kr-asg-1-queue-no-assignment": KAFKA_4_1.replacing(
            directories.queue_assignment, by=broken_broker_rules.queue_assignment_never
        ),
    },
)
WITHOUT_FLAW = mutations_of(
    IGNORES_EQUAL_PARTITION_EPOCH,
    {
        "kafka-14617-judge-members-by-id": IGNORES_EQUAL_PARTITION_EPOCH.replacing(
            alter_partition.ineligible, by=broken_controller_rules.ineligible_by_id
        ),
        "kafka-14857-publish-old-image": IGNORES_EQUAL_PARTITION_EPOCH.replacing(
            process.restart, by=broken_broker_rules.restart_with_any_image
        ),
        "kafka-13790-lead-by-any-record": IGNORES_EQUAL_PARTITION_EPOCH.replacing(
            metadata_publisher.make_leader, by=broken_broker_rules.lead_by_any_record
        ),
    },
)
"""Of a protocol that does not lose the record by itself within the same bounds."""
WITHOUT_LATE_CUT = mutations_of(
    CUTS_AT_ONCE,
    {
        "kafka-18991-use-answer-of-any-epoch": CUTS_AT_ONCE.replacing(
            fetch_answers.is_current, by=broken_broker_rules.is_at_same_offset
        ),
    },
)
"""Of a protocol that cuts no log late within the same bounds."""
WITH_ELR_AT_ASSIGNMENT = mutations_of(
    KEEPS_ELR_AT_ASSIGNMENT,
    {
        "minor-20716-forget-elr-at-assignment": KEEPS_ELR_AT_ASSIGNMENT.replacing(
            offline_directories.knows_elr_at_assignment,
            by=broken_controller_rules.forget_elr_at_assignment,
        ),
    },
)
"""Of the rule of assignments since 4.3; Kafka 4.1.1 breaks it itself."""
OF_KAFKA_4_3 = mutations_of(
    COMPLETES_WITH_ADDED,
    {
        "kafka-19975-wait-for-every-replica": COMPLETES_WITH_ADDED.replacing(
            partition_change.is_complete,
            by=broken_controller_rules.is_complete_with_target,
        ),
    },
)
"""Of the rule that ends a reassignment since 4.3; Kafka 4.1.1 has it still."""
MUTATIONS = (
    OF_KAFKA_4_1
    + OF_MOVES
    + WITHOUT_FLAW
    + WITHOUT_LATE_CUT
    + WITH_ELR_AT_ASSIGNMENT
    + OF_KAFKA_4_3
)
