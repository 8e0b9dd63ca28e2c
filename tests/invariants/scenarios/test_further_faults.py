"""The suite of further faults is whole, and the page says what is in it."""

from __future__ import annotations

import re

import pytest

import further_faults
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.invariants.catalogue.scenario import Scenario
from shipped import CATALOGUE

ENTRIES = CATALOGUE.suites["further-faults"].scenarios
FEW_STATES = 1_000
"""How many states an entry has that is searched in every run of the tests."""


def is_small(scenario: Scenario) -> bool:
    """Tell whether an entry is known to have few states."""
    expect = scenario.expect
    return bool(expect and expect.states and expect.states <= FEW_STATES)


def test_every_scenario_has_an_entry_for_every_kind_of_fault() -> None:
    """Unless such a fault cannot happen there."""
    wanted = {
        (name, kind)
        for name in further_faults.scenarios(CATALOGUE)
        for kind in further_faults.KINDS
        if further_faults.can_happen(CATALOGUE.scenarios[name], kind)
    }
    assert set(further_faults.known()) == wanted


def test_the_page_has_the_tables_of_the_suite() -> None:
    """`python bench/further_faults.py --table` writes them anew."""
    table = further_faults.table(CATALOGUE, further_faults.known())
    assert table in further_faults.PAGE.read_text("utf-8")


def test_the_page_has_a_cause_for_whatever_is_violated() -> None:
    """Each cell with each property that it violates is in one row, and nothing else."""
    page = further_faults.PAGE.read_text("utf-8")
    rows = re.findall(r"^\| [^|]+ \| `(\w+)` \| `(\w+)` \| ([^|]+) \|$", page, re.M)
    explained = [
        (name, kind, violated)
        for violated, kind, names in rows
        for name in names.split(", ")
    ]
    found = [
        (name, kind, violated)
        for (name, kind), entry in further_faults.known().items()
        for violated in entry["expect"].get("violations", {})
    ]
    assert sorted(explained) == sorted(found)


@pytest.mark.parametrize(
    "number", [n for n, entry in enumerate(ENTRIES, start=1) if is_small(entry)]
)
def test_a_small_entry_is_as_expected(number: int) -> None:
    """The others are searched each night."""
    choices = Overrides("breadth-first", entries=(number,))
    (task,) = tasks(CATALOGUE, ["further-faults"], choices)
    search = task.search(lambda progress: None)
    report = BreadthFirst(threads=1).explore(task.model, task.properties, search)
    expect = ENTRIES[number - 1].expect
    assert expect is not None
    assert (report.states, report.depth) == (expect.states, expect.depth)
