"""The controller of the model `kraft` beside the managers of Kafka 4.1.1."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner

from command_line.harnesses import needs
from replicheck.cli.conformance.conditions import CONDITIONS
from replicheck.cli.conformance.harness.artifacts import artifacts_of, kraft_versions
from replicheck.cli.conformance.harness.compilation import sources_of
from replicheck.cli.conformance.harness.errors import HarnessError
from replicheck.cli.conformance.harness.process import Command
from replicheck.cli.conformance.known_differences import Register
from replicheck.cli.conformance.lockstep import Ending, RunOutcome
from replicheck.cli.conformance.quorum.quorum_calls import TRANSLATIONS
from replicheck.cli.conformance.quorum.quorum_cells import RECORDS
from replicheck.cli.conformance.quorum.quorum_session import (
    KNOWN,
    QUORUM_MODEL,
    QuorumSession,
    quorum_campaigns,
)
from replicheck.cli.conformance.recorded_runs import (
    RecordedRun,
    model_at_its_beginning,
)
from replicheck.cli.conformance.walks import Extent
from replicheck.cli.main import main
from replicheck.invariants.catalogue.scenario import Scenario
from shipped import CATALOGUE

(VERSION,) = kraft_versions()
SYSTEM = CATALOGUE.systems[QUORUM_MODEL]
PROTOCOL = SYSTEM.protocols_by_name[f"kafka-{VERSION}"]
CAMPAIGNS = {scenario.name: scenario for scenario in quorum_campaigns(PROTOCOL)}
USED: dict[str, QuorumSession] = {}
"""The controller of a version, started once for all tests."""


def session() -> QuorumSession:
    """The harness with the controller of Kafka 4.1.1."""
    needs(VERSION)
    if VERSION not in USED:
        USED[VERSION] = QuorumSession(VERSION, PROTOCOL)
    return USED[VERSION]


@pytest.fixture(scope="module", autouse=True)
def session_ends() -> Iterator[None]:
    """End the process after the tests."""
    yield
    for used in USED.values():
        used.process.close()
    USED.clear()


def taken(steps: str, protocol: str = PROTOCOL.name, **bounds: int) -> RunOutcome:
    """What comes of a run in the model of a protocol and in Kafka."""
    given = {**CAMPAIGNS["faults-of-brokers"].bounds, **bounds}
    scenario = evolve(CAMPAIGNS["faults-of-brokers"], protocol=protocol, bounds=given)
    model: Any = model_at_its_beginning(scenario, SYSTEM)
    labels = tuple(line.strip() for line in steps.strip().splitlines())
    used = session()
    other = used.lockstep.of(SYSTEM.protocols_by_name[protocol])
    own, used.lockstep = used.lockstep, other
    try:
        return used.replay(RecordedRun("run", model, labels))
    finally:
        used.lockstep = own


def cells(outcome: RunOutcome) -> set[str]:
    """The cells in which a run differs."""
    return {difference.cell for difference in outcome.differences}


def test_a_version_in_kraft_mode_has_sources_and_jars_of_its_own() -> None:
    """Nothing of ZooKeeper is compiled, and each jar has a digest."""
    names = {source.stem for source in sources_of(VERSION)}
    assert {VERSION, "JsonLines", "QuorumMain"} <= names
    assert "Main" not in names
    assert {len(artifact.digest) for artifact in artifacts_of(VERSION)} == {64}


def test_each_call_is_of_an_action_of_the_model() -> None:
    """A misspelled action would never be called."""
    actions = {action.__name__ for action in PROTOCOL.actions}
    assert set(TRANSLATIONS) <= actions
    assert set(RECORDS) <= set(TRANSLATIONS)


def test_known_differences_of_the_controller_name_conditions_that_there_are() -> None:
    """A misspelled condition would be found only when a cell differs."""
    entries = Register.shipped(KNOWN).entries
    assert {e.condition for e in entries} - {""} <= set(CONDITIONS)
    assert len({entry.name for entry in entries}) == len(entries)


@pytest.mark.parametrize("scenario", CAMPAIGNS.values(), ids=list(CAMPAIGNS))
def test_the_controller_decides_as_the_model(scenario: Scenario) -> None:
    """Walks through each campaign end alike, or by a known difference."""
    found = session().walked(scenario, SYSTEM, 3, Extent(4, 40))
    assert found.failure is None
    assert found.walks == 4


def test_a_broker_that_leads_nothing_is_released_at_once() -> None:
    """Its first request to shut down fences it."""
    assert taken("begin_controlled_shutdown(broker=2)").ending is Ending.SAME


def test_a_stopping_broker_asks_again_after_a_failover() -> None:
    """The controller that takes over knows nothing of the shutdown."""
    run = """
    begin_controlled_shutdown(broker=0)
    fail_over_controller [1]
    begin_controlled_shutdown(broker=0)
    """
    outcome = taken(run, controller_failovers=1, shutdowns=1)
    assert outcome.ending is Ending.SAME


def test_a_registration_after_a_deletion_ends_the_controller() -> None:
    """The index of eligible leaders still has the topic, whose ELR was cleared."""
    run = """
    crash(broker=1)
    fence_stale_broker(broker=1)
    change_min_isr [1]
    delete_topic
    """
    outcome = taken(run, brokers=2, min_isr_changes=1, topic_deletions=1)
    assert outcome.ending is Ending.SAME
    told = {"broker": 1, "again": 0, "epoch": 1, "directories": [0], "previous": -1}
    with pytest.raises(HarnessError, match="not in the topics map"):
        session().process.take([Command("register", {"image": 9, **told})])


def test_an_epoch_that_a_failover_lost_is_used_again() -> None:
    """A later process has the epoch in which no process is known to be registered."""
    run = """
    crash(broker=1)
    restart(broker=1)
    register_broker(broker=1)
    crash(broker=1)
    restart(broker=1)
    register_broker(broker=1)
    fail_over_controller [1]
    change_min_isr [1]
    register_broker(broker=1)
    """
    assert taken(run, min_isr_changes=1, controller_failovers=1).ending is Ending.SAME


def test_a_replica_is_not_given_to_a_broker_that_was_taken_out() -> None:
    """Neither a reassignment nor a new topic may name it."""
    gone = """
    unregister_broker(broker=0)
    reassign_partition [1]
    delete_topic
    create_topic
    """
    bounds = {"brokers": 2, "min_isr": 1, "unregistrations": 1, "reassignments": 1}
    outcome = taken(gone, PROTOCOL.name, **bounds, topic_deletions=1, topic_creations=1)
    assert outcome.ending is Ending.SAME
    assert outcome.kafka["memory"]["partition"]["replicas"] == [1]


def test_a_report_after_a_deletion_ends_the_controller() -> None:
    """The index of directories still has the topic, whose ISR was empty."""
    bounds = {"brokers": 1, "min_isr": 1, "directories": 2, "topic_deletions": 1}
    run = """
    fence_broker(broker=0)
    delete_topic
    fail_directory(broker=0, directory=0)
    report_offline_directories(broker=0)
    """
    outcome = taken(
        run, "clears-directory-index", **bounds, directory_failures=1, fences=1
    )
    assert outcome.ending is Ending.ERROR
    assert outcome.error is not None
    assert "not in the topics map" in outcome.error.message


@pytest.mark.parametrize(
    ("mutant", "bounds", "steps", "cell"),
    [
        (
            "kafka-18106-stay-in-isr-at-registration",
            {},
            ["crash(broker=1)", "restart(broker=1)", "register_broker(broker=1)"],
            "memory/partition/isr",
        ),
        (
            "kr-elr-4-keep-last-known-leader",
            {"brokers": 1, "min_isr": 1},
            ["fence_broker(broker=0)", "unfence_broker(broker=0)"],
            "memory/partition/last known leader",
        ),
        (
            "kafka-15021-begin-epoch-with-smaller-isr",
            {},
            ["fence_broker(broker=2)"],
            "memory/partition/leader epoch",
        ),
        (
            "kafka-15364-keep-failed-directories",
            {"directories": 2, "directory_failures": 1},
            [
                "fail_directory(broker=1, directory=1)",
                "report_offline_directories(broker=1)",
            ],
            "memory/broker 1/directories",
        ),
        (
            "kafka-18138-know-running-brokers-only",
            {"controller_failovers": 1},
            ["crash(broker=1)", "fail_over_controller"],
            "memory/broker 1/session",
        ),
    ],
)
def test_a_wrong_rule_of_the_controller_differs(
    mutant: str, bounds: dict[str, int], steps: list[str], cell: str
) -> None:
    """The comparison can fail: each run is one of a model with one rule broken."""
    outcome = taken("\n".join(steps), mutant, **bounds)
    assert outcome.ending is Ending.DIFFERS
    assert cell in cells(outcome)


def test_a_scenario_is_walked_through_from_the_command_line(tmp_path: Path) -> None:
    """The report names version, seed and what was met."""
    needs(VERSION)
    command = ["conform", "kraft-disk-fails", "--kafka", VERSION]
    command += ["--walks", "3", "--steps", "20", "--traces", str(tmp_path)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert f"on Kafka {VERSION}, seed 0" in done.output


def test_a_scenario_of_another_model_is_refused() -> None:
    """The message says which models the version has."""
    command = ["conform", "fetching-log-is-moved", "--kafka", VERSION]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 151, done.output
    assert "expected a scenario or a run of kraft" in done.output


def test_what_a_version_in_kraft_mode_has_not_is_refused() -> None:
    """Elections, and controllers around a ZooKeeper."""
    done = CliRunner().invoke(main, ["conform", "--elections", "2", "--kafka", VERSION])
    assert done.exit_code == 2, done.output
    assert f"not of {VERSION}" in done.output
