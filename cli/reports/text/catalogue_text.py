"""Suites, scenarios and properties as text, in sections of two columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any

from attrs import frozen

from replicheck.cli.tasks.engines import DEFAULT_ENGINE, ENGINES
from replicheck.invariants.catalogue.catalogue import DEFAULT_SUITE, Catalogue
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import Predicate, System, summary_line


class ListKind(Enum):
    """What can be listed."""

    SUITES = "suites"
    SCENARIOS = "scenarios"
    PROTOCOLS = "protocols"
    MUTATIONS = "mutations"
    REDUCTIONS = "reductions"
    PROPERTIES = "properties"
    ENGINES = "engines"


IN_SHORT = frozenset(
    {ListKind.SUITES, ListKind.SCENARIOS, ListKind.PROTOCOLS, ListKind.ENGINES}
)
"""What is listed unless the user says otherwise."""

Rows = list[tuple[str, str]]


@frozen
class ListFilter:
    """What is listed: rows of some kinds that have a text, in name or summary."""

    kinds: frozenset[ListKind] = frozenset(ListKind)
    text: str = ""

    def rows(self, kind: ListKind, rows: Iterable[tuple[str, str]]) -> Rows:
        """Rows of a kind that are listed."""
        if kind not in self.kinds:
            return []
        text = self.text.lower()
        return [row for row in rows if text in " ".join(row).lower()]


def catalogue_lines(catalogue: Catalogue, chosen: ListFilter) -> Iterator[str]:
    """Yield suites, scenarios by model, what belongs to each model, and engines."""
    suites = [(suite.name, suite.summary) for suite in catalogue.suites.values()]
    yield from _section("Suites", chosen.rows(ListKind.SUITES, suites))
    for system in catalogue.systems.values():
        yield from _sections_of_system(catalogue, system, chosen)
    engines = [(name, engine.summary) for name, engine in ENGINES.items()]
    yield from _section("Engines", chosen.rows(ListKind.ENGINES, engines))
    yield f"\nDefault suite: {DEFAULT_SUITE}. Default engine: {DEFAULT_ENGINE}."
    left_out = [kind.value for kind in ListKind if kind not in chosen.kinds]
    if left_out:
        yield f"Not listed: {', '.join(left_out)} (`replicheck list --kind KIND`)."


def model_lines(
    catalogue: Catalogue, names: Iterable[str], chosen: ListFilter
) -> Iterator[str]:
    """Yield scenarios, protocols and properties of some models, line by line."""
    for name in names:
        system = catalogue.systems[name]
        yield from _sections_of_system(catalogue, system, chosen)


def _sections_of_system(
    catalogue: Catalogue, system: System, chosen: ListFilter
) -> Iterator[str]:
    """Yield the sections of a model, each with the rows that are chosen."""
    scenarios = [
        (scenario.name, scenario.summary)
        for scenario in catalogue.scenarios.values()
        if scenario.model == system.name
    ]
    mutations = [
        (mutation.name, summary_line(mutation.changes[0]))
        for mutation in system.mutations
    ]
    protocols = [(protocol.name, "") for protocol in system.protocols]
    sections: list[tuple[str, ListKind, Iterable[tuple[str, str]]]] = [
        ("Scenarios", ListKind.SCENARIOS, scenarios),
        ("Protocols", ListKind.PROTOCOLS, protocols),
        ("Mutations", ListKind.MUTATIONS, mutations),
        ("Reductions", ListKind.REDUCTIONS, _reductions(system)),
        *(
            (title, ListKind.PROPERTIES, _summaries(predicates))
            for title, predicates in _predicates(system)
        ),
    ]
    for title, kind, rows in sections:
        yield from _section(f"{title} of {system.name}", chosen.rows(kind, rows))


def scenario_lines(catalogue: Catalogue, name: str) -> Iterator[str]:
    """Yield bounds, protocols, actions, reductions and properties of a scenario."""
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
    yield from _section(
        "Reductions" + _enabled_reductions(scenario), _reductions(system)
    )
    for title, predicates in _predicates(system):
        yield from _section(f"{title} of {system.name}", _summaries(predicates))
    yield from _section("Expected", _expectation(scenario))


def _actions(
    actions: Iterable[Callable[..., Any]], known: Iterable[Callable[..., Any]]
) -> Iterator[tuple[str, str]]:
    """Yield name and summary of each action; those known already are marked."""
    for action in actions:
        mark = "= " if action in known else "  "
        yield f"{mark}{action.__name__}", summary_line(action)


def _enabled_reductions(scenario: Scenario) -> str:
    """Which reductions a scenario has on."""
    return (
        f", on are: {', '.join(scenario.reductions)}"
        if scenario.reductions
        else ", all off"
    )


def _reductions(system: System) -> Iterator[tuple[str, str]]:
    """Yield each reduction with what it does, and why no property can tell."""
    for reduction in system.reductions:
        yield reduction.name, f"{reduction.summary} {reduction.reason}"


def _predicates(system: System) -> Iterator[tuple[str, Iterable[Predicate]]]:
    """Yield the properties of a model by what they are about."""
    yield "Invariants", system.invariants
    yield "Step properties", system.steps
    yield "Witnesses", system.witnesses


def _summaries(predicates: Iterable[Predicate]) -> Rows:
    return [(predicate.__name__, summary_line(predicate)) for predicate in predicates]


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
