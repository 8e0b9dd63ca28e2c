"""Mutations of KRaft: moves between log directories, and what is told of them."""

from __future__ import annotations

from replicheck.model.kraft import broken_log_move_rules
from replicheck.model.kraft.broker import assignments_manager, log_moves
from replicheck.model.kraft.protocols import KAFKA_4_1
from replicheck.model.protocol import mutations_of

OF_MOVES = mutations_of(
    KAFKA_4_1,
    {
        "kafka-16297-keep-accepted-assignment": KAFKA_4_1.replacing(
            log_moves.is_reverted, by=broken_log_move_rules.is_reverted_while_queued
        ),
        "kafka-16082-leave-abandoned-log": KAFKA_4_1.replacing(
            log_moves.recover_abandoned_log,
            by=broken_log_move_rules.leave_abandoned_log,
        ),
        "kafka-16886-assign-removed-replica": KAFKA_4_1.replacing(
            assignments_manager.is_valid,
            by=broken_log_move_rules.is_valid_without_replica,
        ),
        "kafka-17190-assign-deleted-topic": KAFKA_4_1.replacing(
            assignments_manager.is_valid,
            by=broken_log_move_rules.is_valid_without_topic,
        ),
        "kr-move-2-promote-untold": KAFKA_4_1.replacing(
            log_moves.promote_future_log, by=broken_log_move_rules.promote_untold
        ),
    },
)
