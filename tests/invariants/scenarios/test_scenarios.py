"""Scenario and suite files: one message for whatever is wrong."""

from __future__ import annotations

import pytest

import toys
from replicheck.invariants.catalogue.catalogue import DEFAULT_SUITE
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.scenario import Suite
from shipped import CATALOGUE

CHECK = '[[check]]\nscenario = "counter"\n'


def read(text: str) -> Suite:
    """The suite that a text describes."""
    return toys.catalogue().read_suite(text, "mine", Place("mine.toml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("check = ", "mine.toml: is no TOML: Invalid value (at end of document)"),
        (
            "",
            "mine.toml: check: the key is missing; write [[check]] and below it"
            ' scenario = "NAME"',
        ),
        ("check = 3", "mine.toml: check: is 3, expected a list"),
        ('check = "ab"', 'mine.toml: check: is "ab", expected a list'),
        ("check = {}", "mine.toml: check: is a table, expected a list"),
        ("check = [3]", "mine.toml: check[1]: is 3, expected a table"),
        ('chek = "x"', 'mine.toml: chek: there is no such key; did you mean "check"?'),
        (
            '[[check]]\nscenaro = "counter"',
            "mine.toml: check[1].scenaro: there is no such key; did you mean"
            ' "scenario"?',
        ),
        (
            CHECK + '[[check]]\nscenario = "conter"',
            'mine.toml: check[2].scenario: there is no scenario "conter"; did you mean'
            ' "counter"?',
        ),
        (
            CHECK + "protocol = true",
            "mine.toml: check[1].protocol: is true, expected a text",
        ),
        (
            CHECK + 'protocol = "rund"',
            'mine.toml: check[1].protocol: there is no protocol "rund"; did you mean'
            ' "round"?',
        ),
        (
            CHECK + "bounds = { limit = 0 }",
            "mine.toml: check[1].bounds.limit: is 0, expected a value >= 1",
        ),
        (
            CHECK + "bounds = { limit = 256 }",
            "mine.toml: check[1].bounds.limit: is 256, expected a value <= 255, the"
            " greatest of any bound: choose a smaller one",
        ),
        (
            CHECK + 'bounds = { limit = "5" }',
            'mine.toml: check[1].bounds.limit: is "5", expected an integer',
        ),
        (
            CHECK + "bounds = { limits = 5 }",
            "mine.toml: check[1].bounds.limits: there is no such bound; did you mean"
            ' "limit"?',
        ),
        (CHECK + "bounds = 5", "mine.toml: check[1].bounds: is 5, expected a table"),
        (
            CHECK + 'invariants = "is_below_two"',
            'mine.toml: check[1].invariants: is "is_below_two", expected a list of'
            " names",
        ),
        (
            CHECK + 'invariants = ["below_two"]',
            'mine.toml: check[1].invariants: there is no invariant "below_two"; did you'
            ' mean "is_below_two"?',
        ),
        (
            CHECK + 'stop = "never"',
            'mine.toml: check[1].stop: is "never", expected one of "first-violation",'
            ' "decided", "exhausted"',
        ),
        (
            CHECK + "limits = { states = 0 }",
            "mine.toml: check[1].limits.states: is 0, expected a value >= 1",
        ),
        (
            CHECK + 'expect = { verdict = "hold" }',
            'mine.toml: check[1].expect.verdict: is "hold", expected one of "holds",'
            ' "violated", "incomplete"',
        ),
        (
            CHECK + "expect = { states = 6 }",
            "mine.toml: check[1].expect.verdict: the key is missing",
        ),
        (
            CHECK
            + 'expect = { verdict = "violated", violations = { is_below_two = 2 } }',
            "mine.toml: check[1].expect.violations: there is no invariant, step"
            ' property or claim about runs of this check "is_below_two"; known:'
            " is_within_its_limit",
        ),
        (
            CHECK + 'dead_actions = ["ad"]',
            'mine.toml: check[1].dead_actions: there is no action "ad"; did you mean'
            ' "add"?',
        ),
    ],
)
def test_what_is_wrong_with_a_suite(text: str, message: str) -> None:
    """The message names the file, the key, what was expected, and the nearest name."""
    with pytest.raises(ScenarioError) as caught:
        read(text)
    assert str(caught.value) == message


OWN = """
[scenarios.mine]
summary = "Counts round and round"
model = "counter"
protocol = "round"
bounds = { limit = 4 }
invariants = ["is_within_its_limit"]
witnesses = ["reaches_its_limit"]
"""
"""A scenario that a suite defines."""


def test_a_scenario_from_nothing() -> None:
    """A suite's own scenario is like a shipped one; it claims all that it can."""
    (scenario,) = read(OWN + '[[check]]\nscenario = "mine"\nprotocol = "up"').scenarios
    assert (scenario.name, scenario.protocol) == ("mine", "up")
    assert scenario.bounds == {"limit": 4}
    assert scenario.steps == ("never_goes_down",)
    assert scenario.properties == (
        "is_within_its_limit",
        "never_goes_down",
        "reaches_its_limit",
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("protocol", "protocl", '.protocl: there is no such key; did you mean "prot'),
        ('"round"', '"rund"', '.protocol: there is no protocol "rund"; did you mean "'),
        ('"counter"', '"conter"', '.model: there is no model "conter"; did you mean "'),
        ("limit = 4", "limit = 0", ".bounds.limit: is 0, expected a value >= 1"),
        ("limit = 4", "limit = true", ".bounds.limit: is true, expected an integer"),
        ('model = "counter"', "", ".model: the key is missing"),
        (
            OWN,
            '[scenarios.mine]\nmodel = "counter"\n',
            ".summary: the key is missing, as is protocol",
        ),
        ("is_within_its", "is_in_its", '.invariants: there is no invariant "is_in_its'),
        ("reaches_its", "reach_its", '.witnesses: there is no witness "reach_its_lim'),
        (
            "bounds =",
            'expect = { verdict = "no" }\nbounds =',
            '.expect.verdict: is "no',
        ),
        (
            "bounds =",
            'after = "other"\nbounds =',
            '.after: there is no scenario "other',
        ),
        (
            "bounds =",
            'sequence = ["hop"]\nbounds =',
            '.sequence[1]: there is no step "',
        ),
    ],
)
def test_what_is_wrong_with_a_suites_own_scenario(
    old: str, new: str, message: str
) -> None:
    """The message is that of a scenario's file, with the path to the key."""
    with pytest.raises(ScenarioError) as caught:
        read(OWN.replace(old, new) + CHECK)
    assert str(caught.value).startswith(f"mine.toml: scenarios.mine{message}")


