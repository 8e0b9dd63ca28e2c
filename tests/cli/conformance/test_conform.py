"""Runs of the model on Kafka's own classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from checkout import GALLERY
from command_line.harnesses import FIRST, SYSTEM, needs, session
from replicheck.cli.conformance.fetching.harness_calls import (
    TRANSLATIONS,
    ModelStep,
    commands,
)
from replicheck.cli.conformance.findings import FindingRun, execute, findings
from replicheck.cli.conformance.harness.artifacts import versions
from replicheck.cli.conformance.harness.errors import HarnessError
from replicheck.cli.conformance.harness.process import Command
from replicheck.cli.conformance.lockstep import (
    Ending,
    replay,
)
from replicheck.cli.conformance.mutant_walks import comparable, walk_mutants
from replicheck.cli.conformance.recorded_runs import (
    RecordedRun,
    model_at_its_beginning,
    written_run,
)
from replicheck.cli.conformance.session import Session, scenario_of
from replicheck.cli.conformance.walks import Extent
from replicheck.cli.main import main
from replicheck.explorer.instances import instances
from replicheck.explorer.report import Step
from replicheck.invariants.catalogue.scenario import Scenario
from shipped import CATALOGUE


@pytest.fixture(scope="module", autouse=True)
def sessions_end() -> Iterator[None]:
    """End the processes after the tests."""
    yield
    session.cache_clear()


def scenario(name: str, version: str, **bounds: int) -> Scenario:
    """A shipped scenario under the protocol of a version."""
    found = CATALOGUE.scenarios[name]
    together = {**found.bounds, **bounds}
    return evolve(found, protocol=f"kafka-{version}", bounds=together, expect=None)


@pytest.mark.parametrize("version", versions())
def test_each_action_has_commands_of_the_harness(version: str) -> None:
    """No action of a version's protocol is unknown to the harness."""
    known = session(version).process.commands
    actions = {action.__name__ for action in session(version).protocol.actions}
    assert actions - set(TRANSLATIONS) <= set(known)


@pytest.mark.parametrize("version", versions())
@pytest.mark.parametrize(
    "name",
    [
        "fetching-one-partition-fails",
        "fetching-new-epoch-clears-failure",
        "fetching-log-is-moved",
    ],
)
def test_written_runs_are_the_same_in_kafka(name: str, version: str) -> None:
    """The runs of KIP-461 and of a move are taken by both to the end."""
    run = written_run(scenario(name, version), SYSTEM)
    assert run is not None
    ((_, outcome),) = session(version).replayed([run])
    assert not outcome.differences  # type: ignore[union-attr]
    assert outcome.ending is Ending.SAME  # type: ignore[union-attr]


def test_walks_are_the_same_in_kafka() -> None:
    """Random walks find no difference without an explanation."""
    two = scenario("fetching-two-brokers-change-roles", FIRST)
    found = session(FIRST).walked(two, SYSTEM, 7, Extent(walks=10, steps=40))
    assert found.failure is None
    assert found.walks == 10


def test_a_command_that_makes_no_sense_is_an_error() -> None:
    """A command that cannot be taken is refused, and is no difference."""
    process = session(FIRST).process
    size = {"brokers": 1, "partitions": 1, "directories": 1, "fetchers": 1}
    process.take([Command("new", {**size, "fetch_size": 0})])
    with pytest.raises(HarnessError) as caught:
        process.take([Command("replace_fetcher", {"broker": 0})])
    assert caught.value.is_refused


def test_the_same_run_gives_the_same_states_in_two_processes() -> None:
    """Nothing depends on time, on threads, or on where the process runs."""
    two = scenario("fetching-two-brokers-change-roles", FIRST, crashes=1, restarts=1)
    model = model_at_its_beginning(two, SYSTEM)
    steps = _walk(model, 60)
    with Session(FIRST, session(FIRST).protocol) as other:
        states = [_states(used, model, steps) for used in (session(FIRST), other)]
    assert states[0] == states[1]


