"""KRaft: a written-out run of each scenario of the reference, in searched bounds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kafka_tests.kraft_later_reference_runs import RUNS
from kafka_tests.kraft_reference_runs import ReferenceRun
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.model.kraft.bounds import KraftBounds
from replicheck.model.kraft.protocols import PROTOCOLS, kraft_model
from replicheck.model.kraft.state import KraftCluster
from shipped import CATALOGUE

PAGE = Path(__file__).parents[3] / "docs" / "kraft-coverage.md"
PROTOCOL = {protocol.name: protocol for protocol in PROTOCOLS}


def end_of(run: ReferenceRun) -> KraftCluster:
    """The last state of a run."""
    scenario = CATALOGUE.scenarios[run.scenario]
    assert isinstance(scenario.protocol, str)
    bounds = KraftBounds(**{**scenario.bounds, **run.bounds})
    model = kraft_model(PROTOCOL[scenario.protocol], bounds)
    steps = run.steps.strip().split("\n")
    state: KraftCluster = (
        Stepper(model).take([step.strip() for step in steps]).steps[-1].state
    )
    return state


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.number}-{run.scenario}")
def test_a_run_ends_as_the_reference_says(run: ReferenceRun) -> None:
    """Where the reference is wrong, the page says so."""
    assert run.ends(end_of(run))


def test_every_scenario_of_the_reference_has_a_run() -> None:
    """There are 26."""
    assert {run.number for run in RUNS} == set(range(1, 27))


def test_the_page_names_the_scenarios_of_each_run() -> None:
    """Its table has the number, and the file that is searched."""
    rows = re.findall(r"^\| (\d+) [^|]*\| ([^|]+) \|", PAGE.read_text("utf-8"), re.M)
    named = {int(number): files for number, files in rows}
    assert all(f"`{run.scenario}`" in named[run.number] for run in RUNS)
