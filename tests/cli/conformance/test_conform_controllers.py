"""Controllers of the model `cluster` beside Kafka's own, around a ZooKeeper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner

from command_line.harnesses import FIRST, needs
from replicheck.cli.conformance.controllers.controller_calls import (
    OF_THE_THREAD,
    ClusterStep,
    beginning,
    commands,
)
from replicheck.cli.conformance.controllers.controller_lockstep import (
    ControllerLockstep,
    follow,
)
from replicheck.cli.conformance.controllers.controller_session import (
    CONTROLLER_MODEL,
    KNOWN,
    RARE,
    ControllerSession,
    controller_campaigns,
    controller_scenario,
    rare_controller_runs,
)
from replicheck.cli.conformance.controllers.event_steps import (
    WholeSteps,
    replies_lost,
)
from replicheck.cli.conformance.harness.compilation import WITH_CONTROLLER
from replicheck.cli.conformance.known_differences import Register
from replicheck.cli.conformance.lockstep import Ending
from replicheck.cli.conformance.recorded_runs import (
    RareRun,
    RecordedRun,
    model_at_its_beginning,
    rare_runs,
)
from replicheck.cli.conformance.session import NotTaken
from replicheck.cli.conformance.walks import Extent
from replicheck.cli.main import main
from replicheck.cli.tasks.called_actions import called_as
from replicheck.explorer.interpreter.stepper import CannotTake, Stepper
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.model.cluster.bounds import Bounds
from shipped import CATALOGUE

SYSTEM = CATALOGUE.systems[CONTROLLER_MODEL]
PROTOCOL = SYSTEM.protocols_by_name[f"kafka-{FIRST}"]
FAILOVER = """
crash(broker=1)
end_session(broker=1)
deliver_watch(controller=0, path=ZooKeeperPath.CONTROLLER)
elect(controller=0)
list_notifications(controller=0)
read_brokers(controller=0)
read_topics(controller=0)
read_partition_state(controller=0)
start_replica_state_machine(controller=0)
read_for_isr_removal(controller=0)
write_isr_removal(controller=0)
start_partition_state_machine(controller=0)
"""


SESSIONS: dict[str, ControllerSession] = {}
"""Controllers of a version, started once for all tests."""


def session(version: str) -> ControllerSession:
    """Controllers of a version of Kafka."""
    needs(version)
    if version not in SESSIONS:
        SESSIONS[version] = ControllerSession(version, PROTOCOL)
    return SESSIONS[version]


@pytest.fixture(scope="module", autouse=True)
def sessions_end() -> Iterator[None]:
    """End the processes after the tests."""
    yield
    for used in SESSIONS.values():
        used.process.close()
    SESSIONS.clear()


def scenario(**bounds: int) -> Scenario:
    """Two brokers with a topic, within bounds."""
    least = {"brokers": 2, "directories": 1, "metadata": 1}
    return controller_scenario("controllers", {**least, **bounds}, PROTOCOL)


def run(steps: str, **bounds: int) -> RecordedRun:
    """A run of the model from its beginning."""
    model: Any = model_at_its_beginning(scenario(**bounds), SYSTEM)
    return RecordedRun("run", model, tuple(steps.strip().splitlines()))


def whole_steps(recorded: RecordedRun) -> WholeSteps:
    """Whole steps of a run's model."""
    return WholeSteps.of(recorded.model, called_as(PROTOCOL))


def test_an_event_is_one_whole_step() -> None:
    """What a controller's thread does of an event belongs together."""
    recorded = run(FAILOVER, crashes=1)
    paths = whole_steps(recorded).paths(recorded.trace().steps)
    assert [path[0].action for path in paths] == [
        "crash",
        "end_session",
        "deliver_watch",
        "elect",
    ]
    assert {step.action for step in paths[-1]} <= OF_THE_THREAD


