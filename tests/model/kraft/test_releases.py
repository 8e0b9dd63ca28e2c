"""KRaft: rules of other releases than 4.1.1, and all corrections together."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_tests.kraft_runs import after, after_under
from replicheck.cli.main import main
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.model.kraft.protocols import KAFKA_4_1
from replicheck.model.kraft.releases import (
    KAFKA_3_3,
    KAFKA_3_9,
    KAFKA_4_0,
    KAFKA_4_2,
    KAFKA_4_3,
)
from shipped import CATALOGUE
from slow import by_night

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


def test_before_4_1_an_answer_of_another_leader_epoch_is_used() -> None:
    """What it says of logs is of the epoch before (KAFKA-18991)."""
    steps = [
        "append(leader=1)",
        "elect_preferred_leader",
        "publish_metadata(broker=1)",
        "publish_metadata(broker=0)",
        "answer_late(follower=1)",
        "fence_broker(broker=0)",
        "unfence_broker(broker=0)",
        "fence_broker(broker=1)",
        "publish_metadata(broker=1) [3]",
        "receive_answer(follower=1)",
    ]
    bounds = {
        "brokers": 2,
        "first_leader": 1,
        "preferred_elections": 1,
        "fences": 2,
        "late_answers": 1,
    }
    late = after(*steps, **bounds).fetchers[1]
    assert late.cut is None
    early = after_under(KAFKA_4_0, *steps, **bounds).fetchers[1]
    assert early.cut is not None


@pytest.mark.parametrize(
    ("scenario", "earlier", "later", "shorter"),
    [
        ("kraft-broker-crashes", "kafka-3.3", "kafka-3.9", 2),
        ("kraft-broker-crashes", "kafka-3.9", "kafka-4.0", 3),
        ("kraft-all-brokers-crash", "kafka-4.0", "kafka-4.1.1", 6),
        ("kraft-assignment-forgets-elr", "kafka-4.2", "kafka-4.3", 2),
    ],
)
def test_neighbours_part(
    scenario: str, earlier: str, later: str, shorter: int, tmp_path: Path
) -> None:
    """`replicheck diff` finds the first state in which one takes another step."""
    arguments = ["diff", scenario, earlier, later, "--limit-states", "1000"]
    result = CliRunner().invoke(main, [*arguments, "--traces", str(tmp_path)])
    assert f"They part at state {shorter};" in result.output


def test_no_rule_differs_between_4_1_and_4_2() -> None:
    """The sources of the rules differ in form only."""
    assert KAFKA_4_2.named(KAFKA_4_1.name) == KAFKA_4_1


def test_4_3_keeps_the_elr_where_a_directory_is_assigned() -> None:
    """The builder is told of ELR (pull request 20716)."""
    steps = ["fence_broker(broker=1)", "assign_replica_to_directory(broker=0)"]
    bounds = {"brokers": 2, "directories": 2, "unassigned": 1, "fences": 1}
    assert not after_under(KAFKA_4_2, *steps, **bounds).stored.elr
    assert after_under(KAFKA_4_3, *steps, **bounds).stored.elr == {1}


UNREPAIRED = {
    "kraft-last-replica-crashes-without-elr",
    "kraft-unassigned-replica-is-lost",
    "kraft-replica-is-made-anew",
    "kraft-unclean-election-ends-no-reassignment",
    "kraft-cancelled-reassignment-trusts-replica",
    "kraft-moved-replica-is-lost",
    "kraft-assignment-elects-on-dead-disk",
    "kraft-refreshed-registration-is-not-applied",
    "kraft-min-isr-is-raised",
}
"""The findings that no correction ends, and the bounds in which one of them happens."""
LONGEST = {"kraft-assignment-forgets-elr"}
LONG = {"kraft-leader-skips-epoch", "kraft-min-isr-changes"}
FINDINGS = sorted(
    {
        entry.name
        for entry in CATALOGUE.suites["kraft"].scenarios
        if entry.model == "kraft" and entry.expect and entry.expect.violations
    }
    - LONG
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=by_night if name in LONGEST else ())
        for name in FINDINGS
    ],
)
def test_all_corrections_together_end_a_finding(name: str) -> None:
    """Its properties hold in all states of its bounds, unless it is named."""
    (task,) = tasks(CATALOGUE, [name], Overrides("breadth-first", protocol="repaired"))
    search = Search(stop=Stop.FIRST_VIOLATION)
    report = BreadthFirst().explore(task.model, task.properties, search)
    assert report.failure is None
    assert bool(report.violations) == (name in UNREPAIRED)
