"""Findings of `kraft`, on the controller and the brokers of Kafka 4.1.1."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line.harnesses import needs
from command_line.kraft_harness import KRAFT, PROTOCOL, VERSION, kraft_session, taken
from replicheck.cli.conformance.findings import FindingRun
from replicheck.cli.conformance.lockstep import Ending
from replicheck.cli.conformance.quorum.kraft_findings import execute, kraft_findings
from replicheck.cli.conformance.quorum.kraft_session import scenario_of
from replicheck.cli.conformance.recorded_runs import model_at_its_beginning
from replicheck.cli.main import main


@pytest.mark.parametrize("finding", kraft_findings(), ids=lambda found: found.name)
def test_a_finding_loses_a_record_of_kafka(finding: FindingRun) -> None:
    """Each is lost by clean elections, and each step is as in the model."""
    used = kraft_session()
    scenario = scenario_of(finding.name, finding.bounds, PROTOCOL)
    model = model_at_its_beginning(scenario, KRAFT)
    harm = execute(used.lockstep, model, finding)
    assert harm.differences == ()
    assert harm.lost == {(0, 0)}


def test_a_leader_that_publishes_each_change_acknowledges_nothing() -> None:
    """One delta more, and the leader has led no epoch between."""
    (finding, *_) = kraft_findings()
    merged = finding.steps.index("publish_metadata(broker=1) [2]")
    apart = ["publish_metadata(broker=1) [1]"] * 2
    outcome = taken("\n".join([*finding.steps[:merged], *apart]), finding.bounds)
    assert outcome.ending is Ending.SAME
    assert outcome.kafka["acknowledged"] == []


def test_a_finding_of_another_version_is_refused() -> None:
    """The message names the versions that have a run of it."""
    command = ["conform", "--finding", "removed-and-added", "--kafka", "2.5.1"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2, done.output
    assert f"give --kafka {VERSION}" in done.output


def test_findings_are_executed_from_the_command_line(tmp_path: Path) -> None:
    """The exit code is 0 only if each comes to its loss."""
    needs(VERSION)
    command = ["conform", "--finding", "all", "--kafka", VERSION]
    done = CliRunner().invoke(main, [*command, "--traces", str(tmp_path)])
    assert done.exit_code == 0, done.output
    lost = "acknowledged, and in no log any more: record 0 of partition 0"
    assert done.output.count(lost) == len(kraft_findings())
