"""The controller and the brokers of the model `kraft` beside those of Kafka 4.1.1."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from command_line.kraft_harness import (
    CAMPAIGNS,
    KRAFT,
    PROTOCOL,
    VERSION,
    cells,
    kraft_session,
    taken,
)
from replicheck.cli.conformance.conditions import CONDITIONS
from replicheck.cli.conformance.lockstep import Ending
from replicheck.cli.conformance.quorum import broker_calls, quorum_calls
from replicheck.cli.conformance.quorum.kraft_session import known
from replicheck.cli.conformance.walks import Extent
from replicheck.cli.main import main
from replicheck.invariants.catalogue.scenario import Scenario

WITHOUT_CALL = {"commit_metadata", "receive_heartbeat_answer"}
"""Actions of the model that neither brokers nor the controller of the harness have."""


def test_each_action_is_a_call_of_the_controller_or_of_a_broker() -> None:
    """A misspelled action would never be called, a forgotten one would differ."""
    actions = {action.__name__ for action in PROTOCOL.actions}
    called = {*broker_calls.TRANSLATIONS, *quorum_calls.TRANSLATIONS}
    assert actions - called == WITHOUT_CALL
    assert called <= actions


def test_known_differences_of_brokers_name_conditions_that_there_are() -> None:
    """A misspelled condition would be found only when a cell differs."""
    entries = known().entries
    assert {e.condition for e in entries} - {""} <= set(CONDITIONS)
    assert len({entry.name for entry in entries}) == len(entries)


@pytest.mark.parametrize("scenario", CAMPAIGNS.values(), ids=list(CAMPAIGNS))
def test_brokers_do_as_the_model(scenario: Scenario) -> None:
    """Walks through each campaign end alike, or by a known difference."""
    found = kraft_session().walked(scenario, KRAFT, 5, Extent(3, 40))
    assert found.failure is None
    assert found.walks == 3


SKIPPED = """
    append(leader=1)
    fetch(follower=2)
    fetch(follower=2)
    elect_preferred_leader
    crash(broker=0)
    fence_stale_broker(broker=0)
    publish_metadata(broker=1) [2]
"""
"""A leader publishes two changes at once, and keeps what it knew of a follower."""
FENCED = """
    append(leader=0)
    fetch(follower=1)
    fetch(follower=1)
    fence_broker(broker=2)
    publish_metadata(broker=0)
"""
"""A leader commits as soon as the last member that has not fetched is out."""
SHORTENED = """
    append(leader=0)
    fetch(follower=1)
    fetch(follower=1)
    crash(broker=1)
    lose_tail(broker=1)
    restart(broker=1)
    publish_metadata(broker=1)
    fetch(follower=1)
