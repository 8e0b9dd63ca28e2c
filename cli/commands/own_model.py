"""The option ``--model``, with which a user names the code of a model to be run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from replicheck.cli.console.errors import BadInput
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError


def own_model(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command that reads what was saved the option ``--model``."""
    option = click.option(
        "--model",
        metavar="FILE.py",
        multiple=True,
        expose_value=False,
        is_eager=True,
        callback=_load,
        help="Run this file, which has a model of your own.",
    )
    return option(command)


def _load(
    context: click.Context, parameter: click.Parameter, references: tuple[str, ...]
) -> None:
    catalogue = context.find_object(Catalogue)
    assert catalogue is not None, "the group of all commands has one"
    for reference in references:
        load_own_model(catalogue, reference)


def load_own_model(catalogue: Catalogue, reference: str) -> None:
    """Run the code of a model of a user's own, and add it to the catalogue.

    Raises:
        BadInput: if there is none, or it cannot be explored as it is written.
    """
    try:
        catalogue.load(reference)
    except ScenarioError as error:
        raise BadInput(str(error)) from error
