"""Releases of Kafka besides 4.1.1, as far as their rules differ: the first of each."""

from __future__ import annotations

from replicheck.model.kraft import broken_broker_rules, broken_controller_rules
from replicheck.model.kraft.broker import (
    fetch_answers,
    high_watermark,
    metadata_publisher,
    replication,
)
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.controller import (
    alter_partition,
    broker_lifecycle,
    change_targets,
    elections,
    leader_election,
    offline_directories,
    partition_change,
)
from replicheck.model.kraft.controller.change_targets import PartitionChange
from replicheck.model.kraft.protocols import COMPLETES_WITH_ADDED, KAFKA_4_1
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.kraft.versions import assignment_keeps_elr


def has_no_elr(cluster: KraftCluster, change: PartitionChange) -> bool:
    """Eligible leader replicas can be switched on since 4.0 only.

    Rules: KR-ELR-5.  Source: PartitionChangeBuilder.build.
    """
    return False


def unchanged_by_min_isr(cluster: KraftCluster) -> PartitionRegistration:
    """A change of min.insync.replicas changes no partition without ELR.

    Rules: KR-ELR-7.
    Source: ConfigurationControlManager.incrementalAlterConfigs.
    """
    return cluster.stored


KAFKA_4_3 = COMPLETES_WITH_ADDED.replacing(
    offline_directories.knows_elr_at_assignment, by=assignment_keeps_elr
).named("kafka-4.3")
KAFKA_4_2 = KAFKA_4_1.named("kafka-4.2")
"""No rule that is modelled differs between 4.1.1 and 4.2."""
BEFORE_4_1 = KAFKA_4_1.replacing(
    fetch_answers.is_current, by=broken_broker_rules.is_at_same_offset
).replacing(fetch_answers.record_sent, by=broken_broker_rules.record_when_sent)
KAFKA_4_0 = BEFORE_4_1.replacing(
    leader_election.electable_last_known_leader,
    by=broken_controller_rules.any_last_known_leader,
).named("kafka-4.0")
KAFKA_3_9 = (
    BEFORE_4_1.replacing(change_targets.has_elr, by=has_no_elr)
    .replacing(elections.cleared, by=unchanged_by_min_isr)
    .replacing(
        broker_lifecycle.partition_after_registration,
        by=broken_controller_rules.stay_in_isr_at_registration,
    )
    .named("kafka-3.9")
)
KAFKA_3_3 = (
    KAFKA_3_9.replacing(
        alter_partition.ineligible, by=broken_controller_rules.ineligible_by_id
    )
    .replacing(
        high_watermark.keeps_high_watermark,
        by=broken_broker_rules.keeps_high_watermark_never,
    )
    .replacing(
        partition_change.leader_epoch_after,
        by=broken_controller_rules.begin_epoch_with_smaller_isr,
    )
    .replacing(
        partition_change.is_complete, by=broken_controller_rules.is_complete_with_some
    )
    .replacing(
        partition_change.changes_nothing,
        by=broken_controller_rules.changes_nothing_with_target_isr,
    )
    .replacing(
        broker_lifecycle.is_applied_by_all,
        by=broken_controller_rules.is_applied_to_end_by_all,
    )
    .replacing(
        metadata_publisher.make_follower, by=broken_broker_rules.follow_unless_stopping
    )
    .replacing(replication.truncate, by=broken_broker_rules.raise_before_truncation)
    .named("kafka-3.3")
)
RELEASES = (KAFKA_4_3, KAFKA_4_2, KAFKA_4_0, KAFKA_3_9, KAFKA_3_3)
