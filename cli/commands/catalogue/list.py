"""``replicheck list``: what there is to check."""

from __future__ import annotations

import click

from replicheck.cli.commands.own_model import load_own_model
from replicheck.cli.console.errors import BadInput
from replicheck.cli.reports.text.catalogue_text import (
    IN_SHORT,
    ROW,
    ListFilter,
    ListKind,
    catalogue_lines,
    model_lines,
)
from replicheck.cli.reports.text.terminal import print_indented, standard_output
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.invariants.catalogue.own.references import (
    is_reference,
    relative_reference,
)


@click.command("list")
@click.argument("models", nargs=-1, metavar="[MODEL|FILE.py]...")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice([kind.value for kind in ListKind]),
    multiple=True,
    help="List this kind, and no other but those given in the same way. By default"
    " suites, scenarios, protocols and engines; of models of your own everything.",
)
@click.option(
    "--match",
    "text",
    default="",
    metavar="TEXT",
    help="List only what has this text in its name or summary, such as KIP-112.",
)
@click.pass_obj
def list_catalogue(
    catalogue: Catalogue,
    /,
    models: tuple[str, ...],
    kinds: tuple[str, ...],
    text: str,
) -> None:
    """List suites, scenarios, protocols and engines, by model, or what --kind names.

    With models, list those alone. What installed packages offer by the
    entry points replicheck.models is listed with what is shipped.
    """
    for reference in models:
        if is_reference(reference):
            load_own_model(catalogue, reference)
        elif reference not in catalogue.systems:
            raise BadInput(
                f"{reference} is no model: expected FILE.py, or one of"
                f" {', '.join(catalogue.systems)}"
            )
    by_default = frozenset(ListKind) if models or text else IN_SHORT
    chosen = ListFilter(frozenset(map(ListKind, kinds)) or by_default, text)
    names = tuple(
        relative_reference(model) if is_reference(model) else model for model in models
    )
    try:
        lines = [
            *(
                model_lines(catalogue, names, chosen)
                if names
                else catalogue_lines(catalogue, chosen)
            )
        ]
    except ScenarioError as error:
        raise BadInput(str(error)) from error
    if text and not any(line.startswith(ROW) for line in lines):
        click.echo(f'nothing has "{text}" in its name or summary', err=True)
    print_indented(standard_output(), lines)
