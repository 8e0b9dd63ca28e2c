"""``replicheck ways``: the minimal sets of faults that violate a property."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from command_line.messages import require_message
from command_line.own_models import imports_of
from replicheck.cli.main import main
from replicheck.cli.results.fault_sets import (
    Budget,
    budgets_below,
    count_budgets,
    minimal_fault_sets,
)
from replicheck.explorer.report import Outcome

CREATED = "topic-created-beside-failed-disk"
LOST = "quiescent_partition_has_leader"
NAMES = ("crashes", "disks", "sessions")

pytestmark = pytest.mark.usefixtures("elsewhere")


def ways(*arguments: str) -> Result:
    """Run `replicheck ways` on the shipped scenarios."""
    return CliRunner().invoke(main, ["ways", *arguments])


def result(outcome: Outcome) -> Any:
    """A result in which the property ``p`` has this outcome."""
    report = Mock(outcomes={"p": outcome})
    return Mock(report=report, vacuous=[], was_interrupted=False)


def contains(larger: Budget, smaller: Mapping[str, int]) -> bool:
    """Whether no fault of the smaller is more often than in the larger."""
    return all(larger[name] >= count for name, count in smaller.items())


vectors = st.fixed_dictionaries({name: st.integers(0, 3) for name in NAMES})


@given(most=vectors, causes=st.lists(vectors, max_size=4))
def test_the_sets_are_minimal_and_all(
    most: dict[str, int], causes: list[dict[str, int]]
) -> None:
    """They are the least budgets that violate, as a search of every budget finds."""

    def violates(budget: Budget) -> bool:
        return any(contains(budget, cause) for cause in causes)

    found = minimal_fault_sets(
        most,
        "p",
        lambda budget: result(Outcome.VIOLATED if violates(budget) else Outcome.HOLDS),
    )
    violating = [budget for budget in budgets_below(most) if violates(budget)]
    least = [
        budget
        for budget in violating
        if not any(contains(budget, other) and other != budget for other in violating)
    ]
    assert [way.budget for way in found.minimal] == least
    assert len(found.searched) + len(found.skipped) == count_budgets(most)


def test_a_search_that_is_cut_leaves_a_budget_unknown() -> None:
    """It is neither a minimal set nor one that does not violate."""
    found = minimal_fault_sets({"crashes": 1}, "p", lambda _: result(Outcome.UNDECIDED))
    assert [way.budget for way in found.unknown] == [{"crashes": 0}, {"crashes": 1}]
    assert found.minimal == []


def test_two_faults_that_only_together_violate() -> None:
    """Each alone is searched to its end; the run of both is saved."""
    done = ways("session-expires-and-disk-fails", LOST)
    assert done.exit_code == 0, done.output
    found = "1. directory_failures 1, session_expiries 1: a shortest run has 48 states"
    assert found in done.stdout
    assert "minimal sets of faults: 1, budgets searched: 4" in done.stdout
    (saved,) = Path("counterexamples").iterdir()
    assert str(saved) in done.stdout


def test_searches_that_are_cut() -> None:
    """The answer says what is not known, and the code is 77."""
    done = ways("session-expires-and-disk-fails", LOST, "--limit-states", "10")
    assert done.exit_code == 77
    assert (
        "not known: directory_failures 1, session_expiries 1 (visited " in done.stdout
    )
    assert "incomplete: " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("leader-disk-fails",), 2, "Missing argument 'PROPERTY'"),
        (("leader-disk-fails", "nothing"), 151, "PROPERTY: there is no property"),
        (("leader-disk-fails", "leader_is_replaced"), 151, "is a witness"),
        (
            ("replication", "logs_are_within_bounds"),
            151,
            "allows no fault: the model has no budget",
        ),
    ],
)
def test_wrong_input(arguments: tuple[str, ...], code: int, message: str) -> None:
    """One message names what is wrong."""
    require_message(ways(*arguments), code, message)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("current_leader_has_acknowledged_records", "vacuously true: no state fulfils"),
        ("broker_has_one_log_per_partition", "no set of faults within these bounds"),
    ],
)
def test_nothing_found_says_why(name: str, told: str) -> None:
    """A property of records says nothing where there are none."""
    done = ways(CREATED, name, "--bounds", "brokers=2,records=0")
    assert (done.exit_code, told in done.stdout) == (0, True), done.stdout


def test_what_says_nothing_is_told_where_bounds_are_listed() -> None:
    """A model need not have a bound of a certain name, such as records."""
    scenario, claim = CREATED, "current_leader_has_acknowledged_records"
    done = ways(scenario, claim, "--bounds", "brokers=2,records=0")
    lists = f"of those that `replicheck show {scenario}` lists"
    assert f"raise a bound with --bounds, {lists}\n" in done.stdout


BUDGETS = """
from replicheck.modelling import Bounds, Model, State, budget

class Most(Bounds):
    crashes: int = budget(1)
    losses: int = budget(1)

class Servers(State):
    bounds: Most
    crashed: int = 0

model = Model("servers", Most)

@model.initial
def up(bounds: Most):
    return Servers(bounds)

@model.fault
def crash(s: Servers):
    if s.crashed < s.bounds.crashes:
        yield s.evolve(crashed=s.crashed + 1)

@model.always
def nobody_crashed(s: Servers):
    return not s.crashed
"""
"""A model in which a budget allows crashes, and another that no action reads."""


def test_a_budget_that_no_action_reads_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its fault is not known to be harmless: it does not happen in the model."""
    with imports_of(Path.cwd(), monkeypatch):
        Path("servers.py").write_text(BUDGETS)
        done = ways("servers.py", "nobody_crashed", "--bounds", "losses=2")
    assert "1. crashes 1: a shortest run has 2 states" in done.stdout, done.output
    assert "losses changes nothing: the searches that differ in it alone" in done.stdout
    assert "crashes changes nothing" not in done.stdout


def test_budgets_of_which_no_two_were_compared_are_not_named() -> None:
    """What violates without a fault needs one search, which tells nothing of faults."""
    found = minimal_fault_sets({"crashes": 1}, "p", lambda _: result(Outcome.VIOLATED))
    assert found.without_effect() == []
