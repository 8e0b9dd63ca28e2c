"""``replicheck list`` and ``replicheck show``: what there is to check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click

from replicheck.cli.engines import DEFAULT_ENGINE, ENGINES
from replicheck.cli.errors import BadInput
from replicheck.invariants.catalogue import DEFAULT_SUITE, Catalogue
from replicheck.invariants.errors import Place
from replicheck.invariants.scenario import Scenario
from replicheck.invariants.systems import System, sentence


@click.command("list")
@click.pass_obj
def list_everything(catalogue: Catalogue, /) -> None:
    """List suites, scenarios, protocols, properties and engines."""
    _section(
        "Suites", ((each.name, each.summary) for each in catalogue.suites.values())
    )
    scenarios = catalogue.scenarios.values()
    _section("Scenarios", ((each.name, each.summary) for each in scenarios))
    for system in catalogue.systems.values():
        protocols = [(each.name, "") for each in system.protocols]
        _section(f"Protocols of {system.name}", protocols)
        _sections_of_properties(system)
    _section("Engines", ((name, each.summary) for name, each in ENGINES.items()))
    click.echo(f"\nDefault suite: {DEFAULT_SUITE}. Default engine: {DEFAULT_ENGINE}.")


@click.command()
@click.argument("name", metavar="SCENARIO")
@click.pass_obj
def show(catalogue: Catalogue, /, name: str) -> None:
    """Show the bounds, protocols, actions and properties of a scenario."""
    if name not in catalogue.scenarios:
        known = catalogue.scenarios
        error = Place("show").unknown("scenario", name, known)
        raise BadInput(str(error))
    scenario = catalogue.scenarios[name]
    system = catalogue.systems[scenario.model]
    click.echo(f"{scenario.name}: {scenario.summary}")
    _section("Bounds", ((key, str(value)) for key, value in scenario.bounds.items()))
    for number, protocol in enumerate(system.protocols):
        default = ", the default" if protocol.name == scenario.protocol else ""
        legend = ", = as in the protocol above" if number else ""
        before = system.protocols[number - 1].actions if number else ()
        _section(
            f"Protocol {protocol.name}{default}{legend}",
            _described(protocol.actions, known=before),
        )
    _sections_of_properties(system)
    _section("Expected", _expectation(scenario))


def _described(
    actions: Iterable[Callable[..., Any]], known: Iterable[Callable[..., Any]]
) -> Iterator[tuple[str, str]]:
    """Yield name and sentence of each action; those known already are marked."""
    for each in actions:
        mark = "= " if each in known else "  "
        yield f"{mark}{each.__name__}", sentence(each)


def _sections_of_properties(system: System) -> None:
    for title, predicates in (
        ("Invariants", system.invariants),
        ("Step properties", system.steps),
        ("Witnesses", system.witnesses),
    ):
        rows = [(each.__name__, sentence(each)) for each in predicates]
        _section(f"{title} of {system.name}", rows)


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


def _section(title: str, rows: Iterable[tuple[str, str]]) -> None:
    listed = list(rows)
    if not listed:
        return
    width = max(len(name) for name, _ in listed)
    click.echo(f"\n{title}:")
    for name, text in listed:
        click.echo(f"  {name:{width}}  {text}".rstrip())
