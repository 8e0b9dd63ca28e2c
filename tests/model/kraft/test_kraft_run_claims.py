"""KRaft: what fair runs do in the end, and a protocol or version that breaks each."""

from __future__ import annotations

from pathlib import Path

import pytest

from kafka_tests.kraft_broken_claims import BROKEN_CLAIMS, BrokenClaim, rule_of
from replicheck.cli.tasks.run_properties import property_of
from replicheck.cli.testing import assert_holds, assert_violated
from replicheck.invariants.kraft import run_claims
from replicheck.model.modelling.run_claims import RunClaim
from slow import by_night

MOVED = "kraft-replica-is-moved"
GROWING = {"brokers": 2, "records": 0, "restarts": 0, "no_op_records": 1}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=by_night if case.is_slow else ())
        for case in BROKEN_CLAIMS
    ],
    ids=lambda case: f"{rule_of(case.claim)}-{case.broken}",
)
def test_something_happens_in_the_end(case: BrokenClaim, tmp_path: Path) -> None:
    """A protocol stands still before it does, and another never does."""
    told, bounds = property_of(case.claim), case.bounds
    assert_holds(
        case.scenario, told, protocol=case.repaired, bounds=bounds, traces=tmp_path
    )
    violation = assert_violated(
        case.scenario, told, protocol=case.broken, bounds=bounds, states=case.states
    )
    assert violation.loop == case.states - 1


@pytest.mark.parametrize(
    ("scenario", "claim", "broken", "bounds", "loop"),
    [
        # KAFKA-17190: the replica is gone with its topic.
        (
            MOVED,
            run_claims.DROPPED,
            "kafka-17190-assign-deleted-topic",
            {"topic_deletions": 1, "partition_epochs": 3},
            (4, 7),
        ),
        # KAFKA-13959: the metadata log grows for ever.
        (
            "kraft-broker-shuts-down",
            run_claims.UNFENCED,
            "kafka-13959-unfence-at-end",
            {**GROWING, "shutdowns": 0, "fences": 1},
            (4, 8),
        ),
        # KAFKA-14292: and the end of a shutdown with it.
        (
            "kraft-broker-shuts-down",
            run_claims.SHUT_DOWN,
            "kafka-14292-set-shutdown-offset-anew",
            {**GROWING, "shutdowns": 1},
            (4, 8),
        ),
    ],
)
def test_something_goes_on_for_ever(
    scenario: str,
    claim: RunClaim,
    broken: str,
    bounds: dict[str, int],
    loop: tuple[int, int],
    tmp_path: Path,
) -> None:
    """A broken protocol repeats the same steps, from one state to another."""
    told = property_of(claim)
    assert_holds(scenario, told, bounds=bounds, traces=tmp_path)
    begin, end = loop
    violation = assert_violated(
        scenario, told, protocol=broken, bounds=bounds, states=end
    )
    assert violation.loop == begin


def test_a_reassignment_does_not_end_with_an_unclean_election() -> None:
    """Whether it is complete was asked before."""
    assert_violated(
        "kraft-unclean-election-ends-no-reassignment",
        property_of(run_claims.REASSIGNED),
        states=5,
    )
