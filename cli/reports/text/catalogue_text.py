"""Suites, scenarios and properties as text, in sections of two columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from replicheck.cli.tasks.engines import DEFAULT_ENGINE, ENGINES
from replicheck.invariants.catalogue.catalogue import DEFAULT_SUITE, Catalogue
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System, summary_line


def catalogue_lines(catalogue: Catalogue) -> Iterator[str]:
    """Yield suites, scenarios, protocols, properties and engines, line by line."""
    suites, scenarios = catalogue.suites.values(), catalogue.scenarios.values()
    yield from _section("Suites", ((suite.name, suite.summary) for suite in suites))
    yield from _section(
        "Scenarios", ((scenario.name, scenario.summary) for scenario in scenarios)
    )
    for system in catalogue.systems.values():
        yield from _sections_of_system(system)
    yield from _section(
        "Engines", ((name, engine.summary) for name, engine in ENGINES.items())
    )
    yield f"\nDefault suite: {DEFAULT_SUITE}. Default engine: {DEFAULT_ENGINE}."


def model_lines(catalogue: Catalogue, names: Iterable[str]) -> Iterator[str]:
    """Yield scenarios, protocols and properties of some models, line by line."""
    scenarios = [catalogue.scenarios[name] for name in names]
    rows = ((scenario.name, scenario.summary) for scenario in scenarios)
    yield from _section("Scenarios", rows)
    for scenario in scenarios:
        yield from _sections_of_system(catalogue.systems[scenario.model])


def _sections_of_system(system: System) -> Iterator[str]:
    protocols = [(protocol.name, "") for protocol in system.protocols]
    yield from _section(f"Protocols of {system.name}", protocols)
    mutations = [
        (mutation.name, summary_line(mutation.changes[0]))
        for mutation in system.mutations
    ]
    yield from _section(f"Mutations of {system.name}", mutations)
    yield from _section(f"Merges of {system.name}", _merges(system))
    yield from _sections_of_properties(system)


def scenario_lines(catalogue: Catalogue, name: str) -> Iterator[str]:
    """Yield bounds, protocols, actions, merges and properties of a scenario."""
    scenario = catalogue.scenarios[name]
    system = catalogue.systems[scenario.model]
    yield f"{scenario.name}: {scenario.summary}"
    bounds = scenario.bounds.items()
    yield from _section("Bounds", ((key, str(value)) for key, value in bounds))
    for number, protocol in enumerate(system.protocols):
        default = ", the default" if protocol.name == scenario.protocol else ""
        legend = ", = as in the protocol above" if number else ""
        before = system.protocols[number - 1].actions if number else ()
        yield from _section(
            f"Protocol {protocol.name}{default}{legend}",
            _actions(protocol.actions, known=before),
        )
    yield from _section("Merges" + _enabled_merges(scenario), _merges(system))
    yield from _sections_of_properties(system)
    yield from _section("Expected", _expectation(scenario))


def _actions(
    actions: Iterable[Callable[..., Any]], known: Iterable[Callable[..., Any]]
) -> Iterator[tuple[str, str]]:
    """Yield name and summary of each action; those known already are marked."""
    for action in actions:
        mark = "= " if action in known else "  "
        yield f"{mark}{action.__name__}", summary_line(action)


def _enabled_merges(scenario: Scenario) -> str:
    """Which merges a scenario has on."""
    return f", on are: {', '.join(scenario.merges)}" if scenario.merges else ", all off"


def _merges(system: System) -> Iterator[tuple[str, str]]:
    """Yield each merge with what it takes together, and why no property can tell."""
    for merge in system.merges:
        yield merge.name, f"{merge.summary} {merge.reason}"


def _sections_of_properties(system: System) -> Iterator[str]:
    for title, predicates in (
        ("Invariants", system.invariants),
        ("Step properties", system.steps),
        ("Witnesses", system.witnesses),
    ):
        rows = [
            (predicate.__name__, summary_line(predicate)) for predicate in predicates
        ]
        yield from _section(f"{title} of {system.name}", rows)


def _expectation(scenario: Scenario) -> Iterator[tuple[str, str]]:
    expect = scenario.expect
    if expect is None:
        return
    yield "verdict", expect.verdict
    for name, length in expect.violations.items():
        yield name, f"violated after {length} states"
    for key, number in (("states", expect.states), ("depth", expect.depth)):
        if number is not None:
            yield key, f"{number:,}"


def _section(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    listed = list(rows)
    if not listed:
        return
    width = max(len(name) for name, _ in listed)
    yield f"\n{title}:"
    for name, text in listed:
        yield f"  {name:{width}}  {text}".rstrip()
