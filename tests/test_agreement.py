"""The naive engine and the fast one agree on every scenario that both can finish."""

from __future__ import annotations

import os
from typing import Any

import pytest

from replicheck.cli.tasks import Choices, Task, tasks
from replicheck.explorer.breadth_first import BreadthFirst
from replicheck.explorer.engine import Limits, Search
from replicheck.explorer.naive import Naive
from replicheck.explorer.report import Report
from replicheck.invariants.catalogue import Catalogue

CATALOGUE = Catalogue.shipped()
IS_NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
FEW_STATES = 2_100
"""How many states a scenario has that is compared in every run of the tests."""
MANY_STATES = 100_000
"""With more states that are known of, a scenario is compared in no run."""
PATIENCE = 60.0
"""Seconds after which the naive engine gives a scenario up, each night."""


def task_of(name: str) -> Task:
    """Return the search of a scenario."""
    (task,) = tasks(CATALOGUE, [name], Choices("naive"))
    return task


def states_of(name: str) -> int | None:
    """Return how many states a scenario is known to have."""
    expect = CATALOGUE.scenarios[name].expect
    return expect.states if expect else None


def is_small(name: str) -> bool:
    """Tell whether a scenario is known to have few states."""
    return (states_of(name) or MANY_STATES) <= FEW_STATES


def is_compared(name: str) -> bool:
    """Tell whether this run of the tests compares a scenario."""
    return (states_of(name) or 0) <= MANY_STATES if IS_NIGHTLY else is_small(name)


NAMES = [name for name in CATALOGUE.scenarios if is_compared(name)]


def essence(report: Report[Any]) -> dict[str, Any]:
    """Return everything in which two engines must agree."""
    return {
        "verdict": report.verdict,
        "levels": report.levels,
        "actions": dict(report.actions),
        "violated": {e.property: len(e.trace.states) for e in report.violations},
        "outcomes": dict(report.outcomes),
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_naive_engine_and_the_fast_one_agree(name: str) -> None:
    """On states of each depth, generated states of each action, and verdict."""
    task = task_of(name)
    search = task.search(lambda progress: None)
    limited = Search(Limits(seconds=PATIENCE), search.stop)
    naive = Naive().explore(task.model, task.properties, limited)
    if naive.cut is not None:
        pytest.skip(f"the naive engine does not finish {name} in {PATIENCE:.0f} s")
    fast = BreadthFirst(threads=1).explore(task.model, task.properties, search)
    assert essence(naive) == essence(fast)


def test_some_scenarios_are_small() -> None:
    """So that every run of the tests compares some of each family."""
    assert len([name for name in CATALOGUE.scenarios if is_small(name)]) >= 4
