"""KRaft: rules of releases before 4.1.1."""

from __future__ import annotations

from kafka_tests.kraft_runs import after, after_under
from replicheck.model.kraft.protocols import KAFKA_4_1
from replicheck.model.kraft.releases import (
    KAFKA_3_3,
    KAFKA_3_9,
    KAFKA_4_0,
    KAFKA_4_2,
    KAFKA_4_3,
)

BOTH_LEAVE = [
    "crash(broker=1)",
    "fence_stale_broker(broker=1)",
    "crash(broker=0)",
    "fence_stale_broker(broker=0)",
]
TWO = {"brokers": 2, "crashes": 2}


def test_before_4_0_the_last_member_stays_in_the_isr() -> None:
    """There is no ELR into which it could move."""
    assert after(*BOTH_LEAVE, **TWO).stored.elr == {0, 1}
    stored = after_under(KAFKA_3_9, *BOTH_LEAVE, **TWO).stored
    assert stored.isr == {0}
    assert not stored.elr


def test_before_4_0_a_registration_changes_no_partition() -> None:
    """The new process is in the ISR of the old one (KAFKA-18106)."""
    steps = ["crash(broker=1)", "restart(broker=1)", "register_broker(broker=1)"]
    bounds = {"crashes": 1, "restarts": 1}
    assert after_under(KAFKA_3_9, *steps, **bounds).stored.isr == {0, 1, 2}
    assert after(*steps, **bounds).stored.isr == {0, 2}


def test_before_3_6_a_smaller_isr_begins_a_leader_epoch() -> None:
    """The leader stays (KAFKA-15021)."""
    fence = "fence_broker(broker=1)"
    assert after_under(KAFKA_3_9, fence, fences=1).stored.leader_epoch == 0
    assert after_under(KAFKA_3_3, fence, fences=1).stored.leader_epoch == 1


def test_4_0_elects_a_last_known_leader_that_is_fenced() -> None:
    """With neither ISR nor ELR, whether the broker is there or not (KAFKA-19522)."""
    steps = [
        "crash(broker=1)",
        "fence_stale_broker(broker=1)",
        "crash(broker=0)",
        "fence_stale_broker(broker=0)",
        "restart(broker=0)",
        "register_broker(broker=0)",
    ]
    bounds = {"brokers": 2, "crashes": 2, "restarts": 1, "min_isr": 1}
    assert after(*steps, **bounds).stored.is_leaderless()
    assert after_under(KAFKA_4_0, *steps, **bounds).stored.leader == 0


def test_no_rule_differs_between_4_1_and_4_2() -> None:
    """The sources of the rules differ in form only."""
    assert KAFKA_4_2.named(KAFKA_4_1.name) == KAFKA_4_1


def test_4_3_keeps_the_elr_where_a_directory_is_assigned() -> None:
    """The builder is told of ELR (pull request 20716)."""
    steps = ["fence_broker(broker=1)", "assign_replica_to_directory(broker=0)"]
    bounds = {"brokers": 2, "directories": 2, "unassigned": 1, "fences": 1}
    assert not after_under(KAFKA_4_2, *steps, **bounds).stored.elr
    assert after_under(KAFKA_4_3, *steps, **bounds).stored.elr == {1}
