"""``replicheck list``: what there is to check."""

from __future__ import annotations

import click

from replicheck.cli.reports.text.catalogue_text import catalogue_lines
from replicheck.invariants.catalogue.catalogue import Catalogue


@click.command("list")
@click.pass_obj
def list_everything(catalogue: Catalogue, /) -> None:
    """List suites, scenarios, protocols, properties and engines."""
    for line in catalogue_lines(catalogue):
        click.echo(line)
