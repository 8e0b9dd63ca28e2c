"""Each of Kafka's tests beside those of the fetchers fails if a rule is broken."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import pytest
import test_kafka_neighbours as neighbours
from attrs import evolve

from kafka_tests import moving_bench
from kafka_tests.moving_bench import FIRST
from replicheck.model.fetching.bounds import FetchingBounds
from replicheck.model.fetching.broker import fetch_requests
from replicheck.model.fetching.cells.calls import Call, Error, FetchAnswer, FetchAsked
from replicheck.model.fetching.initial_states import with_leader
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import fetching
from replicheck.model.vocabulary import PartitionId
from shipped import SYSTEMS


def ask_for_delayed_partition(
    cluster: Brokers, thread: ThreadId
) -> dict[PartitionId, Call]:
    """Records of a partition are asked for that is to wait (F-DELAY-1)."""
    state = cluster.fetch_state(thread, FIRST)
    assert state.epoch is not None, "it is tracked"
    return {FIRST: Call(FetchAsked(state.epoch, state.offset))}


def read_from_a_failed_directory(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> FetchAnswer:
    """A disk that failed is read all the same (L-READ)."""
    return FetchAnswer(Error.NONE)


def learn_from_every_read(cluster: Brokers, answer: FetchAnswer) -> bool:
    """A read that fails counts as progress (L-FU-1, KAFKA-8400)."""
    return True


BROKEN: dict[Callable[[], None], str | tuple[Any, Any]] = {
    neighbours.test_a_partition_without_future_log_is_not_added: (
        "kafka-9750-add-finished-moves"
    ),
    neighbours.test_a_fenced_move_fails_and_completes_in_the_next_epoch: (
        "f-fail-3-add-nothing-that-failed"
    ),
    neighbours.test_the_future_log_is_cut_where_the_current_log_ends: (
        "k-1-truncate-to-high-watermark"
    ),
    neighbours.test_the_future_log_is_cut_in_two_rounds: "k-3-truncate-by-end-offset",
    neighbours.test_without_an_epoch_the_future_log_is_cut_to_the_initial_offset: (
        "k-2-begin-to-fetch-at-the-end"
    ),
    neighbours.test_the_future_log_is_cut_once: "f-upd-keep-the-offset",
    neighbours.test_one_partition_is_fetched_at_a_time: "f-alt-4-copy-all-at-once",
    neighbours.test_nothing_is_asked_where_no_partition_is_ready: (
        fetching.build_fetch,
        ask_for_delayed_partition,
    ),
    neighbours.test_a_storage_error_is_that_of_its_partition: (
        fetch_requests.read_records,
        read_from_a_failed_directory,
    ),
    neighbours.test_a_follower_joins_at_the_start_of_the_leaders_epoch: (
        "k-7-let-followers-join-below-the-epoch"
    ),
    neighbours.test_a_follower_obeys_a_newer_epoch_of_the_same_leader_once: (
        "b-lai-1-accept-a-known-epoch"
    ),
    neighbours.test_a_read_that_fails_says_nothing_of_the_follower: (
        fetch_requests.shows_progress,
        learn_from_every_read,
    ),
    neighbours.test_a_follower_that_missed_an_update_begins_anew_with_the_same_leader: (
        "kafka-7164-follow-the-same-leader-without-truncating"
    ),
}
"""For each test a mutation, or a rule and what breaks it, with which it must fail."""


@pytest.mark.parametrize("test", BROKEN, ids=attrgetter("__name__"))
def test_each_can_fail(
    test: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one broken rule the model does not do what Kafka's test expects."""
    broken = BROKEN[test]
    if isinstance(broken, str):
        protocol = SYSTEMS["fetching"].protocols_by_name[broken]
        assert len(protocol.changes) == 1
    else:
        rule, by = broken
        protocol = KAFKA_2_5.replacing(rule, by=by)

    def with_a_broken_rule(bounds: FetchingBounds) -> Brokers:
        return evolve(with_leader(bounds), replacements=protocol.replacements)

    for module in (neighbours, moving_bench):
        monkeypatch.setattr(module, "with_leader", with_a_broken_rule)
    with pytest.raises(AssertionError):
        test()


def test_every_test_of_kafka_can_fail() -> None:
    """None that is replayed is without a rule that breaks it."""
    assert {*neighbours.REPLAYED.values()} == {*BROKEN}
