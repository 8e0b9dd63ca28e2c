"""Elections of the model `cluster` beside Kafka's own algorithms."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from command_line.harnesses import needs
from replicheck.cli.conformance.elections.election_questions import (
    CONDITIONS,
    Condition,
    ElectionQuestion,
    questions,
)
from replicheck.cli.conformance.elections.model_elections import (
    ModelElections,
    states_before,
)
from replicheck.cli.conformance.harness.artifacts import versions
from replicheck.cli.main import main
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.model.cluster.cells.controller.events import Strategy
from replicheck.model.cluster.cells.controller.state_machines import ReplicaState
from replicheck.model.vocabulary import BrokerId

PROTOCOLS = Catalogue.shipped().systems["cluster"].protocols_by_name
FIRST, SECOND = BrokerId(0), BrokerId(1)
DEAD = Condition(is_live=False)
MUTANTS = (
    "m-4-elect-any-live-broker",
    "election-unclean-at-once",
    "m-11-elect-from-the-cached-isr",
)


def asked(strategy: Strategy, isr: set[BrokerId]) -> ElectionQuestion:
    """Who is to lead where the first of two replicas is dead."""
    both = (FIRST, SECOND)
    return ElectionQuestion(strategy, both, (), frozenset(isr), (DEAD, Condition()))


def test_every_question_is_asked_once() -> None:
    """All assignments, ISRs and conditions of the assigned brokers, and no other."""
    found = list(questions(2))
    assert len(set(found)) == len(found)
    offline = [question for question in found if question.strategy is Strategy.OFFLINE]
    one, both = 2 * len(CONDITIONS), 2 * 3 * len(CONDITIONS) ** 2
    assert len(offline) == one + both


@pytest.mark.parametrize(
    ("strategy", "isr", "leader"),
    [
        (Strategy.OFFLINE, {FIRST, SECOND}, SECOND),
        (Strategy.OFFLINE, {FIRST}, None),
        (Strategy.UNCLEAN, {FIRST}, SECOND),
        (Strategy.PREFERRED, {FIRST, SECOND}, None),
    ],
)
def test_the_model_answers_by_its_own_step(
    strategy: Strategy, isr: set[BrokerId], leader: BrokerId | None
) -> None:
    """The state that is asked about is one of the model, and its action is taken."""
    model = ModelElections.of(PROTOCOLS["kafka-2.5.1"], 2)
    answer = model.answer(asked(strategy, isr))
    assert (answer and answer["leader"]) == leader


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_mutant_answers_by_its_own_step(mutant: str) -> None:
    """A broken rule of the elections is in the answers."""
    rule, broken = (
        ModelElections.of(PROTOCOLS[name], 2) for name in ("kafka-2.5.1", mutant)
    )
    assert any(rule.answer(asked) != broken.answer(asked) for asked in questions(2))


def test_states_of_replicas_have_the_names_of_kafka() -> None:
    """Each state that a replica can have is compared."""
    assert set(states_before()) == {state.value for state in ReplicaState}


def conform(version: str, *options: str) -> tuple[int, str]:
    """Exit code and output of the elections on a version of Kafka."""
    needs(version)
    arguments = ["conform", "--kafka", version, "--elections", "2", *options]
    done = CliRunner().invoke(main, arguments)
    return done.exit_code, done.output


@pytest.mark.parametrize("version", versions())
def test_kafka_elects_whom_the_model_elects(version: str) -> None:
    """All questions about two brokers have the same answers."""
    code, output = conform(version, "--json", "-")
    assert code == 0, output
    told = json.loads(output[output.index("{\n") :])["elections"]
    assert sum(told["asked"].values()) == len(list(questions(2)))
    assert told["different"] == 0
    assert all(told["elected"].values())


@pytest.mark.parametrize("mutant", MUTANTS)
def test_kafka_tells_a_mutant_of_the_elections_apart(mutant: str) -> None:
    """What a broken rule elects, Kafka does not; the first such question is told."""
    code, output = conform("2.5.1", "--protocol", mutant)
    assert code == 14
    assert "DIFFERS in" in output
    assert "strategy=" in output


def test_an_unknown_protocol_is_refused() -> None:
    """The message names both models that it could have been of."""
    done = CliRunner().invoke(main, ["conform", "--elections", "1", "--protocol", "x"])
    assert done.exit_code == 151
    assert "fetching and cluster" in done.output
