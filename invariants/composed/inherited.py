"""Properties of the fetching brokers, as properties of the whole cluster.

Left out are those about the controller of that model, which this one does not have, and
those that the cluster's properties say under the same name.
"""

from __future__ import annotations

from functools import partial

from replicheck.invariants.catalogue.systems import Predicate
from replicheck.invariants.cluster import safety as of_cluster
from replicheck.invariants.cluster import steps as steps_of_cluster
from replicheck.invariants.cluster import witnesses as witnesses_of_cluster
from replicheck.invariants.composed import steps as steps_of_whole
from replicheck.invariants.composed import viewed
from replicheck.invariants.composed import witnesses as witnesses_of_whole
from replicheck.invariants.fetching import (
    disks,
    failures,
    move_witnesses,
    moves,
    safety,
    steps,
    witnesses,
)
from replicheck.model.composed.fetcher_view import seen_by_fetchers

of_states = partial(viewed.of_states, seen_by_fetchers)
"""A property of the fetching brokers as one of the whole state."""
of_steps = partial(viewed.of_steps, seen_by_fetchers)
"""A property of a step of the fetching brokers as one of the whole."""
MOVES: tuple[Predicate, ...] = (
    of_states(moves.moved_partitions_have_future_logs),
    of_states(moves.move_has_leader_epoch_of_replica),
    of_states(moves.move_fetches_from_future_log_end),
    of_states(moves.future_log_has_own_directory),
    of_states(moves.move_thread_copies_one_log),
)
MOVE_STEPS: tuple[Predicate, ...] = (of_steps(moves.move_in_progress_goes_first),)
OUT_OF_RANGE = of_steps(failures.out_of_range_fetch_makes_progress)
LOG_START = of_steps(disks.leader_log_start_never_decreases)
OF_MOVES = (*MOVES, *MOVE_STEPS)
"""What is vacuously true where no log is moved."""
OF_THE_CLUSTER_ALONE = frozenset(
    {
        "controller_marks_only_stopping_brokers",
        "quiescent_recreated_topic_is_online",
    }
)
"""Properties that no mutant of this model breaks; the cluster's own mutants do."""
SAFETY: tuple[Predicate, ...] = (
    *(p for p in of_cluster.SAFETY if p.__name__ not in OF_THE_CLUSTER_ALONE),
    of_states(safety.failed_partition_has_no_fetcher),
    of_states(safety.partition_has_at_most_one_fetcher),
    of_states(safety.leader_does_not_fetch),
    of_states(safety.offline_replica_has_no_fetcher_state),
    of_states(safety.followers_fetch_from_log_end),
    of_states(safety.leader_epochs_in_log_increase),
    of_states(safety.logs_match_below_high_watermarks),
    of_states(safety.no_error_ends_fetcher_thread),
    *MOVES,
)
STEPS: tuple[Predicate, ...] = (
    *steps_of_cluster.STEPS,
    of_steps(steps.leader_log_is_never_truncated),
    of_steps(steps.new_epoch_begins_with_truncation),
    of_steps(steps.response_is_used_in_request_epoch),
    of_steps(steps.truncation_round_lowers_latest_epoch),
    OUT_OF_RANGE,
    LOG_START,
    *MOVE_STEPS,
    *steps_of_whole.STEPS,
)
WITNESSES: tuple[Predicate, ...] = (
    *witnesses_of_cluster.WITNESSES,
    of_states(witnesses.partition_has_failed),
    of_states(witnesses.thread_continues_after_partition_failure),
    of_states(witnesses.fetcher_thread_has_no_partition),
    of_states(witnesses.partition_is_delayed),
    of_states(witnesses.fetch_returns_record),
    of_states(witnesses.fetch_is_fenced),
    of_states(witnesses.fetch_has_unknown_leader_epoch),
    of_states(witnesses.fetch_reaches_non_leader),
    of_states(witnesses.fetch_is_out_of_range),
    of_states(witnesses.fetch_gets_storage_error),
    of_states(move_witnesses.future_log_has_record),
    of_states(move_witnesses.leader_has_moved_its_log),
    of_states(move_witnesses.move_has_failed),
    *witnesses_of_whole.WITNESSES,
)