def test_an_own_scenario_hides_no_shipped_one() -> None:
    """A name has one meaning."""
    with pytest.raises(ScenarioError, match=r"scenarios\.counter: there is a shipped"):
        read(OWN.replace("mine", "counter") + CHECK)


def test_an_own_scenario_begins_after_another() -> None:
    """The steps of the one before are its setup."""
    text = """
    [scenarios.created]
    summary = "A topic is created"
    model = "cluster"
    protocol = "kafka-2.5.1"
    initial = "without-topic"
    bounds = { metadata = 1, records = 1 }
    sequence = ["create_topic(partition=0)"]
    [scenarios.later]
    summary = "Then its leader crashes"
    model = "cluster"
    protocol = "kafka-2.5.1"
    bounds = { metadata = 1, records = 1, crashes = 1 }
    after = "created"
    setup = ["crash(broker=0)"]
    [[check]]
    scenario = "later"
    """
    (scenario,) = CATALOGUE.read_suite(text, "x", Place("x.toml")).scenarios
    assert scenario.setup == ("create_topic(partition=0)", "crash(broker=0)")


def test_an_entry_takes_what_it_does_not_say_from_the_scenario() -> None:
    """Only the expectation is not inherited: it belongs to the whole."""
    (scenario,) = read(CHECK + "bounds = { limit = 7 }").scenarios
    assert scenario.protocol == "up"
    assert scenario.invariants == ("is_within_its_limit",)
    assert scenario.bounds == {"limit": 7}
    assert scenario.expect is None


def test_an_entry_can_begin_elsewhere() -> None:
    """Its own setup replaces that of the scenario, and each step is tried."""
    text = '[[check]]\nscenario = "controller-fails-with-disk-offline"\n'
    text += 'setup = ["crash(broker=%s)"]'
    place = Place("mine.toml")
    (scenario,) = CATALOGUE.read_suite(text % "0", "mine", place).scenarios
    assert scenario.setup == ("crash(broker=0)",)
    with pytest.raises(ScenarioError, match=r"check\[1\].setup\[1\]: there is no step"):
        CATALOGUE.read_suite(text % "7", "mine", place)


def test_a_model_with_one_start_has_no_setup() -> None:
    """The message says so, rather than an error of Python."""
    with pytest.raises(ScenarioError, match="always begins in the same state"):
        read(CHECK + 'setup = ["add(amount=1)"]')


def test_shipped_suites_and_scenarios_are_right() -> None:
    """Whatever comes with replicheck can be read, and the default suite is there."""
    assert DEFAULT_SUITE in CATALOGUE.suites
    assert "replication" in CATALOGUE.scenarios


@pytest.mark.parametrize("model", CATALOGUE.systems)
def test_a_scenario_that_holds_says_which_claims_say_nothing(model: str) -> None:
    """So a check fails when a premise that held before is never fulfilled any more."""
    for scenario in CATALOGUE.scenarios.values():
        if scenario.model == model and scenario.expect is not None:
            holds = scenario.expect.verdict == "holds"
            assert (scenario.vacuous is not None) is holds, scenario.name


def test_an_entry_with_other_states_says_nothing_of_premises() -> None:
    """What the scenario says of them is known for its own states."""
    text = '[[check]]\nscenario = "controller-fails-with-disk-offline"\n'
    place = Place("mine.toml")
    (same,) = CATALOGUE.read_suite(text + 'stop = "decided"\n', "x", place).scenarios
    (more,) = CATALOGUE.read_suite(text + "bounds.records = 1\n", "x", place).scenarios
    assert (
        same.vacuous
        == CATALOGUE.scenarios["controller-fails-with-disk-offline"].vacuous
    )
    assert more.vacuous is None


def test_what_a_bound_rules_out_is_vacuous() -> None:
    """Where producers do not wait, no record is acknowledged."""
    system = CATALOGUE.systems["cluster"]
    bounds = {**CATALOGUE.scenarios["leader-disk-fails"].bounds}
    name = "current_leader_has_acknowledged_records"
    assert name in system.out_of_reach(bounds)
    assert name not in system.out_of_reach({**bounds, "acknowledgements": 1})


def test_the_default_suite_has_every_protocol_of_replication() -> None:
    """Each has an entry with an expected verdict."""
    checks = CATALOGUE.suites[DEFAULT_SUITE].scenarios
    checked = [check.protocol for check in checks if check.name == "replication"]
    assert checked == [
        protocol.name for protocol in CATALOGUE.systems["replication"].protocols
    ]
    assert all(check.expect for check in checks)


def test_the_replication_scenario_claims_all_that_the_model_has() -> None:
    """No invariant, step property or witness is left out of the scenario."""
    known = CATALOGUE.systems["replication"].predicates
    assert sorted(CATALOGUE.scenarios["replication"].properties) == sorted(known)
