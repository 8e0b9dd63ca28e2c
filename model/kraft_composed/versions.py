"""Protocols of controller, brokers and fetcher threads with one rule more than 4.1.1.

Each has the least change that ends a finding.
"""

from __future__ import annotations

from typing import cast

from attrs import evolve

from replicheck.model.fetching.cells.offset_log import OffsetLog
from replicheck.model.fetching.versions.truncation_on_fetch import (
    is_still_in_the_epoch,
    is_still_there,
)
from replicheck.model.kraft.broker import (
    assignments_manager,
    directories,
    log_moves,
    metadata_publisher,
)
from replicheck.model.kraft.log_move_versions import (
    is_kept_with_its_directory,
    is_told_to_move_there,
    queue_assignment_without_move,
)
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.kraft.versions import (
    follower_states_after_skipped_epoch,
    follower_states_of_epoch,
    make_leader_of_newer_partition_epoch,
)
from replicheck.model.kraft_composed.protocols import KAFKA_4_1
from replicheck.model.rules import original
from replicheck.model.shared.records import Log
from replicheck.model.vocabulary import BrokerId


def log_with_known_epochs(cluster: KraftCluster, broker: BrokerId) -> Log:
    """A log that was moved has every epoch of the log before (KAFKA-20961).

    Rules: KR-MOVE-2, F-ALT-8.  Source: LogManager.replaceCurrentWithFutureLog.
    """
    before = cast(OffsetLog, cluster.logs[broker])
    after = cast(OffsetLog, original(log_moves.log_after_move)(cluster, broker))
    return cast(Log, evolve(after, epochs=before.epochs))


FORGETS_AFTER_SKIPPED_EPOCH = KAFKA_4_1.replacing(
    metadata_publisher.follower_states, by=follower_states_after_skipped_epoch
).named("forgets-after-skipped-epoch")
FORGETS_AT_EACH_EPOCH = KAFKA_4_1.replacing(
    metadata_publisher.follower_states, by=follower_states_of_epoch
).named("forgets-at-each-epoch")
IGNORES_EQUAL_PARTITION_EPOCH = KAFKA_4_1.replacing(
    metadata_publisher.make_leader, by=make_leader_of_newer_partition_epoch
).named("ignores-equal-partition-epoch")
CUTS_IN_THE_EPOCH = KAFKA_4_1.replacing(is_still_there, by=is_still_in_the_epoch).named(
    "cuts-in-the-epoch"
)
KEEPS_TOLD_MOVES = (
    KAFKA_4_1.replacing(log_moves.is_kept, by=is_kept_with_its_directory)
    .replacing(directories.queue_assignment, by=queue_assignment_without_move)
    .replacing(assignments_manager.is_told_to_move, by=is_told_to_move_there)
    .named("keeps-told-moves")
)
KEEPS_EPOCHS_AT_MOVES = KAFKA_4_1.replacing(
    log_moves.log_after_move, by=log_with_known_epochs
).named("keeps-epochs-at-moves")
PROTOCOLS = (
    KAFKA_4_1,
    FORGETS_AFTER_SKIPPED_EPOCH,
    FORGETS_AT_EACH_EPOCH,
    IGNORES_EQUAL_PARTITION_EPOCH,
    CUTS_IN_THE_EPOCH,
    KEEPS_TOLD_MOVES,
    KEEPS_EPOCHS_AT_MOVES,
)