"""
"""A follower comes back without a record that its leader believes it to have."""


@pytest.mark.parametrize(
    ("mutant", "bounds", "steps", "cell"),
    [
        (
            "forgets-after-skipped-epoch",
            {"first_leader": 1},
            SKIPPED,
            "brokers/broker 1/partition/followers/2/end",
        ),
        (
            "forgets-at-each-epoch",
            {"first_leader": 1},
            SKIPPED,
            "brokers/broker 1/partition/followers/2/end",
        ),
        (
            "kafka-15583-commit-below-min-isr",
            {"min_isr": 3},
            FENCED,
            "brokers/broker 0/partition/high watermark",
        ),
        (
            "kip-497-wait-for-committed-isr",
            {},
            """
            fence_broker(broker=2)
            publish_metadata(broker=0)
            publish_metadata(broker=2)
            unfence_broker(broker=2)
            publish_metadata(broker=0)
            fetch(follower=2)
            expand_isr(leader=0, follower=2)
            append(leader=0)
            publish_metadata(broker=1) [2]
            fetch(follower=1)
            fetch(follower=1)
            """,
            "brokers/broker 0/partition/high watermark",
        ),
        (
            "kafka-15510-never-diverge",
            {},
            """
            append(leader=0)
            fence_broker(broker=0)
            publish_metadata(broker=1)
            append(leader=1)
            publish_metadata(broker=0)
            fetch(follower=0)
            """,
            "brokers/broker 0/partition/end",
        ),
        (
            "kafka-13198-keep-removed-replica",
            {"reassignments": 1, "min_isr": 1, "brokers": 2},
            """
            reassign_partition [1]
            publish_metadata(broker=1)
            """,
            "brokers/broker 1/partition",
        ),
        (
            "kafka-16234-make-offline-replica-anew",
            {"directories": 2, "directory_failures": 1},
            """
            fail_directory(broker=1, directory=0)
            report_offline_directories(broker=1)
            publish_metadata(broker=1)
            """,
            "brokers/broker 1/partition",
        ),
        (
            "kafka-14704-raise-before-truncation",
            {"brokers": 2, "min_isr": 1, "records": 2},
            """
            append(leader=0)
            fence_broker(broker=0)
            publish_metadata(broker=1)
            append(leader=1)
            publish_metadata(broker=0)
            fetch(follower=0)
            """,
            "brokers/broker 0/partition/high watermark",
        ),
        (
            "kr-hw-1-lower-high-watermark",
            {"brokers": 2},
            SHORTENED,
            "brokers/broker 0/partition/high watermark",
        ),
        (
            "kafka-15221-keep-end-of-older-process",
            {"brokers": 2, "min_isr": 1},
            SHORTENED,
            "brokers/broker 0/partition/followers/1/end",
        ),
        (
            "kafka-13266-note-end-before-removal",
            {"brokers": 2, "min_isr": 1},
            """
            append(leader=0)
            fence_broker(broker=0)
            publish_metadata(broker=0)
            publish_metadata(broker=1)
            fetch(follower=0)
            """,
            "brokers/broker 0/partition/fetcher/offset",
        ),
        (
            "kr-asg-1-queue-no-assignment",
            {"brokers": 1, "min_isr": 1, "directories": 2, "unassigned": 1},
            """
            crash(broker=0)
            restart(broker=0)
            publish_metadata(broker=0)
            """,
            "brokers/broker 0/partition/assignment",
        ),
        (
            "kr-net-1-lose-request",
            {"brokers": 2, "controller_failovers": 1},
            """
            shrink_isr(leader=0)
            fail_over_controller
            """,
            "brokers/broker 0/request",
        ),
    ],
)
def test_a_wrong_rule_of_brokers_differs(
    mutant: str, bounds: dict[str, int], steps: str, cell: str
) -> None:
    """The comparison can fail: each run is one of a model with one rule changed."""
    outcome = taken(steps, bounds, mutant)
    assert outcome.ending is Ending.DIFFERS
    assert cell in cells(outcome)


def test_a_replica_that_is_told_late_of_its_directory() -> None:
    """One that is added to a partition has no directory before to compare with."""
    run = """
    reassign_partition [1]
    reassign_partition [1]
    publish_metadata(broker=1) [1]
    publish_metadata(broker=1)
    """
    bounds = {"brokers": 2, "min_isr": 1, "directories": 2, "reassignments": 2}
    outcome = taken(run, bounds)
    assert outcome.ending is Ending.SAME
    assert outcome.kafka["brokers"]["broker 1"]["partition"]["assignment"] == -1


def test_a_disk_that_dies_before_the_log_is_opened_marks_nothing_offline() -> None:
    """The process makes an empty log on the other disk, and what it had is lost."""
    run = """
    append(leader=0)
    crash(broker=0)
    restart(broker=0)
    fail_directory(broker=0, directory=0)
    publish_metadata(broker=0)
    """
    bounds = {"brokers": 1, "min_isr": 1, "directories": 2, "unassigned": 1}
    outcome = taken(run, bounds | {"directory_failures": 1})
    assert outcome.ending is Ending.SAME
    partition = outcome.kafka["brokers"]["broker 0"]["partition"]
    assert (partition["directory"], partition["end"]) == (1, 0)


def test_a_replica_without_a_log_that_is_taken_away_ends_a_run() -> None:
    """Kafka has no partition left, and the model has it offline."""
    run = """
    crash(broker=1)
    fail_directory(broker=1, directory=0)
    restart(broker=1)
    register_broker(broker=1)
    delete_topic
    publish_metadata(broker=1) [2]
    publish_metadata(broker=1)
    """
    bounds = {"brokers": 2, "directories": 2, "topic_deletions": 1}
    outcome = taken(run, bounds | {"directory_failures": 1})
    assert outcome.ending is Ending.KNOWN
    assert outcome.kafka["brokers"]["broker 1"]["partition"] == "none"


def test_brokers_of_other_versions_are_taken_anyway() -> None:
    """The message says of which version the option is."""
    command = ["conform", "--brokers", "--campaigns", "--kafka", "2.5.1"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2, done.output
    assert f"--brokers is of Kafka {VERSION}" in done.output
