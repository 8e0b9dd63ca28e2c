"""What fair runs of Kafka's models do in the end, and a protocol that breaks each."""

from __future__ import annotations

from pathlib import Path

import pytest

from replicheck.cli.tasks.run_properties import property_of
from replicheck.cli.testing import assert_holds, assert_violated
from replicheck.explorer.properties import Property
from replicheck.invariants.cluster import run_claims as of_cluster
from replicheck.invariants.fetching import run_claims as of_fetching

LEADER, DELETION, REASSIGNMENT = map(property_of, of_cluster.RUN_CLAIMS)
MOVE = "fetching-endless-fetch-after-move"
ROUNDS, RANGE = map(property_of, of_fetching.RUN_CLAIMS)


@pytest.mark.parametrize(
    ("scenario", "claim", "protocol", "states"),
    [
        ("deletion-ends-after-repair", DELETION, "m-29-resume-no-deletion", 23),
        ("partition-is-reassigned", REASSIGNMENT, "c-reasg-3-ignore-isr-change", 22),
        pytest.param(
            "replaced-disk-loses-data",
            LEADER,
            "m-5-never-forget-an-offline-directory",
            29,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_something_happens_in_the_end(
    scenario: str, claim: Property, protocol: str, states: int, tmp_path: Path
) -> None:
    """A mutant stands still before it does."""
    assert_holds(scenario, claim, traces=tmp_path)
    violation = assert_violated(scenario, claim, protocol=protocol, states=states)
    assert violation.loop == states - 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "claim", "broken", "repaired", "states", "loop"),
    [
        # KAFKA-10706: 4 steps of a round of truncation, again and again.
        ("fetching-endless-truncation", ROUNDS, "kafka-2.5.1", "kafka-2.6.1", 25, 4),
        # KAFKA-15608: a fetch, its answer, and the same fetch.
        (
            "fetching-endless-fetch-after-move",
            RANGE,
            "kafka-3.5.0",
            "kafka-2.5.1",
            16,
            3,
        ),
    ],
)
def test_known_livelocks(
    scenario: str, claim: Property, broken: str, repaired: str, states: int, loop: int
) -> None:
    """Each is a loop in which every process does what fairness demands."""
    assert_holds(scenario, claim, protocol=repaired)
    violation = assert_violated(scenario, claim, protocol=broken, states=states)
    assert violation.loop == states - 1 - loop
