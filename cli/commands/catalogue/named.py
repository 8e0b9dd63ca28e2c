"""Entries of a list that are named on the command line."""

from __future__ import annotations

from collections.abc import Iterable

import click

from replicheck.cli.console.errors import BadInput
from replicheck.cli.reports.text.terminal import print_indented, standard_output
from replicheck.invariants.catalogue.errors import Place


def require_no_form(as_json: bool, markdown: bool) -> None:
    """Refuse a form of the whole list where only some of it is asked for.

    Raises:
        click.UsageError: if one is given.
    """
    if as_json or markdown:
        raise click.UsageError("a page or JSON is of the whole list: give no NAME")


def print_found(
    lines: Iterable[str], kind: str, name: str, known: Iterable[str]
) -> None:
    """Print the lines on an entry.

    Raises:
        BadInput: if there are none, with the nearest of the known names.
    """
    found = list(lines)
    if not found:
        raise BadInput(str(Place(f"{kind}s").unknown(kind, name, known)))
    print_indented(standard_output(), found)
