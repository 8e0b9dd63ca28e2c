"""What fair runs of Kafka's models do in the end, and a protocol that breaks each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from checkout import DOCS
from replicheck.cli.tasks.run_properties import property_of
from replicheck.cli.testing import assert_holds, assert_violated
from replicheck.explorer.properties import Property
from replicheck.invariants.alter_isr import run_claims as of_alter_isr
from replicheck.invariants.cluster import run_claims as of_cluster
from replicheck.invariants.composed import run_claims as of_composed
from replicheck.invariants.fetching import run_claims as of_fetching
from replicheck.invariants.replication import run_claims as of_replication
from shipped import CATALOGUE

LEADER, DELETION, REASSIGNMENT = map(property_of, of_cluster.RUN_CLAIMS)
OF_COMPOSED = tuple(map(property_of, of_composed.RUN_CLAIMS))
SETTLED, COMMITTED, JOINED = map(property_of, of_alter_isr.RUN_CLAIMS)
COMMITS, OBEYS = map(property_of, of_replication.RUN_CLAIMS)
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


@pytest.mark.parametrize(
    ("scenario", "numbers"),
    [
        pytest.param("composed-broker-session-expires", (0,), marks=pytest.mark.slow),
        pytest.param("composed-topic-is-deleted", (1,), marks=pytest.mark.slow),
        pytest.param("composed-partition-is-reassigned", (2,), marks=pytest.mark.slow),
        ("composed-broker-restarts-during-move", (3, 4)),
    ],
)
def test_the_whole_cluster_keeps_its_claims(
    scenario: str, numbers: tuple[int, ...], tmp_path: Path
) -> None:
    """Those of the controller and those of the fetchers."""
    claims = [OF_COMPOSED[number] for number in numbers]
    assert_holds(scenario, *claims, traces=tmp_path)


@pytest.mark.parametrize(
    ("search", "number", "states", "repeats"),
    [
        pytest.param(
            "composed-b-new-1-create-logs-only-if-new",
            0,
            55,
            4,
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "composed-kafka-1663-wait-for-a-signal", 1, 21, 0, marks=pytest.mark.slow
        ),
        ("composed-c-reasg-3-ignore-isr-change", 2, 26, 0),
        ("composed-endless-truncation", 3, 29, 4),
        ("composed-move-endless-fetch", 4, 11, 3),
    ],
)
def test_each_claim_of_the_whole_cluster_can_be_broken(
    search: str, number: int, states: int, repeats: int
) -> None:
    """By a mutant, or by Kafka as it was."""
    violation = assert_violated(search, OF_COMPOSED[number], states=states)
    assert violation.loop == states - 1 - repeats


@pytest.mark.parametrize("model", ["cluster", "fetching", "composed"])
def test_the_page_names_each_action_without_fairness(model: str) -> None:
    """With a reason; those with weak fairness are not among them."""
    system = CATALOGUE.systems[model]
    page = (DOCS / "liveness.md").read_text("utf-8")
    named = re.search("What has none, in.*?(?=What has weak fairness)", page, re.DOTALL)
    assert named is not None
    patterns = [
        name.replace("…", "[a-z_]+") for name in re.findall("`([a-z_…]+)`", named[0])
    ]
    unfair = {action.__name__ for action in system.environment + system.unfair}
    for protocol in system.protocols:
        for action in protocol.actions:
            name = action.__name__
            is_named = any(re.fullmatch(pattern, name) for pattern in patterns)
            assert is_named == (name in unfair), name


def test_a_leader_and_the_controller_agree_in_the_end(tmp_path: Path) -> None:
    """A proposal is answered, records are committed, and who has all joins the ISR."""
    assert_holds("alter-isr", SETTLED, COMMITTED, JOINED, traces=tmp_path)
    lost = "kafka-14144-compare-the-version-first"
    assert_violated("alter-isr", SETTLED, protocol=lost, states=8)
    assert_violated("alter-isr", JOINED, protocol=lost, states=13)
    alone = "kafka-13091-commit-the-isr-only"
    assert_violated("alter-isr", COMMITTED, protocol=alone, states=6)


@pytest.mark.parametrize(
    "protocol", ["truncate-to-high-watermark", "kip-279", "kip-320", "kip-320-delayed"]
)
def test_replicas_come_along_in_the_end(protocol: str, tmp_path: Path) -> None:
    """They obey the last request, and a leader commits what it has."""
    small = {"brokers": 2}
    assert_holds(
        "replication", COMMITS, OBEYS, protocol=protocol, bounds=small, traces=tmp_path
    )


def test_a_follower_that_is_shorter_may_never_follow() -> None:
    """By KIP-101 as the specification has it, which cuts no log that is too short."""
    small = {"brokers": 2}
    for claim in (COMMITS, OBEYS):
        assert_violated(
            "replication", claim, protocol="kip-101", bounds=small, states=10
        )


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
