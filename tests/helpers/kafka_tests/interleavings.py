"""All interleavings of a model of Kafka, and what scenarios expect of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from _pytest.mark.structures import ParameterSet

from agreement import known_states
from replicheck.explorer.engine import Engine, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report, Verdict
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.setup_steps import model_of
from replicheck.model.protocol import ProtocolModel
from shipped import CATALOGUE
from slow import by_states


def scenarios_of(model: str) -> list[ParameterSet]:
    """The names of all scenarios of a model, of which those of many states are slow."""
    names = [
        name
        for name, scenario in CATALOGUE.scenarios.items()
        if scenario.model == model
    ]
    return by_states(names, partial(known_states, CATALOGUE))


def check(scenario: Scenario, properties: Mapping[str, Property]) -> Report[Any]:
    """The fast engine's report on a scenario."""
    system = CATALOGUE.systems[scenario.model]
    model = model_of(scenario, system, Place(scenario.name))
    chosen = [properties[claim] for claim in scenario.properties]
    stop = {"decided": Stop.DECIDED}.get(scenario.stop, Stop.FIRST_VIOLATION)
    return BreadthFirst(threads=1).explore(model, chosen, Search(stop=stop))


def require_expected_report(name: str, properties: Mapping[str, Property]) -> None:
    """Fail unless verdict, counts and witnesses are those that a scenario expects."""
    scenario = CATALOGUE.scenarios[name]
    expect = scenario.expect
    assert expect is not None
    report = check(scenario, properties)
    assert report.verdict is Verdict[expect.verdict.upper()]
    violations = {
        violation.property: len(violation.trace.states)
        for violation in report.violations
    }
    assert violations == expect.violations
    if expect.verdict == "holds":
        assert (report.states, report.depth) == (expect.states, expect.depth)
        assert set(scenario.witnesses) == set(report.reached)
        dead = {n for n, count in report.actions.items() if not count.generated}
        assert dead == set(scenario.dead_actions)


def require_counts(
    engine: Engine,
    model: ProtocolModel,
    properties: Mapping[str, Property],
    counts: tuple[int, int, int],
) -> None:
    """Fail unless an engine finds that all holds, and these states, steps and depth."""
    search = Search(stop=Stop.DECIDED)
    report = engine.explore(model, list(properties.values()), search)
    assert report.verdict is Verdict.HOLDS
    assert (report.states, report.generated, report.depth) == counts


def require_actions_by_budget(
    model: ProtocolModel, with_crashes: ProtocolModel, faults: set[str]
) -> None:
    """Fail unless a fault is an action if and only if its bound allows for it."""
    assert not {action.__name__ for action in model.actions} & {"crash", *faults}
    assert "crash" in {action.__name__ for action in with_crashes.actions}