def test_a_run_that_ends_in_the_midst_of_an_event_is_not_taken() -> None:
    """Kafka's controllers are compared after whole events only."""
    recorded = run("\n".join(FAILOVER.strip().splitlines()[:6]), crashes=1)
    with pytest.raises(CannotTake, match="in the midst of an event"):
        whole_steps(recorded).paths(recorded.trace().steps)


def test_an_event_can_be_held_up_before_it_writes_the_state_of_a_partition() -> None:
    """What happens there is between two parts of the event; of one partition only."""
    labels = FAILOVER.strip().splitlines()
    interrupted = "\n".join([*labels[:10], "move_controller", *labels[10:]])
    recorded = run(interrupted, crashes=1, controller_moves=1)
    paths = whole_steps(recorded).paths(recorded.trace().steps)
    assert [path[0].action for path in paths][3:] == [
        "elect",
        "move_controller",
        "write_isr_removal",
    ]
    two = {"crashes": 1, "controller_moves": 1, "partitions": 2}
    steps = "\n".join([*labels[:3], *interrupted.splitlines()[3:8]])
    recorded = run(steps + "\nmove_controller", **two)
    with pytest.raises(CannotTake, match="in the midst of an event"):
        whole_steps(recorded).paths(recorded.trace().steps)


def test_a_session_that_expires_in_the_midst_of_an_event_is_not_taken() -> None:
    """Between events it is, and the event by which the broker registers is whole."""
    begun = FAILOVER.strip().splitlines()[:4]
    expiry = ["expire_session(broker=0)", "begin_session(broker=0)"]
    recorded = run("\n".join([*begun, *expiry]), crashes=1, session_expiries=1)
    with pytest.raises(CannotTake, match="in the midst of an event"):
        whole_steps(recorded).paths(recorded.trace().steps)
    again = [*expiry, "register_again(broker=0)", "elect(controller=0)"]
    recorded = run("\n".join(again), session_expiries=1)
    paths = whole_steps(recorded).paths(recorded.trace().steps)
    assert [len(path) for path in paths] == [1, 1, 2]


def test_a_reply_that_gets_lost_is_a_choice_of_its_own() -> None:
    """The harness is told of which write of a partition's state the reply is lost."""
    recorded = run(FAILOVER, crashes=1, lost_replies=1)
    before = Stepper(recorded.model).take(recorded.labels[:3]).steps[-1].state
    whole = whole_steps(recorded)
    (elect,) = (a for a in whole.actions if a.label == recorded.labels[3])
    found = [
        replies_lost(whole.called, before, paths[0])
        for paths in whole.choices(elect, before)
    ]
    assert set(found) == {(), ((0, 1),)}


def test_an_event_is_one_choice_with_all_ends() -> None:
    """An order that the model leaves open is Kafka's to choose."""
    recorded = run(FAILOVER, crashes=1, partitions=2)
    before = Stepper(recorded.model).take(recorded.labels[:3]).steps[-1].state
    whole = whole_steps(recorded)
    (elect,) = (a for a in whole.actions if a.label == recorded.labels[3])
    (paths,) = whole.choices(elect, before)
    assert all(path[-1].state.threads[0].is_idle() for path in paths)


def test_known_differences_of_controllers_have_names_of_their_own() -> None:
    """A report names each by one name, whichever model it is of."""
    names = [e.name for e in (*Register.shipped(KNOWN).entries,)]
    others = [e.name for e in Register.shipped().entries]
    assert len({*names, *others}) == len(names) + len(others)


def test_known_differences_of_controllers_are_abstractions() -> None:
    """What the model has wrong is corrected, and no entry."""
    reasons = [entry.reason for entry in Register.shipped(KNOWN).entries]
    assert [r for r in reasons if not r.startswith("Abstraction")] == []


def test_campaigns_have_bounds_of_the_model() -> None:
    """A bound that the model has not would end a session."""
    for campaign in controller_campaigns(PROTOCOL):
        assert Bounds(**campaign.bounds).brokers > 1