def _walk(model: Any, most: int) -> list[Step[Any]]:
    """The run that always takes the last enabled action but one."""
    found: list[Step[Any]] = []
    state = next(iter(model.initial_states()))
    actions = instances(model.actions, model.domains)
    for number in range(most):
        choices = [(a, after) for a in actions for after in a(state)]
        if not choices:
            break
        action, state = choices[(7 * number) % len(choices)]
        found.append(Step(action.name, dict(action.arguments), state))
    return found


def _states(
    used: Session, model: Any, steps: list[Step[Any]]
) -> list[Mapping[str, Any]]:
    before = next(iter(model.initial_states()))
    used.lockstep.begin(before)
    found: list[Mapping[str, Any]] = []
    for step in steps:
        arguments = dict(step.arguments)
        taken = ModelStep(step.action, arguments, before, step.state)
        found.append(used.process.take(commands(taken)))
        before = step.state
    return found


ENDLESS = """
append_records_to_leader(leader=0, partition=0)
elect_leader(leader=1, partition=0)
make_leaders(broker=1, partition=0)
make_followers(broker=0, partition=0)
make_leader(broker=1)
replace_fetcher(broker=0)
append_records_to_leader(leader=1, partition=0)
elect_leader(leader=0, partition=0)
make_leaders(broker=0, partition=0)
elect_leader(leader=1, partition=0)
make_leader(broker=0)
make_followers(broker=0, partition=0)
make_followers(broker=1, partition=0)
replace_fetcher(broker=1)
make_leaders(broker=1, partition=0)
replace_fetcher(broker=0)
make_leader(broker=1)
fetch_truncating_partitions(follower=0, leader=1, fetcher=0)
handle_offset_for_leader_epoch_request(follower=0, leader=1, fetcher=0)
truncate_to_epoch_end_offsets(follower=0, leader=1, fetcher=0)
""".strip().splitlines()


@pytest.mark.parametrize(
    ("protocol", "ending"),
    [("kafka-2.5.1", Ending.SAME), ("kafka-2.6.1", Ending.DIFFERS)],
)
def test_the_protocol_of_another_version_is_told_apart(
    protocol: str, ending: Ending
) -> None:
    """Kafka 2.5.1 keeps an epoch without records that 2.6.1 drops (KAFKA-10706)."""
    endless = CATALOGUE.scenarios["fetching-endless-truncation"]
    model = model_at_its_beginning(evolve(endless, protocol=protocol), SYSTEM)
    trace = RecordedRun("endless", model, tuple(ENDLESS)).trace()
    outcome = replay(session(FIRST).lockstep, trace.start, trace.steps)
    assert outcome.ending is ending
    assert len(outcome.steps) == len(ENDLESS)


