"""Protocols of many changed rules: other releases than 4.1.1, and all corrections.

Of a release it is the first of its number, as far as its rules differ.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

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
from replicheck.model.kraft.controller.change_targets import (
    ElectionResult,
    PartitionChange,
)
from replicheck.model.kraft.protocols import (
    ACKNOWLEDGES_REPORTED,
    CHECKS_DIRECTORY_AT_REGISTRATION,
    CLEARS_DIRECTORY_INDEX,
    COMMITS_AFTER_REFUSAL,
    COMMITS_ONCE_UNFENCED,
    COMPLETES_WITH_ADDED,
    ELECTS_REPLICAS,
    HAS_ELR_OF_REPLICAS,
    IGNORES_EQUAL_PARTITION_EPOCH,
    KAFKA_4_1,
    KEEPS_ELR_WITHOUT_LEADER,
    KEEPS_TOLD_MOVES,
    REASSIGNS_AS_ASKED,
    RECOVERS_LOST_LOGS,
    REFUSES_OFFLINE_DIRECTORIES,
    REPORTS_DIRECTORIES_FIRST,
    TELLS_NEW_DIRECTORIES,
)
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.kraft.versions import (
    assignment_keeps_elr,
    elr_of_small_isr,
    elr_until_election,
    receive_answer_and_cut,
)
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId


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


def elr_of_small_isr_or_until_election(
    cluster: KraftCluster,
    change: PartitionChange,
    elr: frozenset[BrokerId],
    result: ElectionResult,
) -> frozenset[BrokerId]:
    """The ELR as it is corrected with the feature, and without it (R-6, R-8).

    Rules: KR-ELR-2, KR-ELR-5.  Source: PartitionChangeBuilder.maybeUpdateRecordElr.
    """
    if cluster.has_elr:
        return elr_of_small_isr(cluster, change, elr, result)
    return elr_until_election(cluster, change, elr, result)


def cleared_in_another_epoch(cluster: KraftCluster) -> PartitionRegistration:
    """Another min.insync.replicas begins a partition epoch, whatever the ELR was.

    A leader that has not applied it is refused a smaller ISR.

    Rules: KR-ELR-7, KR-AP-2.
    Source: ReplicationControlManager.removeTopicElrs.
    """
    after = original(elections.cleared)(cluster)
    epoch = cluster.stored.partition_epoch + 1
    return evolve(after, partition_epoch=epoch)


def together(protocols: Iterable[Protocol]) -> Protocol:
    """Kafka 4.1.1 with the rules that some protocols replace; the last one wins."""
    replaced = {
        old: new for protocol in protocols for old, new in protocol.replacements
    }
    return evolve(KAFKA_4_1, replacements=tuple(replaced.items()))


BEGINS_EPOCH_WITH_MIN_ISR = IGNORES_EQUAL_PARTITION_EPOCH.replacing(
    elections.cleared, by=cleared_in_another_epoch
).named("begins-epoch-with-min-isr")
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
CORRECTIONS = (
    IGNORES_EQUAL_PARTITION_EPOCH,
    REFUSES_OFFLINE_DIRECTORIES,
    REPORTS_DIRECTORIES_FIRST,
    HAS_ELR_OF_REPLICAS,
    KEEPS_ELR_WITHOUT_LEADER,
    ACKNOWLEDGES_REPORTED,
    REASSIGNS_AS_ASKED,
    CHECKS_DIRECTORY_AT_REGISTRATION,
    ELECTS_REPLICAS,
    COMMITS_AFTER_REFUSAL,
    COMMITS_ONCE_UNFENCED,
    CLEARS_DIRECTORY_INDEX,
    KEEPS_TOLD_MOVES,
    RECOVERS_LOST_LOGS,
    TELLS_NEW_DIRECTORIES,
)
REPAIRED = (
    together(CORRECTIONS)
    .replacing(partition_change.elr_after, by=elr_of_small_isr_or_until_election)
    .replacing(fetch_answers.receive_answer, by=receive_answer_and_cut)
    .named("repaired")
)
"""Each finding that one protocol ends is ended; of R-14 by the rule of 4.1.1."""
RELEASES = (KAFKA_4_3, KAFKA_4_2, KAFKA_4_0, KAFKA_3_9, KAFKA_3_3)
