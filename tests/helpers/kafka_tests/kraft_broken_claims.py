"""KRaft: claims of fair runs, and protocols that break or keep each."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import frozen

from replicheck.invariants.kraft import run_claims
from replicheck.model.modelling.run_claims import RunClaim

LATE = "kraft-log-is-cut-at-once"
REDIRECTED = "kraft-redirected-reassignment-ends"
FAILOVER = "kraft-controller-fails-over"
ONE_FAILOVER = {"brokers": 2, "records": 0, "fences": 0, "partition_epochs": 6}
OF_KAFKA_4_1_1 = ("kafka-4.1.1", "kafka-19975-wait-for-every-replica")
"""Protocols whose broken rules Kafka 4.1.1 has."""


@frozen
class BrokenClaim:
    """A claim that a protocol keeps, and another breaks by a run that stands still."""

    scenario: str
    claim: RunClaim
    repaired: str
    broken: str
    bounds: Mapping[str, int]
    states: int
    is_slow: bool = False


def rule_of(claim: RunClaim) -> str:
    """The reference's id of a claim."""
    found = re.search(r"KLIVE-\d+", claim.condition.__doc__ or "")
    assert found is not None, "the docstring names the rule"
    return found[0]


BROKEN_CLAIMS = (
    # no candidate is left.
    BrokenClaim(
        "kraft-min-isr-changes-keep-elr",
        run_claims.CANDIDATE,
        "keeps-elr-without-leader",
        "kafka-4.1.1",
        {"partition_epochs": 6},
        8,
        is_slow=True,
    ),
    BrokenClaim(
        "kraft-elr-is-switched-off-later",
        run_claims.CANDIDATE,
        "keeps-elr-until-election",
        "kafka-4.1.1",
        {"partition_epochs": 5},
        8,
    ),
    # A refused expansion moves no high watermark.
    BrokenClaim(
        "kraft-unclean-election",
        run_claims.COMMIT,
        "commits-after-refusal",
        "kafka-4.1.1",
        {"partition_epochs": 6},
        12,
    ),
    # the registration ends each controller.
    BrokenClaim(
        "kraft-cleared-elr-clears-index",
        run_claims.UNFENCED,
        "clears-elr-index",
        "kafka-4.1.1",
        {"partition_epochs": 8},
        8,
        is_slow=True,
    ),
    BrokenClaim(
        "kraft-last-known-leader-is-replica",
        run_claims.UNFENCED,
        "elects-replicas",
        "kafka-4.1.1",
        {"partition_epochs": 8},
        8,
    ),
    # KAFKA-18138: a new controller knows no session of a dead broker.
    BrokenClaim(
        FAILOVER,
        run_claims.FENCED,
        "kafka-4.1.1",
        "kafka-18138-know-running-brokers-only",
        {**ONE_FAILOVER, "crashes": 1, "isr_shrinks": 0},
        3,
    ),
    # R-14 (a), by the rule of 4.3.
    BrokenClaim(
        REDIRECTED,
        run_claims.REASSIGNED,
        "completes-as-asked",
        "completes-with-added",
        {"partition_epochs": 8},
        11,
    ),
    # KAFKA-19975: a replica that stays is dead.
    BrokenClaim(
        REDIRECTED,
        run_claims.ADDED,
        "completes-with-added",
        "kafka-19975-wait-for-every-replica",
        {"brokers": 3, "replicas": 2, "reassignments": 1, "crashes": 1},
        12,
    ),
    BrokenClaim(
        FAILOVER,
        run_claims.ANSWERED,
        "kafka-4.1.1",
        "kr-net-1-lose-request",
        {**ONE_FAILOVER, "crashes": 0, "isr_shrinks": 1, "min_isr": 1},
        4,
    ),
    BrokenClaim(
        "kraft-broker-shuts-down",
        run_claims.SHUT_DOWN,
        "kafka-4.1.1",
        "kr-hb-3-wait-for-every-broker",
        {"crashes": 1, "records": 0, "restarts": 0, "partition_epochs": 6},
        7,
    ),
    # KAFKA-13266: a follower fetches no more.
    BrokenClaim(
        LATE,
        run_claims.IN_SYNC,
        "kafka-4.1.1",
        "kafka-13266-note-end-before-removal",
        {"preferred_elections": 1, "partition_epochs": 7},
        8,
    ),
)
