"""Other protocols of controller, brokers and fetcher threads than Kafka 2.5.1.

``repaired`` differs in where a move is taken up anew (KAFKA-9087), and
``repaired-findings`` also in what a controller makes of failures and of late answers.

``fetchers-3.5.0`` has truncation on fetch beneath the controller of 2.5.1. Kafka 3.5.0
with ZooKeeper and inter.broker.protocol.version 2.7-IV1 is both: its controller elects
by the same rules, and its leaders write the ISR themselves. From 2.7-IV2 on they have
it altered by the controller (`model.alter_isr`).
"""

from __future__ import annotations

from replicheck.model.cluster.broker import replica_roles
from replicheck.model.cluster.versions.repaired_findings import (
    forget_followers_in_each_epoch,
    repair_findings,
)
from replicheck.model.composed import broker as of_brokers
from replicheck.model.composed.fetcher_view import seen_by_fetchers
from replicheck.model.composed.protocols import KAFKA_2_5, unless_locked
from replicheck.model.composed.state import Composed
from replicheck.model.fetching.broker import stalled_updates
from replicheck.model.fetching.fetchers import fetcher_manager, log_truncation
from replicheck.model.fetching.log_moves import alter_log_dirs, log_replacement
from replicheck.model.fetching.protocols import KAFKA_2_5 as FETCHING
from replicheck.model.fetching.versions import truncation_on_fetch
from replicheck.model.fetching.versions.history import (
    KAFKA_3_5,
    KAFKA_18991,
    KAFKA_18991_REPAIRED,
    begin_at_the_future_logs_high_watermark,
    cut_epochs_too,
)
from replicheck.model.fetching.versions.repaired import (
    KAFKA_20961,
    ask_anew_when_marked,
    keep_epochs_and_start_of_replaced_log,
    record_in_the_epoch_of_the_read,
)
from replicheck.model.protocol import Action, Protocol
from replicheck.model.rules import function_named, original
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId

REPAIRED = KAFKA_2_5.replacing(
    alter_log_dirs.initial_offset_of_move, by=begin_at_the_future_logs_high_watermark
).named("repaired")
REPAIRED_MOVES = (
    REPAIRED.replacing(
        log_replacement.log_after_move, by=keep_epochs_and_start_of_replaced_log
    )
    .replacing(fetcher_manager.mark_partitions_for_truncation, by=ask_anew_when_marked)
    .named("repaired-moves")
)
REPAIRED_POSITIONS = KAFKA_2_5.replacing(
    stalled_updates.is_to_be_recorded, by=record_in_the_epoch_of_the_read
).named("repaired-positions")
REPAIRED_CUTS = KAFKA_2_5.replacing(
    log_truncation.truncate_log, by=cut_epochs_too
).named("repaired-cuts")
REPAIRED_FINDINGS = repair_findings(REPAIRED)


def fetch_from_the_end(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> Offset:
    """A log with epochs is fetched from its end, not from its high watermark.

    Rules: B-FOLLOW.  Source: Kafka 2.8, ReplicaManager.initialFetchOffset.
    """
    log = seen_by_fetchers(cluster).logs[broker][partition]
    if log.latest_epoch is None:
        return original(of_brokers.initial_fetch_offset)(cluster, broker, partition)
    return log.end_offset


def action_named(name: str) -> Action:
    """The action of Kafka 2.5.1 with this name."""
    (found,) = (action for action in KAFKA_2_5.actions if action.__name__ == name)
    return found


def with_fetchers_of(fetching: Protocol) -> Protocol:
    """Kafka 2.5.1 with fetcher threads, and leaders' answers, of a later version."""
    whole = KAFKA_2_5.replacing(
        of_brokers.initial_fetch_offset, by=fetch_from_the_end
    ).replacing(
        action_named("process_fetch_request"),
        by=unless_locked(truncation_on_fetch.process_fetch_request),
    )
    for rule, by in sorted({*fetching.replacements} - {*FETCHING.replacements}):
        whole = whole.replacing(function_named(rule), by=function_named(by))
    return whole.adding(unless_locked(truncation_on_fetch.truncate_on_fetch_response))


FETCHERS_3_5 = with_fetchers_of(KAFKA_3_5).named("fetchers-3.5.0")
FETCHERS_REPAIRED_LEADERS = FETCHERS_3_5.replacing(
    replica_roles.is_new_leader, by=forget_followers_in_each_epoch
).named("fetchers-repaired-leaders")
FETCHERS_20961 = with_fetchers_of(KAFKA_20961).named("fetchers-kafka-20961")
FETCHERS_18991 = with_fetchers_of(KAFKA_18991).named("fetchers-kafka-18991")
FETCHERS_18991_REPAIRED = with_fetchers_of(KAFKA_18991_REPAIRED).named(
    "fetchers-kafka-18991-repaired"
)
PROTOCOLS = (
    KAFKA_2_5,
    REPAIRED,
    REPAIRED_MOVES,
    REPAIRED_POSITIONS,
    REPAIRED_CUTS,
    REPAIRED_FINDINGS,
    FETCHERS_3_5,
    FETCHERS_REPAIRED_LEADERS,
    FETCHERS_20961,
    FETCHERS_18991,
    FETCHERS_18991_REPAIRED,
)
