"""The command that repeats one entry of a suite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import toys
from command_line.suites import BREAKS, ENTRY, HOLDS, check, results, suite
from replicheck.cli.main import main

pytestmark = pytest.mark.usefixtures("elsewhere")


def test_the_command_repeats_an_entry_with_its_verdict() -> None:
    """It checks the entry alone, expectation and declarations included."""
    suite(HOLDS, BREAKS, ENTRY + 'protocol = "dead"\n')
    for whole in results("--engine", "naive"):
        words = whole["command"].split()
        assert words[:3] == ["replicheck", "check", "mine.toml"]
        (again,) = results(*words[3:])
        measured = {"seconds": 0, "cached": 0, "together": 0, "coverage": 0}
        assert {**again, **measured} == {**whole, **measured}


def test_the_command_repeats_a_scenario_of_the_suite() -> None:
    """A scenario that only the suite knows is repeated by its entry."""
    own = (
        '[scenarios.mine]\nsummary = "Mine"\nmodel = "counter"\nprotocol = "up"\n'
        'invariants = ["is_below_two"]\n'
    )
    suite(own, '[[check]]\nscenario = "mine"\nbounds = { limit = 3 }\n')
    (result,) = results()
    assert result["scenario"] == "mine"
    words = result["command"].split()[1:]
    done = CliRunner().invoke(main, words, obj=toys.catalogue())
    assert done.exit_code == 12


def test_the_command_names_only_what_differs() -> None:
    """Bounds that are the scenario's own need not be said again."""
    arguments = ["check", "counter", "--json", "-"]
    whole = CliRunner().invoke(main, arguments, obj=toys.catalogue()).stdout
    (result,) = json.loads(whole)["results"]
    assert result["command"] == (
        "replicheck check counter --protocol up --engine breadth-first"
    )
    changed = [*arguments, "--bounds", "limit=7"]
    whole = CliRunner().invoke(main, changed, obj=toys.catalogue()).stdout
    assert "--bounds limit=7" in json.loads(whole)["results"][0]["command"]


def test_a_broken_suite() -> None:
    """What is wrong with the file is one line, before any search; the code is 151."""
    suite(HOLDS, ENTRY + 'protocl = "up"\n')
    done = check()
    assert done.exit_code == 151
    assert done.stderr == (
        "Error: mine.toml: check[2].protocl: there is no such key; did you mean"
        ' "protocol"?\n'
    )
    assert done.stdout == ""


def test_an_entry_that_is_not_there() -> None:
    """The message says how many there are."""
    suite(HOLDS)
    done = check("--entry", "2")
    assert done.exit_code == 151
    assert (
        "--entry: is 2, expected 1 to 1: so many entries has mine.toml" in done.stderr
    )


VACUOUS = ENTRY + 'invariants = ["above_its_limit_it_is_even"]\nwitnesses = []\n'


def test_an_invariant_that_claims_nothing_is_named() -> None:
    """It is said, and is no failure as long as the scenario says nothing of it."""
    suite(VACUOUS)
    done = check()
    assert done.exit_code == 0
    assert (
        "vacuously true, since no state fulfils the premise: above_its_limit_it_is_even"
        in done.stdout
    )


def test_a_vacuous_scenario() -> None:
    """Where the scenario says which invariants may be vacuous, others fail."""
    suite(VACUOUS + "vacuous = []\n")
    done = check()
    assert done.exit_code == 10
    assert (
        "nothing fulfils the premise of above_its_limit_it_is_even: the bounds are too"
        " small to show anything" in done.stdout
    )


def test_a_declared_vacuous_invariant() -> None:
    """What is declared is as expected."""
    suite(VACUOUS + 'vacuous = ["above_its_limit_it_is_even"]\n')
    assert check().exit_code == 0


def test_a_premise_that_holds_though_it_is_declared_vacuous() -> None:
    """A declaration that is not true any more fails the check."""
    suite(
        ENTRY
        + 'invariants = ["at_its_limit_it_is_odd"]\nbounds = { limit = 3 }\n'
        + 'vacuous = ["at_its_limit_it_is_odd"]\n'
    )
    done = check()
    assert done.exit_code == 10
    assert "declared in `vacuous`, but it was seen" in done.stdout


CONSTRAINED = ENTRY + 'protocol = "constrained"\nbounds = { limit = 9 }\n'


def test_a_constraint_that_cuts_is_never_holds() -> None:
    """The check is incomplete, and says which constraint cut how many states."""
    suite(CONSTRAINED)
    done = check()
    assert done.exit_code == 77
    assert (
        "incomplete: visited the 7 states within the constraints, depth 7;"
        " is_at_most_five keeps 1 state from being expanded" in done.stdout
    )
    assert "does not mean that the properties hold" in done.stdout


def test_a_constraint_that_cuts_is_accepted_or_expected() -> None:
    """As with a limit; and the counts of such a search can be expected."""
    suite(CONSTRAINED)
    assert check("--accept-incomplete").exit_code == 0
    expected = 'expect = { verdict = "incomplete", states = 7, depth = %d }\n'
    suite(CONSTRAINED + expected % 7)
    assert check().exit_code == 0
    suite(CONSTRAINED + expected % 8)
    assert check().exit_code == 10


def test_entries_that_share_a_constraint() -> None:
    """Each part of a common search is as incomplete as the whole."""
    suite(CONSTRAINED, CONSTRAINED + "witnesses = []\n")
    document = json.loads(check("--json", "-").stdout)
    for result in document["results"]:
        assert (result["verdict"], result["together"]) == ("incomplete", 2)
        assert result["coverage"]["constraints"] == {"is_at_most_five": 1}
        assert result["unexpanded"] == 0


def test_a_violation_by_another_action_is_saved() -> None:
    """The report names it in its group, with the file of its run."""
    suite(
        ENTRY
        + 'protocol = "round"\ninvariants = []\nsteps = ["never_goes_down"]\n'
        + "witnesses = []\n"
    )
    document = json.loads(check("--json", "-").stdout)
    (group,) = document["violations"]
    assert group["action"] == "start_again"
    assert Path(group["file"]).exists()


def test_a_suite_asks_for_every_violation() -> None:
    """Every state is visited, though nothing is left to decide; entries share them."""
    every = BREAKS.replace("[[check]]", '[[check]]\nstop = "exhausted"')
    suite(every, ENTRY + 'stop = "exhausted"\n')
    for result in results():
        assert (result["states"], result["exhausted"]) == (6, True)
        assert (result["unexpanded"], result["together"]) == (0, 2)
    done = check("--all-violations", "--entry", "1", "--no-cache")
    assert "violated: visited all 6 states" in done.stdout
    assert "--entry 1 --engine breadth-first --all-violations" in done.stdout


def test_a_cut_search_says_nothing_of_premises() -> None:
    """What was not seen may come yet."""
    suite(VACUOUS + "vacuous = []\nlimits = { depth = 2 }\n")
    done = check()
    assert done.exit_code == 77
    assert "premise" not in done.stdout