def test_another_controller_takes_over_as_in_kafka() -> None:
    """Znodes, context, states and requests are the same after a failover."""
    ((_, outcome),) = session(FIRST).replayed([run(FAILOVER, crashes=1)])
    assert not isinstance(outcome, NotTaken)
    assert outcome.ending is Ending.SAME, (outcome.differences, outcome.error)


@pytest.mark.parametrize("version", WITH_CONTROLLER)
@pytest.mark.parametrize("rare", rare_runs(RARE), ids=lambda rare: rare.name)
def test_a_rare_run_of_controllers_ends_as_it_says(rare: RareRun, version: str) -> None:
    """What differed once is taken alike; a difference that is known is met."""
    used = session(version)
    (own,) = (r for r in rare_controller_runs(PROTOCOL, SYSTEM) if r.name == rare.name)
    used.lockstep.met.clear()
    ((_, outcome),) = used.replayed([own])
    assert not isinstance(outcome, NotTaken)
    ending = Ending.KNOWN if rare.meets else Ending.SAME
    assert outcome.ending is ending, (outcome.differences, outcome.error)
    assert not rare.meets or used.lockstep.met[rare.meets]


@pytest.mark.parametrize("version", WITH_CONTROLLER)
def test_walks_of_controllers_are_the_same_in_kafka(version: str) -> None:
    """Random events find no difference without an explanation."""
    faults = scenario(crashes=1, restarts=1, controller_moves=1)
    found = session(version).walked(faults, SYSTEM, 5, Extent(walks=3, steps=25))
    assert found.failure is None, found.failure
    assert found.walks == 3


@pytest.mark.slow
def test_the_same_run_of_controllers_gives_the_same_states_in_two_processes() -> None:
    """ZooKeeper's threads decide nothing: what has fired waits to be delivered."""
    needs(FIRST)
    recorded = run(FAILOVER, crashes=1)
    with ControllerSession(FIRST, PROTOCOL) as other:
        found = [_answers(used, recorded) for used in (session(FIRST), other)]
    assert found[0] == found[1]


def _answers(used: ControllerSession, recorded: RecordedRun) -> list[Any]:
    before: Any = next(iter(recorded.model.initial_states()))
    answers = [used.process.take([beginning(before)])]
    for path in whole_steps(recorded).paths(recorded.trace().steps):
        first, after = path[0], path[-1].state
        step = ClusterStep(first.action, dict(first.arguments), before, after)
        answers.append(used.process.take(commands(step)))
        before = after
    return answers


@pytest.mark.parametrize(
    "mutant",
    [
        "m-9-remove-without-a-new-epoch",
        "m-20-start-without-asking",
        "z-ctrl-1-elect-in-the-same-controller-epoch",
    ],
)
def test_a_mutant_of_the_controller_is_told_apart(mutant: str) -> None:
    """A broken rule is seen in what the controller writes, knows or sends."""
    protocol = SYSTEM.protocols_by_name[mutant]
    called = called_as(protocol)
    renamed = {before: name for name, before in called.items()}
    model = model_at_its_beginning(evolve(scenario(crashes=1), protocol=mutant), SYSTEM)
    labels = [
        f"{renamed[name]}({rest}"
        for name, _, rest in (label.partition("(") for label in run(FAILOVER).labels)
    ]
    whole = WholeSteps.of(model, called)
    paths = whole.paths(Stepper(model).take(labels).steps)
    lockstep = ControllerLockstep(
        session(FIRST).process, Register.shipped(KNOWN), protocol
    )
    left = list(paths)
    outcome = follow(
        lockstep,
        next(iter(model.initial_states())),
        lambda state: (("", 0), [left.pop(0)]) if left else None,
    )
    assert outcome.ending is Ending.DIFFERS
    assert outcome.choices == (("", 0),) * len(paths)


def test_a_version_without_controllers_says_so() -> None:
    """The message names the versions that have them, and nothing is started."""
    done = CliRunner().invoke(main, ["conform", "--controllers", "--kafka", "2.8.1"])
    assert done.exit_code == 69
    assert "no controllers of Kafka 2.8.1" in done.output