def test_without_java_there_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without Java is told so, with an exit code of its own."""
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    done = CliRunner().invoke(main, ["conform", "fetching-two-brokers-change-roles"])
    assert done.exit_code == 69
    assert "Java" in done.output


def test_a_scenario_of_another_model_is_refused() -> None:
    """The harness takes runs of one model only, and says so before it starts."""
    done = CliRunner().invoke(main, ["conform", "replication"])
    assert done.exit_code == 151
    assert "fetching" in done.output


def conformed(*arguments: str) -> Result:
    """What the command says of the first version."""
    needs(FIRST)
    return CliRunner().invoke(main, ["conform", "--kafka", FIRST, *arguments])


def test_a_saved_run_that_is_not_taken_is_not_compared() -> None:
    """A run of a version that truncates on fetch is none of 2.5.1."""
    done = conformed(str(GALLERY / "k-5-never-fence.jsonl"))
    assert "maybe_fetch(follower=1, leader=0, fetcher=0) is not enabled" in done.stdout
    assert done.stderr == "nothing was compared\n"
    assert done.exit_code == 77


def test_a_saved_run_that_comes_to_other_states_is_not_compared_as_saved() -> None:
    """A mutant's run is taken by Kafka's protocol too, but not to what it violates."""
    name = "f-fetch-4-let-errors-end-the-thread"
    done = conformed(str(GALLERY / f"{name}.jsonl"))
    assert (
        f"not compared as it was saved: from state 6 of the file on kafka-{FIRST}"
        in (done.stdout)
    )
    assert f"--protocol {name} compares these" in done.stdout
    assert done.exit_code == 77


def test_a_saved_run_of_the_protocol_is_compared_as_saved() -> None:
    """All its states are those of the file."""
    name = "f-alt-8-forget-epochs-without-records"
    done = conformed("--protocol", name, str(GALLERY / f"{name}.jsonl"))
    assert "the same to the end" in done.stdout
    assert "as it was saved" not in done.stdout
    assert done.exit_code == 0


def test_a_suite_without_a_run_of_the_model_compares_nothing() -> None:
    """A suite of another model has no run that the harness takes."""
    done = conformed("--suite", "kraft")
    assert done.stderr == "nothing was compared\n"
    assert done.exit_code == 77


def test_the_harness_notices_a_run_that_is_not_kafkas() -> None:
    """A state of the model that is changed by hand differs in that cell."""
    model = model_at_its_beginning(
        scenario("fetching-two-brokers-change-roles", FIRST), SYSTEM
    )
    run = RecordedRun(
        "wrong", model, ("append_records_to_leader(leader=0, partition=0)",)
    )
    trace = run.trace()
    (step,) = trace.steps
    wrong = evolve(step, state=trace.start)
    outcome = replay(session(FIRST).lockstep, trace.start, [wrong])
    assert outcome.ending is Ending.DIFFERS
    assert "broker 0/partition 0/log/end" in [d.cell for d in outcome.differences]


@pytest.mark.parametrize(
    ("finding", "version"),
    [(found, version) for found in findings() for version in found.versions],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_a_finding_does_harm_in_kafka(finding: FindingRun, version: str) -> None:
    """Each finding of the fetchers comes to its harm, each step as in the model."""
    used = session(version)
    scenario = scenario_of(finding.name, finding.bounds, used.protocol)
    harm = execute(used.lockstep, model_at_its_beginning(scenario, SYSTEM), finding)
    assert harm.differences == ()
    assert harm.is_done
    assert harm.lost <= harm.acknowledged & harm.consumed


def test_walks_tell_a_mutant_apart() -> None:
    """A start that fails leaves no marker in Kafka 2.5.1, whatever a mutant says."""
    name = "kafka-13773-mark-after-a-failed-start"
    own = comparable(CATALOGUE.mutants.values(), SYSTEM, f"kafka-{FIRST}")
    mutants = [mutant for mutant in own if mutant.name == name]
    extent = Extent(walks=30, steps=40)
    (found,) = walk_mutants(session(FIRST).lockstep, mutants, SYSTEM, 0, extent)
    assert found.is_killed
    assert any(cell.endswith("/marker") for cell in found.cells)


def test_the_page_of_a_disagreement_has_a_lane_for_kafka(tmp_path: Path) -> None:
    """What is told in lines, and what is saved, has both sides of the cell."""
    needs(FIRST)
    mutant = "kafka-13773-mark-after-a-failed-start"
    faults = "failed_starts=1,crashes=1,restarts=1"
    arguments = ["conform", "fetching-two-brokers-change-roles", "--kafka", FIRST]
    arguments += ["--protocol", mutant, "--bounds", faults, "--walks", "60"]
    arguments += ["--seed", "1", "--traces", str(tmp_path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 14, done.output
    assert "\\n" not in done.output
    assert "broker 1/marker  model True" in done.output
    (file,) = tmp_path.glob("*.jsonl")
    shown = CliRunner().invoke(main, ["trace", "show", str(file), "--format", "html"])
    assert '"lane": "Kafka 2.5.1"' in shown.output
    assert "broker 1/marker: model True, Kafka False" in shown.output
