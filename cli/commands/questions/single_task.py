"""The one scenario that a question is about, and the options of all questions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from replicheck.cli.console.errors import BadInput, BrokenContract
from replicheck.cli.console.options import FiniteRange
from replicheck.cli.results.result import Result
from replicheck.cli.tasks.overrides import Overrides
from replicheck.cli.tasks.task import Task, tasks
from replicheck.explorer.report import Verdict
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.invariants.catalogue.scenario import LimitTable

limit_states = click.option(
    "--limit-states",
    type=click.IntRange(min=1),
    metavar="N",
    help="End a search that has visited so many states.",
)
limit_time = click.option(
    "--time",
    "seconds",
    type=FiniteRange(min=0, min_open=True),
    metavar="SECONDS",
    help="End a search after so many seconds.",
)
runs_folder = click.option(
    "--traces",
    type=click.Path(path_type=Path),
    default=Path("counterexamples"),
    show_default=True,
    metavar="DIR",
    help="Where to save the runs.",
)


def with_limits(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the limits of its searches."""
    return limit_states(limit_time(command))


def limits_of(states: int | None, seconds: float | None) -> LimitTable:
    """Limits of a search as a scenario has them."""
    return LimitTable(states=states, seconds=seconds)


def single_task(
    catalogue: Catalogue, name: str, overrides: Overrides, parameter: str
) -> Task:
    """The one scenario of a name, with what is changed of it.

    Args:
        parameter: how the user of the command names the property.

    Raises:
        BadInput: if there is none, or a change is impossible.
        click.UsageError: if there are several.
    """
    try:
        found, *others = tasks(catalogue, (name,), overrides)
    except ScenarioError as error:
        message = re.sub("^--(witness|invariant):", f"{parameter}:", str(error))
        raise BadInput(message) from error
    if others:
        raise click.UsageError(f"{name} has several scenarios; name one")
    return found


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
