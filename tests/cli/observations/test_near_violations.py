"""Whether a run breaks a property, and with ``--near`` how near it came to that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from checkout import OBSERVATIONS
from replicheck.cli.main import main

pytestmark = pytest.mark.slow

CRASH_AND_RESTART = OBSERVATIONS / "runs" / "crash_and_restart.jsonl"
MUTANT = "kafka-7235-compare-ids-only"
"""A controller that tells brokers apart by their ids misses a quick restart."""
NEAREST = "quiescent_partition_has_leader"
STEPS = ["start_broker(broker=0)", "elect(controller=0)"]
STEPS += ["handle_broker_change(controller=2)"]


def run(*arguments: object) -> Result:
    """Result of ``replicheck validate``."""
    return CliRunner().invoke(main, ["validate", *map(str, arguments)])


@pytest.fixture
def of_mutant(tmp_path: Path) -> Path:
    """A real run of Kafka, to be laid beside a mutant."""
    path = tmp_path / "observations.jsonl"
    text = CRASH_AND_RESTART.read_text("utf-8")
    path.write_text(text.replace('"protocol": ""', f'"protocol": "{MUTANT}"', 1))
    return path


def test_a_run_of_a_mutant_is_three_steps_from_a_violation(of_mutant: Path) -> None:
    """The state, the steps and the property are told; the run itself breaks nothing."""
    result = run(of_mutant, "--near", 3)
    assert result.exit_code == 0
    told = f"    3 steps from state 31: {NEAREST} would break: "
    assert told in result.stdout
    assert "\n".join(f"      {step}" for step in STEPS) in result.stdout
    assert "within 3 steps of a violation of the 37 other properties" in result.stdout


def test_a_bound_below_that_finds_nothing(of_mutant: Path) -> None:
    """Within two steps nothing breaks, and that is what is told."""
    result = run(of_mutant, "--near", 2)
    assert "would break" not in result.stdout
    assert "no state of the run is within 2 steps of a violation" in result.stdout


def test_a_run_of_kafka_is_not_near(tmp_path: Path) -> None:
    """The same run under Kafka's protocol is not within three steps of any."""
    file = tmp_path / "report.json"
    result = run(CRASH_AND_RESTART, "--near", 3, "--json", file)
    assert result.exit_code == 0
    assert "would break" not in result.stdout
    assert "no state of the run is within 3 steps of a violation of the 40 " in (
        result.stdout
    )
    assert "22 say nothing within the bounds: controller_epoch_has_" in result.stdout
    near = json.loads(file.read_text("utf-8"))["files"][0]["near"]
    assert near["violations"] == []
    assert near["searched_steps"] == 3
    assert near["states"] > 1000


def test_a_limit_is_told(of_mutant: Path) -> None:
    """The steps that were searched whole are told, not those that were asked for."""
    result = run(of_mutant, "--near", 5, "--near-states", 1000)
    assert "  up to 2 steps of the model, within the bounds, were searched" in (
        result.stdout
    )
    assert "a limit ended that search before 5 steps" in result.stdout
    assert "is within 2 steps of a violation" in result.stdout


def test_the_json_report(of_mutant: Path) -> None:
    """It has the answer, the steps with what shows them, and what is near."""
    result = run(of_mutant, "--near", 3, "--json", "-")
    (answer,) = json.loads(result.stdout)["files"]
    assert answer["answer"] == "explained"
    assert answer["steps"][0]["step"] == "create_topic(partition=0)"
    assert answer["steps"][0]["observations"][0].startswith("zxid ")
    assert answer["broken"] == []
    near = {found["property"]: found for found in answer["near"]["violations"]}
    assert near[NEAREST]["state"] == 31
    assert near[NEAREST]["steps"] == STEPS
    assert "explained: a run of cluster" in result.stderr


def test_a_near_violation_is_saved_as_a_counterexample(
    of_mutant: Path, tmp_path: Path
) -> None:
    """It replays, and its page tells the further steps from those of the run."""
    run(of_mutant, "--near", 3, "--traces", tmp_path / "traces")
    (saved,) = (tmp_path / "traces").glob(f"*{NEAREST}*")
    replayed = CliRunner().invoke(main, ["trace", "replay", str(saved)])
    assert replayed.exit_code == 12
    assert f"still violates: state 34 breaks {NEAREST}" in replayed.output
    page = tmp_path / "page.html"
    words = ["trace", "show", str(saved), "--format", "html", "--output", str(page)]
    assert CliRunner().invoke(main, words).exit_code == 0
    text = page.read_text("utf-8")
    assert "not observed, and not part of the run: 3 of 3 to the violation" in text
    assert (
        "24 of 33 steps were observed; the others, in italics, are hidden, but for"
        in (text)
    )
    assert "the last 3: they did not happen" in text


def test_nothing_is_near_a_run_that_is_not_there() -> None:
    """Where nothing was explained, nothing is said to be near or far."""
    result = run(CRASH_AND_RESTART, "--near", 3, "--limit-nodes", 20)
    assert result.exit_code == 77
    assert "within" in result.stdout
    assert "a violation" not in result.stdout


@pytest.mark.parametrize(
    "name", ["delete_with_offline_replica", "kafka-2.5.1-deletion_goes_on"]
)
def test_the_deletion_of_a_topic_loses_no_record(name: str) -> None:
    """What was committed in a topic need not stay once it is marked for deletion."""
    result = run(OBSERVATIONS / "runs" / f"{name}.jsonl")
    assert result.exit_code == 0
    assert "the run breaks none of" in result.stdout
