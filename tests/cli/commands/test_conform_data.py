"""What conformance knows without Kafka: versions, jars, differences, saved runs."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve
from click.testing import CliRunner

from replicheck.cli.conformance.conditions import CONDITIONS
from replicheck.cli.conformance.differences import Difference, differences
from replicheck.cli.conformance.fetching.client_answers import ClientAnswers
from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.cli.conformance.harness.artifacts import artifacts_of, versions
from replicheck.cli.conformance.harness.compilation import sources_of
from replicheck.cli.conformance.known_differences import Effect, Register
from replicheck.cli.conformance.lockstep import Ending, RunOutcome
from replicheck.cli.conformance.recorded_runs import model_at_its_beginning
from replicheck.cli.conformance.session import MODEL, save
from replicheck.cli.main import main
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.invariants.catalogue.catalogue import Catalogue

CATALOGUE = Catalogue.shipped()
SYSTEM = CATALOGUE.systems[MODEL]
FIRST = "2.5.1"


def test_each_version_has_one_file_of_its_own() -> None:
    """All other sources of the harness are shared by the versions."""
    for version in versions():
        (own,) = (s for s in sources_of(version) if s.stem == version)
        assert own.is_file()


def test_each_jar_has_a_digest() -> None:
    """Nothing is run that is not the published jar."""
    digests = [a.digest for version in versions() for a in artifacts_of(version)]
    assert {len(digest) for digest in digests} == {64}


def test_each_version_has_a_protocol() -> None:
    """A version is compared with the protocol of that version."""
    assert {f"kafka-{version}" for version in versions()} <= set(
        SYSTEM.protocols_by_name
    )


def test_known_differences_name_conditions_that_there_are() -> None:
    """A misspelled condition would be found only when a cell differs."""
    entries = Register.shipped().entries
    assert {e.condition for e in entries} - {""} <= set(CONDITIONS)
    assert len({entry.name for entry in entries}) == len(entries)


def test_a_cell_that_one_side_lacks_is_a_difference() -> None:
    """What only Kafka has differs as much as another value."""
    found = list(differences({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}))
    assert found == [Difference("a/c", "—", 2)]


def test_a_difference_is_explained_by_its_cell_and_its_values() -> None:
    """Another error than a retriable one is no known difference."""
    register = Register.shipped()
    cell = "broker 1/thread 0-0/call 0/error"
    retried = Difference(cell, "NOT_LEADER_FOR_PARTITION", "NOT_LEADER_OR_FOLLOWER")
    fenced = evolve(retried, kafka="FENCED_LEADER_EPOCH")
    judgement = register.explain([retried, fenced], None, FIRST)
    assert judgement.unexplained == (fenced,)
    assert judgement.has(Effect.GOES_ON)


def test_a_disagreement_is_saved_as_a_trace_with_a_lane_for_kafka(
    tmp_path: Path,
) -> None:
    """The page of `trace show` has what Kafka had in the cells that differ."""
    two = CATALOGUE.scenarios["fetching-two-brokers"]
    model = model_at_its_beginning(two, SYSTEM)
    start = next(iter(model.initial_states()))
    found = Difference("broker 0/marker", model=False, kafka=True)
    steps = Stepper(model).take(["elect_leader(leader=1, partition=0)"]).steps
    outcome = RunOutcome(Ending.DIFFERS, start, tuple(steps), (found,))
    file = save(tmp_path, two, FIRST, outcome)
    shown = CliRunner().invoke(main, ["trace", "show", str(file), "--format", "html"])
    assert shown.exit_code == 0, shown.output
    assert "Kafka 2.5.1: broker 0/marker" in shown.output
    assert "broker 0/marker: model False, Kafka True" in shown.output


def test_a_record_is_acknowledged_below_the_high_watermark() -> None:
    """A producer that waits for all in sync is answered with the follower's fetch."""
    model = model_at_its_beginning(CATALOGUE.scenarios["fetching-two-brokers"], SYSTEM)
    fetch = ("maybe_fetch", "handle_fetch_request", "process_fetch_request")
    asks = [f"{name}(follower=1, leader=0, fetcher=0)" for name in (*fetch, *fetch[:2])]
    trace = Stepper(model).take(
        ["append_records_to_leader(leader=0, partition=0)", *asks]
    )
    answers, told, before = ClientAnswers(), [], trace.start
    for step in trace.steps:
        answers.add(ModelStep(step.action, step.arguments, before, step.state))
        told.append(answers.form()["acknowledged"])
        before = step.state
    assert told == [[], [], [], [], [], [[0, 0]]]
