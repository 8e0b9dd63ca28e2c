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
    moves.a_move_is_in_the_epoch_of_its_replica: MOVES,
    moves.a_move_goes_on_at_the_end_of_its_log: MOVES,
    moves.no_two_logs_are_copied_at_a_time: MOVES,
    moves.only_a_copy_replaces_a_log: MOVES,
    moves.a_move_that_was_begun_goes_first: MOVES,
    safety.an_offline_replica_is_neither_fetched_nor_failed: DIRECTORIES,
    steps.nothing_is_written_to_a_failed_directory: DIRECTORIES,
    steps.caught_up_followers_stay_in_sync: ("isr_shrinks",),
    disks.a_stored_high_watermark_is_not_forgotten: ("checkpoints",),
    disks.a_shutdown_marker_is_true: ("clean_shutdowns", "failed_starts"),
    disks.what_is_deleted_everywhere_stays_deleted: ("deletions",),
    disks.a_leaders_log_start_never_falls: ("deletions",),
    knowledge.what_was_read_is_never_replaced: ("consumer_reads",),
    knowledge.an_acknowledged_record_is_in_enough_logs: ("min_isr",),
    steps.a_process_ends_only_by_a_crash: ("crashes",),
    steps.partitions_are_served_in_turn: ("fetch_size",),
    failures.a_refused_offset_is_not_asked_for_in_vain: ("deletions", "moves"),
}
"""For such a property the bounds of which one must not be 0, or it is vacuously true.

A fault that happens before the search begins counts, too.
"""
