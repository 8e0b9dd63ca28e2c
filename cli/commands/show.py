"""``replicheck list`` and ``replicheck show``: what there is to check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.options import (
    STANDARD_OUTPUT,
    bounds,
    require_writable_file,
)
from replicheck.cli.pages.dependency_matrix import json_of, learned, picture_of, text_of
from replicheck.cli.tasks.engines import DEFAULT_ENGINE, ENGINES
from replicheck.cli.tasks.task import Choices, tasks
from replicheck.invariants.catalogue.catalogue import DEFAULT_SUITE, Catalogue
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System, sentence
from replicheck.traces.atomic import write_atomically


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
        mutations = [
            (each.name, sentence(each.changes[0])) for each in system.mutations
        ]
        _section(f"Mutations of {system.name}", mutations)
        _section(f"Merges of {system.name}", _merges(system))
        _sections_of_properties(system)
    _section("Engines", ((name, each.summary) for name, each in ENGINES.items()))
    click.echo(f"\nDefault suite: {DEFAULT_SUITE}. Default engine: {DEFAULT_ENGINE}.")


@click.command()
@click.argument("name", metavar="SCENARIO")
@click.option(
    "--dependencies",
    "wants_dependencies",
    is_flag=True,
    help="Show what each action reads and writes, as a search learns it.",
)
@click.option("--protocol", metavar="NAME", help="With --dependencies: of this one.")
@click.option(
    "--bounds",
    type=bounds,
    metavar="KEY=VALUE,...",
    help="With --dependencies: change some of the bounds.",
)
@click.option(
    "--limit-states",
    type=click.IntRange(min=1),
    help="With --dependencies: end with the level that reaches this number of states.",
)
@click.option(
    "--json",
    "json_path",
    metavar="FILE",
    help="With --dependencies: write JSON; - is stdout, then without the text.",
)
@click.option(
    "--output", metavar="FILE.svg", help="With --dependencies: draw a picture."
)
@click.pass_obj
def show(
    catalogue: Catalogue, /, name: str, wants_dependencies: bool, **options: Any
) -> None:
    """Show the bounds, protocols, actions, merges and properties of a scenario."""
    if name not in catalogue.scenarios:
        raise BadInput(_what_it_is_instead(catalogue, name))
    if wants_dependencies:
        _show_dependencies(catalogue, name, **options)
        return
    if any(given is not None for given in options.values()):
        raise click.UsageError("these options need --dependencies")
    _show_scenario(catalogue, name)


def _what_it_is_instead(catalogue: Catalogue, name: str) -> str:
    """Return what a name means that is no scenario's, or which scenarios are near."""
    if name in catalogue.suites:
        count = len(catalogue.suites[name].scenarios)
        return f"{name} is a suite of {count} searches: `replicheck list` has scenarios"
    if name in catalogue.mutants:
        return f"{name} is a mutant: `replicheck check {name}` tells its run"
    shown = {
        scenario.model: f"`replicheck show {scenario.name}`"
        for scenario in catalogue.scenarios.values()
        if name in catalogue.systems[scenario.model].protocols_by_name
    }
    if shown:
        return f"{name} is a protocol: {' or '.join(shown.values())} lists its actions"
    return str(Place("show").unknown("scenario", name, catalogue.scenarios))


def _show_dependencies(
    catalogue: Catalogue,
    name: str,
    *,
    protocol: str | None,
    bounds: Mapping[str, object] | None,
    limit_states: int | None,
    json_path: str | None,
    output: str | None,
) -> None:
    for path, option in ((json_path, "--json"), (output, "--output")):
        if path is not None:
            require_writable_file(path, option)
    if output is not None and Path(output).suffix != ".svg":
        raise click.UsageError(f"--output: {output} does not end in .svg")
    choices = Choices(DEFAULT_ENGINE, protocol=protocol, bounds=bounds)
    try:
        (task,) = tasks(catalogue, (name,), choices)
    except ScenarioError as error:
        raise BadInput(str(error)) from error
    report = learned(task, limit_states)
    if json_path != STANDARD_OUTPUT:
        click.echo(text_of(task.title, report), nl=False)
    if json_path is not None:
        _write(json_path, json_of(task, report))
    if output is not None:
        _write(output, picture_of(task.title, report))


def _write(path: str, text: str) -> None:
    if path == STANDARD_OUTPUT:
        click.echo(text, nl=False)
        return
    try:
        write_atomically(Path(path), text)
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error}") from error


def _show_scenario(catalogue: Catalogue, name: str) -> None:
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
    _section("Merges" + _on(scenario), _merges(system))
    _sections_of_properties(system)
    _section("Expected", _expectation(scenario))


def _described(
    actions: Iterable[Callable[..., Any]], known: Iterable[Callable[..., Any]]
) -> Iterator[tuple[str, str]]:
    """Yield name and sentence of each action; those known already are marked."""
    for each in actions:
        mark = "= " if each in known else "  "
        yield f"{mark}{each.__name__}", sentence(each)


def _on(scenario: Scenario) -> str:
    """Return which merges are on in a scenario."""
    return f", on are: {', '.join(scenario.merges)}" if scenario.merges else ", all off"


def _merges(system: System) -> Iterator[tuple[str, str]]:
    """Yield each merge with what it takes together, and why no property can tell."""
    for each in system.merges:
        yield each.name, f"{each.summary} {each.reason}"


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
