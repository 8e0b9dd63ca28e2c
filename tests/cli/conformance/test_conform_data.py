"""What conformance knows without Kafka: versions, jars, differences, saved runs."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from random import Random

import pytest
from attrs import evolve
from click.testing import CliRunner

from command_line.messages import require_message
from command_line.own_models import example_in, run
from replicheck.cli.conformance.conditions import CONDITIONS
from replicheck.cli.conformance.coverage import Coverage
from replicheck.cli.conformance.differences import Difference, differences
from replicheck.cli.conformance.fetching.client_answers import ClientAnswers
from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.cli.conformance.harness.artifacts import artifacts_of, versions
from replicheck.cli.conformance.harness.compilation import sources_of
from replicheck.cli.conformance.known_differences import Effect, Register
from replicheck.cli.conformance.lockstep import Ending, RunOutcome
from replicheck.cli.conformance.recorded_runs import model_at_its_beginning
from replicheck.cli.conformance.session import MODEL, save, saved_line, scenario_of
from replicheck.cli.conformance.walks import StepDrawer
from replicheck.cli.main import main
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.invariants.catalogue.catalogue import Catalogue

CATALOGUE = Catalogue.shipped()
SYSTEM = CATALOGUE.systems[MODEL]
FIRST = "2.5.1"
FETCH = ("maybe_fetch", "handle_fetch_request", "process_fetch_request")


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
    two = CATALOGUE.scenarios["fetching-two-brokers-change-roles"]
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


def test_a_disagreement_without_a_place_is_told_all_the_same(tmp_path: Path) -> None:
    """The folder for it may be one that cannot be made: the walk goes on then."""
    two = CATALOGUE.scenarios["fetching-two-brokers-change-roles"]
    start = next(iter(model_at_its_beginning(two, SYSTEM).initial_states()))
    outcome = RunOutcome(Ending.DIFFERS, start, (), (Difference("epoch", 1, 2),))
    (tmp_path / "counterexamples").touch()
    line = saved_line(tmp_path / "counterexamples", two, FIRST, outcome)
    assert line.startswith("Not saved: ")
    assert "counterexamples" in line
    assert saved_line(tmp_path, two, FIRST, outcome).startswith(f"Saved: {tmp_path}")


def test_a_record_is_acknowledged_below_the_high_watermark() -> None:
    """A producer that waits for all in sync is answered with the follower's fetch."""
    model = model_at_its_beginning(
        CATALOGUE.scenarios["fetching-two-brokers-change-roles"], SYSTEM
    )
    asks = [f"{name}(follower=1, leader=0, fetcher=0)" for name in (*FETCH, *FETCH[:2])]
    trace = Stepper(model).take(
        ["append_records_to_leader(leader=0, partition=0)", *asks]
    )
    answers, told, before = ClientAnswers(), [], trace.start
    for step in trace.steps:
        answers.add(ModelStep(step.action, step.arguments, before, step.state))
        told.append(answers.form()["acknowledged"])
        before = step.state
    assert told == [[], [], [], [], [], [[0, 0]]]


def test_a_producer_waits_through_a_request_that_is_aborted() -> None:
    """What is not answered at the end of makeFollowers is acknowledged later."""
    changed = {"aborted_requests": 1, "repeated_requests": 1}
    two = CATALOGUE.scenarios["fetching-two-brokers-change-roles"]
    model = model_at_its_beginning(
        evolve(two, bounds={**two.bounds, **changed, "max_leader_epoch": 3}), SYSTEM
    )
    asks = [f"{name}(follower=1, leader=0, fetcher=0)" for name in FETCH]
    labels = [
        "append_records_to_leader(leader=0, partition=0)",
        "elect_leader(leader=1, partition=0)",
        "elect_leader(leader=0, partition=0)",
        "make_followers(broker=0, partition=0)",
        "repeat_request(broker=0, partition=0)",
        "abort_request(broker=0)",
        "make_leaders(broker=0, partition=0)",
        "make_leader(broker=0)",
        "make_leaders(broker=1, partition=0)",
        "make_leader(broker=1)",
        "make_followers(broker=1, partition=0)",
        "replace_fetcher(broker=1)",
        "fetch_truncating_partitions(follower=1, leader=0, fetcher=0)",
        "handle_offset_for_leader_epoch_request(follower=1, leader=0, fetcher=0)",
        "truncate_to_epoch_end_offsets(follower=1, leader=0, fetcher=0)",
        *asks,
        *asks[:2],
    ]
    trace = Stepper(model).take(labels)
    answers, before = ClientAnswers(), trace.start
    for step in trace.steps:
        assert answers.form()["acknowledged"] == []
        answers.add(ModelStep(step.action, step.arguments, before, step.state))
        before = step.state
    assert answers.form()["acknowledged"] == [[0, 0]]


def test_walks_are_drawn_to_states_that_allow_what_is_new() -> None:
    """Few walks are enough for an action that needs two others just before it."""
    bounds = {"directories": 2, "moves": 1, "directory_failures": 1}
    protocol = SYSTEM.protocols_by_name[f"kafka-{FIRST}"]
    model = model_at_its_beginning(scenario_of("new", bounds, protocol), SYSTEM)
    for group in range(5):
        drawer = StepDrawer(model, (), Coverage(protocol))
        for number in range(16):
            deque(drawer.walk(Random(f"{group} {number}"), 40), maxlen=0)
        assert not drawer.coverage.is_new("handle_future_log_dir_failure")


def test_a_run_of_an_own_model_is_of_no_harness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its code is not run, and the message names the models that have one."""
    with example_in(tmp_path, monkeypatch):
        asked = ("check", "two_phase.py", "--protocol", "impatient", "--traces", "runs")
        assert run(*asked).exit_code == 12
        (saved, *_) = sorted(Path("runs").iterdir())
        done = run("conform", str(saved))
    require_message(done, 151, "is of the model two_phase.py; expected a scenario or")
