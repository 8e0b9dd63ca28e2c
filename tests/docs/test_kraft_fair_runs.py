"""KRaft: the page's table of fair runs is what the tests of claims say."""

from __future__ import annotations

import re

from checkout import DOCS
from kafka_tests.kraft_broken_claims import BROKEN_CLAIMS, OF_KAFKA_4_1_1, rule_of
from replicheck.invariants.kraft.run_claims import RUN_CLAIMS

PAGE = (DOCS / "kraft-coverage.md").read_text("utf-8")
ROWS = re.findall(
    r"^\| [^|]* \((KLIVE-\d)\) \| (yes|no) \| ([^|]+) \| ([^|]+) \|$", PAGE, re.M
)
OF_MOVES = "KLIVE-6"
"""Moves have tests of their own: tests/model/kraft/test_kraft_log_moves.py."""


def test_there_is_a_row_for_each_of_the_9() -> None:
    """Some have two, and each is claimed of the model."""
    assert {rule for rule, *_ in ROWS} == {f"KLIVE-{n}" for n in range(1, 10)}
    assert {rule for rule, *_ in ROWS} == {rule_of(claim) for claim in RUN_CLAIMS}


def test_a_claim_is_not_kept_where_kafka_4_1_1_breaks_it() -> None:
    """All others are broken by a mutant, or by a rule of another release."""
    broken = {
        rule_of(case.claim) for case in BROKEN_CLAIMS if case.broken in OF_KAFKA_4_1_1
    }
    assert {rule for rule, status, *_ in ROWS if status == "no"} - {OF_MOVES} == broken


def test_each_claim_has_a_protocol_that_breaks_it() -> None:
    """The page says after how many states."""
    for rule, _, _, states in ROWS:
        if rule == OF_MOVES:
            continue
        lengths = {case.states for case in BROKEN_CLAIMS if rule_of(case.claim) == rule}
        assert lengths & {int(number) for number in re.findall(r"\d+", states)}
