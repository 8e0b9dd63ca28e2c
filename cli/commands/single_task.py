"""The one scenario that a command is about, and what its search has to end with."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import click

from replicheck.cli.console.errors import BadInput, BrokenContract
from replicheck.cli.results.result import Result
from replicheck.cli.tasks.engines import DEFAULT_ENGINE
from replicheck.cli.tasks.overrides import Overrides
from replicheck.cli.tasks.task import Task, tasks
from replicheck.explorer.report import Verdict
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError

Parameters = Mapping[str, str]

NO_PARAMETERS: Parameters = {}


def single_task(
    catalogue: Catalogue,
    name: str,
    overrides: Overrides,
    parameters: Parameters = NO_PARAMETERS,
) -> Task:
    """The one scenario of a name, with what is changed of it.

    Args:
        parameters: option of `check` to what the command calls it, for the messages.

    Raises:
        BadInput: if there is none, or a change is impossible.
        click.UsageError: if there are several.
    """
    try:
        found, *others = tasks(catalogue, (name,), overrides)
    except ScenarioError as error:
        _require_single(catalogue, name)
        raise BadInput(_renamed(str(error), parameters)) from error
    if others:
        raise _several(name)
    return found


def _require_single(catalogue: Catalogue, name: str) -> None:
    """Refuse a suite of several scenarios, whatever does not fit one of them.

    Raises:
        click.UsageError: if the name is that of one.
    """
    with suppress(ScenarioError):
        if len(tasks(catalogue, (name,), Overrides(DEFAULT_ENGINE))) > 1:
            raise _several(name)


def _several(name: str) -> click.UsageError:
    return click.UsageError(f"{name} has several scenarios; name one")


def _renamed(message: str, parameters: Parameters) -> str:
    """Message that begins with the parameter of the command, not that of `check`."""
    option, colon, reason = message.partition(":")
    return f"{parameters.get(option, option)}{colon}{reason}"


def require_contract(result: Result) -> None:
    """Refuse the result of a search that ended with an error of the model.

    Raises:
        BrokenContract: with what the model did.
    """
    if result.problem:
        raise BrokenContract(result.problem)
    failure = result.report.failure
    if result.report.verdict is Verdict.ERROR and failure is not None:
        raise BrokenContract(f"{failure.function} raised {failure.message}")
