"""What an engine would silently leave aside is refused."""

from __future__ import annotations

import click
from attrs import asdict, fields

from replicheck.cli.tasks.engine_settings import Counting, Settings
from replicheck.cli.tasks.engines import DEFAULT_ENGINE, ENGINES
from replicheck.cli.tasks.task import Task
from replicheck.explorer.errors import ModelError
from replicheck.explorer.states.symmetry import Reduction, renamings_of

CALLED = {"counting": "symmetry"}
"""What the option of a setting is called where its name differs."""


def require_supported_options(task: Task) -> None:
    """Refuse limits and settings that the engine would silently leave aside.

    Raises:
        click.UsageError: naming the engine and the option.
    """
    if task.settings.counting is Counting.REDUCED:
        _require_reducible(task)
    if task.judges_runs:
        _require_graph(task)
    known = ENGINES[task.engine].settings
    for option in fields(Settings):
        name = option.name
        if name not in known and getattr(task.settings, name) != option.default:
            able = " or ".join(
                engine for engine in ENGINES if name in ENGINES[engine].settings
            )
            called = CALLED.get(name, name.replace("_", "-"))
            raise click.UsageError(
                f"--{called} is not heeded by the engine {task.engine}: choose"
                f" --engine {able}, or leave it out"
            )
    if task.settings.counting is Counting.UP_TO_SYMMETRY:
        _require_renamings(task)
    is_exact = task.settings.fingerprints == "exact"
    if is_exact and task.settings.counting is Counting.UP_TO_SYMMETRY:
        raise click.UsageError(
            "--fingerprints exact: up to symmetry, a state is one of several that are"
            " not compared whole; use --fingerprints 128"
        )
    if is_exact and task.engine == "spark":
        raise click.UsageError(
            "--fingerprints exact: the processes of Spark number the values of states"
            " in different ways; use --fingerprints 128"
        )
    heeded = ENGINES[task.engine].limits
    for name, value in asdict(task.scenario.limits).items():
        if value is not None and name not in heeded:
            raise click.UsageError(
                f"the engine {task.engine} does not heed a limit on {name};"
                f" it heeds those on {', '.join(sorted(heeded))}"
            )


def _require_graph(task: Task) -> None:
    """Refuse what keeps from having the graph of all states.

    Raises:
        click.UsageError: naming it.
    """
    scenario = task.scenario
    asked = "--livelocks" if task.settings.livelocks else f"{scenario.name}: liveness"
    if task.engine == "spark":
        raise click.UsageError(
            f"{asked}: the graph of all states is kept on one machine, which the engine"
            f" spark does not do; the engine {DEFAULT_ENGINE} does"
        )
    if task.settings.counting is not Counting.ALL:
        option = {Counting.REDUCED: "--reduce", Counting.UP_TO_SYMMETRY: "--symmetry"}
        raise click.UsageError(
            f"{asked} and {option[task.settings.counting]}: a run for ever may go"
            " through states that such a search leaves out; use one of them"
        )
    if scenario.reductions:
        raise click.UsageError(
            f"{asked}: steps that are taken together are fair together, which is not"
            " proved to be the same; add --step-reductions none"
        )
    if task.model.constraints:
        raise click.UsageError(
            f"{asked}: {scenario.name} has constraints, and what a run does beyond a"
            " state that is not expanded is not known"
        )


def _require_reducible(task: Task) -> None:
    able = [name for name in ENGINES if "reduce_beyond" in ENGINES[name].settings]
    if task.engine not in able:
        raise click.UsageError(
            f"--reduce: the engine {task.engine} cannot leave out steps; those that"
            f" can: {', '.join(able)}"
        )
    if task.settings.states is not None:
        raise click.UsageError(
            "--reduce and --states: a reduced search does not visit every reachable"
            " state; use one of them"
        )
    if task.model.constraints:
        raise click.UsageError(
            f"--reduce: {task.scenario.name} has constraints, beyond which a state is"
            " not expanded, and steps in another order could lead past one"
        )


def _require_renamings(task: Task) -> None:
    try:
        found = renamings_of(task.model, Reduction.SYMMETRY)
    except ModelError as error:
        raise click.UsageError(f"--symmetry: {error}") from error
    if not found and not task.model.symmetries:
        raise click.UsageError(
            f"--symmetry: no ids of {task.scenario.name} are said to be alike; in a"
            " model of your own `model.symmetric` says so"
        )
