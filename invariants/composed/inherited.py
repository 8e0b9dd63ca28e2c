"""Sentences about the fetching brokers, as ones about the whole cluster.

Left out are those about the controller of that model, which this one does not have, and
those that the cluster's properties say under the same name.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

from replicheck.invariants.catalogue.systems import Predicate
from replicheck.invariants.cluster import safety as of_cluster
from replicheck.invariants.cluster import steps as steps_of_cluster
from replicheck.invariants.cluster import witnesses as witnesses_of_cluster
from replicheck.invariants.composed import steps as steps_of_whole
from replicheck.invariants.composed import witnesses as witnesses_of_whole
from replicheck.invariants.fetching import (
    move_witnesses,
    moves,
    safety,
    steps,
    witnesses,
)
from replicheck.model.composed.fetcher_view import seen_by_fetchers
from replicheck.model.composed.state import Composed


def of_states(predicate: Predicate) -> Predicate:
    """A property of the fetching brokers as one of the whole state."""

    @wraps(predicate)
    def holds(cluster: Composed, *arguments: Any) -> bool:
        return predicate(seen_by_fetchers(cluster), *arguments)

    return holds


def of_steps(predicate: Predicate) -> Predicate:
    """A property of a step of the fetching brokers as one of the whole."""

    @wraps(predicate)
    def holds(before: Composed, after: Composed, *arguments: Any) -> bool:
        return predicate(seen_by_fetchers(before), seen_by_fetchers(after), *arguments)

    return holds


MOVES: tuple[Predicate, ...] = (
    of_states(moves.moved_partitions_have_future_logs),
    of_states(moves.a_move_is_in_the_epoch_of_its_replica),
    of_states(moves.a_move_goes_on_at_the_end_of_its_log),
    of_states(moves.a_log_is_moved_to_another_directory),
    of_states(moves.no_two_logs_are_copied_at_a_time),
)
MOVE_STEPS: tuple[Predicate, ...] = (of_steps(moves.a_move_that_was_begun_goes_first),)
OF_MOVES = (*MOVES, *MOVE_STEPS)
"""What is vacuously true where no log is moved."""
OF_THE_CLUSTER_ALONE = frozenset(
    {
        "only_who_stops_is_taken_for_stopping",
        "at_rest_a_topic_created_anew_is_hosted",
    }
)
"""Sentences that no mutant of this model breaks; the cluster's own mutants do."""
SAFETY: tuple[Predicate, ...] = (
    *(p for p in of_cluster.SAFETY if p.__name__ not in OF_THE_CLUSTER_ALONE),
    of_states(safety.a_failed_partition_is_in_no_thread),
    of_states(safety.no_two_threads_have_one_partition),
    of_states(safety.a_leader_does_not_fetch),
    of_states(safety.an_offline_replica_is_neither_fetched_nor_failed),
    of_states(safety.followers_fetch_from_their_log_end),
    of_states(safety.the_epochs_of_a_log_grow),
    of_states(safety.logs_agree_below_their_high_watermarks),
    of_states(safety.no_thread_ended_by_an_error),
    *MOVES,
)
STEPS: tuple[Predicate, ...] = (
    *steps_of_cluster.STEPS,
    of_steps(steps.a_leaders_log_is_never_cut),
    of_steps(steps.a_new_epoch_begins_with_truncating),
    of_steps(steps.an_answer_is_used_in_the_epoch_in_which_it_was_asked),
    *MOVE_STEPS,
    *steps_of_whole.STEPS,
)
WITNESSES: tuple[Predicate, ...] = (
    *witnesses_of_cluster.WITNESSES,
    of_states(witnesses.a_partition_failed),
    of_states(witnesses.a_partition_failed_and_another_goes_on),
    of_states(witnesses.a_thread_has_no_partition),
    of_states(witnesses.a_partition_is_delayed),
    of_states(witnesses.a_fetch_brings_a_record),
    of_states(witnesses.a_fetch_is_fenced),
    of_states(witnesses.a_fetch_comes_too_early),
    of_states(witnesses.a_fetch_finds_no_leader),
    of_states(witnesses.a_fetch_is_out_of_range),
    of_states(witnesses.a_fetch_meets_a_failed_directory),
    of_states(move_witnesses.a_record_is_copied_to_another_directory),
    of_states(move_witnesses.a_leader_moved_its_log),
    of_states(move_witnesses.a_move_failed),
    *witnesses_of_whole.WITNESSES,
)
