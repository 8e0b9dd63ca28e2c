"""``replicheck show``: a scenario, or what else the catalogue has under a name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import click

from replicheck.cli.commands.option_groups import bounds_option
from replicheck.cli.commands.own_model import load_own_model
from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.grouped_options import GroupedCommand, option_group
from replicheck.cli.console.output import (
    STANDARD_OUTPUT,
    require_writable_reports,
    reserve_if_asked,
    write_output,
)
from replicheck.cli.pages.dependency_matrix import (
    json_of,
    learn_dependencies,
    picture_of,
    text_of,
)
from replicheck.cli.reports.text.catalogue_text import scenario_lines
from replicheck.cli.reports.text.name_text import known_names, name_lines
from replicheck.cli.reports.text.terminal import print_indented, standard_output
from replicheck.cli.tasks.engines import DEFAULT_ENGINE
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.own.references import (
    is_reference,
    relative_reference,
)
from replicheck.traces.printable_text import printable


class DependencyOptions(NamedTuple):
    """Options of the table of dependencies; None is not given."""

    protocol: str | None
    bounds: Mapping[str, object] | None
    limit_states: int | None
    json_path: str | None
    output: str | None


dependency_options = option_group(
    "options",
    DependencyOptions,
    (
        click.option(
            "--protocol", metavar="NAME", help="With --dependencies: of this one."
        ),
        bounds_option("With --dependencies: change some of the bounds."),
        click.option(
            "--limit-states",
            type=click.IntRange(min=1),
            help="With --dependencies: end with the level that reaches this number of"
            " states.",
        ),
        click.option(
            "--json",
            "json_path",
            metavar="FILE",
            callback=reserve_if_asked,
            help="With --dependencies: write JSON; - is stdout, then without the text.",
        ),
        click.option(
            "--output", metavar="FILE.svg", help="With --dependencies: draw a picture."
        ),
    ),
)


@click.command(cls=GroupedCommand)
@click.argument("name", metavar="SCENARIO|NAME")
@click.option(
    "--dependencies",
    "wants_dependencies",
    is_flag=True,
    help="Show what each action reads and writes, as a search learns it.",
)
@dependency_options
@click.pass_obj
def show(
    catalogue: Catalogue,
    /,
    name: str,
    wants_dependencies: bool,
    options: DependencyOptions,
) -> None:
    """Show a scenario: its bounds, protocols, actions, reductions and properties.

    Or a property, an action, a reduction, a rule such as C-LIR-1, or a bug such as
    KAFKA-9087: what it says, and where it is. Or the properties of a number such as
    INV-8, or the scenarios of a source, such as s2 for "KIP-112 scenario 2".
    """
    if is_reference(name):
        load_own_model(catalogue, name)
        name = relative_reference(name)
    found = [] if name in catalogue.scenarios else name_lines(catalogue, name)
    if found and not wants_dependencies:
        print_indented(standard_output(), found)
        return
    if found:
        raise BadInput(
            f"--dependencies is of a scenario, and {name} is none: `replicheck show"
            f" {name}` tells what it is"
        )
    if name not in catalogue.scenarios:
        raise BadInput(_other_meaning(catalogue, name))
    if wants_dependencies:
        _show_dependencies(catalogue, name, options)
        return
    if any(given is not None for given in options):
        raise click.UsageError("these options need --dependencies")
    print_indented(standard_output(), scenario_lines(catalogue, name))


def _other_meaning(catalogue: Catalogue, name: str) -> str:
    """Meaning of a name that is no scenario's, or the scenarios that are near."""
    if name in catalogue.suites:
        count = len(catalogue.suites[name].scenarios)
        return f"{name} is a suite of {count} searches: `replicheck list` has scenarios"
    if name in catalogue.systems:
        scenarios = catalogue.scenarios.values()
        known = [item.name for item in scenarios if item.model == name]
        return f"{name} is a model: its scenarios are {', '.join(known)}"
    if name in catalogue.mutants:
        return f"{name} is a mutant: `replicheck check {name}` tells its run"
    shown = {
        scenario.model: f"`replicheck show {scenario.name}`"
        for scenario in catalogue.scenarios.values()
        if name in catalogue.systems[scenario.model].protocols_by_name
    }
    if shown:
        return f"{name} is a protocol: {' or '.join(shown.values())} lists its actions"
    kinds = "scenario, property, action, reduction, rule or bug"
    return str(Place("show").unknown(kinds, name, known_names(catalogue)))


def _show_dependencies(
    catalogue: Catalogue, name: str, options: DependencyOptions
) -> None:
    json_path, output = options.json_path, options.output
    files = {"json": json_path, "output": output}
    require_writable_reports(
        {form: path for form, path in files.items() if path is not None}
    )
    if output is not None and Path(output).suffix != ".svg":
        raise click.UsageError(f"--output: {output} does not end in .svg")
    overrides = Overrides(
        DEFAULT_ENGINE, protocol=options.protocol, bounds=options.bounds
    )
    try:
        (task,) = tasks(catalogue, (name,), overrides)
    except ScenarioError as error:
        raise BadInput(str(error)) from error
    report = learn_dependencies(task, options.limit_states)
    if json_path != STANDARD_OUTPUT:
        click.echo(printable(text_of(task.title, report)), nl=False)
    if json_path is not None:
        write_output(json_path, json_of(task, report), "--json")
    if output is not None:
        write_output(output, picture_of(task.title, report), "--output")
