"""Kafka 4.1.1 as a protocol, those that change one rule of it, and their model."""

from __future__ import annotations

from replicheck.model.kraft.bounds import KraftBounds
from replicheck.model.kraft.broker import (
    directories,
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
    offline_directories,
    partition_change,
    quorum,
)
from replicheck.model.kraft.state import KraftCluster, everyone_in_sync
from replicheck.model.kraft.versions import (
    assignment_keeps_elr,
    eligible_replicas,
    follower_states_after_skipped_epoch,
    follower_states_of_epoch,
    heartbeat_reports_first,
    ineligible_in_offline_directory,
    is_complete_with_added,
    make_leader_of_newer_partition_epoch,
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
    elections.switch_elr_off,
)
KAFKA_4_1 = Protocol(
    "kafka-4.1.1",
    (
        *ENVIRONMENT,
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
        directories.receive_heartbeat_answer,
        offline_directories.report_offline_directories,
        offline_directories.assign_replica_to_directory,
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
    "fence_broker": ("fences", "crashes"),
    "unfence_broker": ("fences", "restarts"),
    "shrink_isr": ("isr_shrinks",),
    "append": ("records",),
    "reassign_partition": ("reassignments",),
    "cancel_reassignment": ("reassignment_cancels",),
    "delete_topic": ("topic_deletions",),
    "switch_elr_off": ("elr_downgrades",),
    "fail_directory": ("directory_failures",),
    "remove_directory": ("removed_directories",),
    "stop_with_unreported_directory": ("failure_timeouts",),
    "refresh_registration": ("registration_refreshes",),
    "receive_heartbeat_answer": ("directory_failures",),
    "report_offline_directories": ("directory_failures",),
    "assign_replica_to_directory": ("unassigned", "removed_directories"),
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
