"""KRaft: answers to fetches that come when other metadata was published."""

from __future__ import annotations

from kafka_tests.kraft_runs import after, after_under
from replicheck.model.kraft.protocols import CUTS_AT_ONCE

TWO = {"brokers": 2, "min_isr": 1, "late_answers": 1, "fences": 1}
DIVERGES = [
    "elect_preferred_leader",
    "append(leader=1)",
    "publish_metadata(broker=1)",
    "publish_metadata(broker=0)",
    "answer_late(follower=1)",
]
"""Broker 1 has a record of its own epoch, and broker 0 leads now."""
ELECTED = TWO | {"first_leader": 1, "preferred_elections": 1}


def test_a_late_answer_brings_what_the_leader_had() -> None:
    """The leader has counted the fetch when it answered."""
    steps = [
        "append(leader=0)",
        "answer_late(follower=1)",
        "receive_answer(follower=1)",
    ]
    cluster = after(*steps, **TWO)
    assert cluster.logs[1].end_offset == 1
    assert cluster.followers[0][1].end == 0


def test_a_thread_waits_for_its_answer() -> None:
    """It fetches nothing else meanwhile, and what it was told is not known yet."""
    cluster = after("append(leader=0)", "answer_late(follower=1)", **TWO)
    assert cluster.fetchers[1].is_busy(cluster.bounds.broker_ids[0])
    assert cluster.logs[1].end_offset == 0


def test_an_answer_of_another_epoch_is_dropped() -> None:
    """Broker 1 leads when the answer comes (KAFKA-18991)."""
    steps = [*DIVERGES, "fence_broker(broker=0)", "publish_metadata(broker=1)"]
    cluster = after(*steps, "receive_answer(follower=1)", **ELECTED)
    assert cluster.logs[1].end_offset == 1
    assert cluster.fetchers[1].is_idle()


def test_a_log_is_cut_in_a_second_step() -> None:
    """With the least change it is cut in the first (R-13)."""
    noted = after(*DIVERGES, "receive_answer(follower=1)", **ELECTED)
    assert noted.logs[1].end_offset == 1
    late = [*DIVERGES, "receive_answer(follower=1)", "cut_log(follower=1)"]
    assert after(*late, **ELECTED).logs[1].end_offset == 0
    steps = [*DIVERGES, "receive_answer_and_cut(follower=1)"]
    assert after_under(CUTS_AT_ONCE, *steps, **ELECTED).logs[1].end_offset == 0
