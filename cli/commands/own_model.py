"""Options with which a user names the code that a saved run needs, and that is run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from replicheck.cli.console.errors import BadInput
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.invariants.catalogue.own.references import is_reference


def own_model(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command that reads what was saved ``--model`` and ``--invariant``."""
    model = _code_option(
        "--model",
        "FILE.py",
        _load,
        "Run this file, which has a model of your own.",
    )
    claims = _code_option(
        "--invariant",
        "FILE.py:NAME",
        _keep_claims,
        "Run this file, which has the property of your own that was judged.",
    )
    decorated: Callable[..., Any] = model(claims(command))
    return decorated


def _code_option(
    name: str, metavar: str, take: Callable[..., None], purpose: str
) -> Callable[..., Any]:
    """Option that can be given several times, and is taken before any argument."""
    return click.option(
        name,
        metavar=metavar,
        multiple=True,
        expose_value=False,
        is_eager=True,
        callback=take,
        help=purpose,
    )


def _keep_claims(
    context: click.Context, parameter: click.Parameter, references: tuple[str, ...]
) -> None:
    for reference in references:
        if not is_reference(reference):
            raise BadInput(
                f"--invariant: {reference} names no file: expected FILE.py:NAME"
            )
    _catalogue_of(context).claims.extend(references)


def _catalogue_of(context: click.Context) -> Catalogue:
    catalogue = context.find_object(Catalogue)
    assert catalogue is not None, "the group of all commands has one"
    return catalogue


def _load(
    context: click.Context, parameter: click.Parameter, references: tuple[str, ...]
) -> None:
    catalogue = _catalogue_of(context)
    for reference in references:
        if not is_reference(reference):
            raise BadInput(f"--model: {reference} names no file: expected FILE.py")
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
