"""Setups and sequences: steps by their labels, and one message if one is wrong."""

from __future__ import annotations

import pytest
from attrs import evolve

import toys
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.setup_steps import model_of, run, state_after
from shipped import CATALOGUE

CRASHES = """
summary = "A crash"
model = "cluster"
protocol = "kafka-2.5.1"
bounds = { brokers = 1, crashes = 1 }
"""
PLACE = Place("mine.toml")


def catalogue() -> Catalogue:
    """A catalogue with no scenario but one, in which a broker crashes."""
    empty = Catalogue(CATALOGUE.systems)
    text = CRASHES + 'initial = "with-topic"\nsequence = ["crash(broker=0)"]'
    crash = empty.read_scenario(text, "crash", PLACE)
    return Catalogue(empty.systems, {"crash": crash})


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            'initial = "with-topics"',
            'mine.toml: initial: there is no initial state "with-topics"; did you mean'
            ' "with-topic"?',
        ),
        (
            'after = "crush"',
            'mine.toml: after: there is no scenario "crush"; did you mean "crash"?',
        ),
        (
            'setup = ["crash(broker=1)"]',
            'mine.toml: setup[1]: there is no step "crash(broker=1)"; did you mean'
            ' "crash(broker=0)"?',
        ),
        (
            'sequence = ["crash(broker=0)", "crash(broker=0)"]',
            'mine.toml: sequence[2]: "crash(broker=0)" has 0 next states here, expected'
            " one",
        ),
        (
            'after = "crash"\nsetup = ["crash(broker=0)"]',
            'mine.toml: setup[2]: "crash(broker=0)" has 0 next states here, expected'
            " one",
        ),
        (
            'setup = ["crash(broker=0) [2]"]',
            'mine.toml: setup[1]: "crash(broker=0) [2]" has 1 next states here,'
            " expected more",
        ),
    ],
)
def test_what_is_wrong_with_a_run(keys: str, message: str) -> None:
    """The message names the step, counted from 1, and what was expected."""
    with pytest.raises(ScenarioError) as caught:
        catalogue().read_scenario(CRASHES + keys, "mine", PLACE)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (
            'initial = "without-topic"',
            'mine.toml: check[1].initial: setup[10]: "handle_update_metadata(',
        ),
        (
            "bounds = { directory_failures = 0 }",
            'mine.toml: check[1].bounds: setup[1]: "fail_directory(broker=0, directory',
        ),
    ],
)
def test_an_entry_in_the_way_of_its_scenarios_setup(key: str, message: str) -> None:
    """The key that is written there is named, and the step that cannot be taken."""
    text = f'[[check]]\nscenario = "controller-fails-with-disk-offline"\n{key}'
    with pytest.raises(ScenarioError) as caught:
        CATALOGUE.read_suite(text, "mine", PLACE)
    assert str(caught.value).startswith(message)


def test_a_scenario_begins_where_another_ends() -> None:
    """It takes over the initial state, and the steps to the end of the sequence."""
    known = catalogue()
    after = known.read_scenario(CRASHES + 'after = "crash"', "mine", PLACE)
    assert (after.initial, after.setup) == ("with-topic", ("crash(broker=0)",))
    system = known.systems["cluster"]
    model = model_of(after, system, PLACE)
    (start,) = model.initial_states()
    crash = known.scenarios["crash"]
    assert start == state_after(crash, system, crash.sequence, PLACE)
    assert not start.processes[0].is_running


def test_a_step_of_several_next_states_says_which() -> None:
    """They are counted from 1, in the order of the action."""
    model = toys.graph((1, 2), (), ())
    (start,) = model.initial_states()
    assert run(model, start, ("go [2]",), PLACE).at == 2
    with pytest.raises(ScenarioError, match="has 2 next states here, expected one"):
        run(model, start, ("go",), PLACE)


def test_a_step_that_the_bounds_rule_out() -> None:
    """The message names the bound that the step needs."""
    scenario = CATALOGUE.scenarios["leader-disk-fails-producers-wait"]
    bounds = {**scenario.bounds, "directory_failures": 0}
    system = CATALOGUE.systems[scenario.model]
    with pytest.raises(ScenarioError, match="it needs directory_failures >= 1"):
        model_of(evolve(scenario, bounds=bounds), system, PLACE)
