"""KRaft: what fair runs do in the end, and a protocol or version that breaks each."""

from __future__ import annotations

from pathlib import Path

import pytest

from replicheck.cli.tasks.run_properties import property_of
from replicheck.cli.testing import assert_holds, assert_violated
from replicheck.invariants.kraft import run_claims
from replicheck.model.modelling.run_claims import RunClaim

LATE = "kraft-log-is-cut-at-once"
REDIRECTED = "kraft-redirected-reassignment-ends"
FAILOVER = "kraft-controller-fails-over"
MOVED = "kraft-replica-is-moved"
GROWING = {"brokers": 2, "records": 0, "restarts": 0, "no_op_records": 1}
ONE_FAILOVER = {"brokers": 2, "records": 0, "fences": 0, "partition_epochs": 6}


@pytest.mark.parametrize(
    ("scenario", "claim", "repaired", "broken", "bounds", "states"),
    [
        # no candidate is left.
        pytest.param(
            "kraft-min-isr-changes-keep-elr",
            run_claims.CANDIDATE,
            "keeps-elr-without-leader",
            "kafka-4.1.1",
            {"partition_epochs": 6},
            8,
            marks=pytest.mark.slow,
        ),
        (
            "kraft-elr-is-switched-off-later",
            run_claims.CANDIDATE,
            "keeps-elr-until-election",
            "kafka-4.1.1",
            {"partition_epochs": 5},
            8,
        ),
        # A refused expansion moves no high watermark.
        (
            "kraft-unclean-election",
            run_claims.COMMIT,
            "commits-after-refusal",
            "kafka-4.1.1",
            {"partition_epochs": 6},
            12,
        ),
        # the registration ends each controller.
        pytest.param(
            "kraft-cleared-elr-clears-index",
            run_claims.UNFENCED,
            "clears-elr-index",
            "kafka-4.1.1",
            {"partition_epochs": 8},
            8,
            marks=pytest.mark.slow,
        ),
        (
            "kraft-last-known-leader-is-replica",
            run_claims.UNFENCED,
            "elects-replicas",
            "kafka-4.1.1",
            {"partition_epochs": 8},
            8,
        ),
        # KAFKA-18138: a new controller knows no session of a dead broker.
        (
            FAILOVER,
            run_claims.FENCED,
            "kafka-4.1.1",
            "kafka-18138-know-running-brokers-only",
            {**ONE_FAILOVER, "crashes": 1, "isr_shrinks": 0},
            3,
        ),
        # R-14 (a), by the rule of 4.3.
        (
            REDIRECTED,
            run_claims.REASSIGNED,
            "completes-as-asked",
            "completes-with-added",
            {"partition_epochs": 8},
            11,
        ),
        # KAFKA-19975: a replica that stays is dead.
        (
            REDIRECTED,
            run_claims.ADDED,
            "completes-with-added",
            "kafka-19975-wait-for-every-replica",
            {"brokers": 3, "replicas": 2, "reassignments": 1, "crashes": 1},
            12,
        ),
        (
            FAILOVER,
            run_claims.ANSWERED,
            "kafka-4.1.1",
            "kr-net-1-lose-request",
            {**ONE_FAILOVER, "crashes": 0, "isr_shrinks": 1, "min_isr": 1},
            4,
        ),
        (
            "kraft-broker-shuts-down",
            run_claims.SHUT_DOWN,
            "kafka-4.1.1",
            "kr-hb-3-wait-for-every-broker",
            {"crashes": 1, "records": 0, "restarts": 0, "partition_epochs": 6},
            7,
        ),
        # KAFKA-13266: a follower fetches no more.
        (
            LATE,
            run_claims.IN_SYNC,
            "kafka-4.1.1",
            "kafka-13266-note-end-before-removal",
            {"preferred_elections": 1, "partition_epochs": 7},
            8,
        ),
    ],
)
def test_something_happens_in_the_end(
    scenario: str,
    claim: RunClaim,
    repaired: str,
    broken: str,
    bounds: dict[str, int],
    states: int,
    tmp_path: Path,
) -> None:
    """A protocol stands still before it does, and another never does."""
    told = property_of(claim)
    assert_holds(scenario, told, protocol=repaired, bounds=bounds, traces=tmp_path)
    violation = assert_violated(
        scenario, told, protocol=broken, bounds=bounds, states=states
    )
    assert violation.loop == states - 1


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
