"""Which bounds allow what a property speaks of to happen at all."""

from __future__ import annotations

from collections.abc import Mapping

from replicheck.invariants.catalogue.systems import Predicate
from replicheck.invariants.fetching import (
    disks,
    failures,
    knowledge,
    moves,
    safety,
    steps,
)

MOVES = ("moves",)
DIRECTORIES = ("directory_failures",)

NEEDS: Mapping[Predicate, tuple[str, ...]] = {
    moves.moved_partitions_have_future_logs: MOVES,
    moves.move_has_leader_epoch_of_replica: MOVES,
    moves.move_fetches_from_future_log_end: MOVES,
    moves.move_thread_copies_one_log: MOVES,
    moves.only_complete_copy_replaces_log: MOVES,
    moves.move_in_progress_goes_first: MOVES,
    safety.offline_replica_has_no_fetcher_state: DIRECTORIES,
    steps.failed_directory_receives_no_records: DIRECTORIES,
    steps.caught_up_followers_stay_in_sync: ("isr_shrinks",),
    disks.checkpoint_falls_only_with_high_watermark: ("checkpoints",),
    disks.clean_shutdown_marker_is_valid: ("clean_shutdowns", "failed_starts"),
    disks.deleted_records_stay_deleted: ("deletions",),
    disks.leader_log_start_never_decreases: ("deletions",),
    knowledge.consumed_records_are_never_replaced: ("consumer_reads",),
    knowledge.acknowledged_record_is_in_enough_logs: ("min_isr",),
    steps.process_ends_only_by_crash: ("crashes",),
    steps.partitions_are_served_in_turn: ("fetch_size",),
    failures.out_of_range_fetch_makes_progress: ("deletions", "moves"),
}
"""For such a property the bounds of which one must not be 0, or it is vacuously true.

A fault that happens before the search begins counts, too.
"""
