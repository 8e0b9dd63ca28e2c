"""``replicheck fuzz``: walks that hypothesis draws, steers and shrinks."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click
from attrs import evolve

from replicheck.cli.errors import BadInput, BrokenContract
from replicheck.cli.exit_codes import ExitCode
from replicheck.cli.fuzzing import PROFILES, fuzzed, profile_of, ranges_of
from replicheck.cli.interrupts import Interrupts, SecondSignal
from replicheck.cli.options import require_writable_folder
from replicheck.cli.walk_commands import (
    report,
    require_writable,
    task_of,
    walk_options,
)
from replicheck.explorer.errors import ModelError
from replicheck.explorer.simulating.simulation import Extent
from replicheck.invariants.catalogue import Catalogue
from replicheck.invariants.errors import ScenarioError


@click.command()
@walk_options
@click.option(
    "--examples", type=click.IntRange(min=1), help="End after so many examples."
)
@click.option(
    "--steps",
    type=click.IntRange(min=1, max=5_000),
    default=200,
    show_default=True,
    help="The choices of an example.",
)
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="End after so many seconds; 60 unless --examples or --profile is given.",
)
@click.option(
    "--profile",
    type=click.Choice([*PROFILES]),
    help="ci: 2,000 examples, whatever time they take; nightly: an hour.",
)
@click.option(
    "--database",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep here what failed, and try it first.",
)
@click.pass_obj
def fuzz(
    catalogue: Catalogue,
    /,
    name: str,
    protocol: str | None,
    merges: tuple[str, ...] | None,
    bounds: Mapping[str, object] | None,
    properties: tuple[str, ...],
    seed: int,
    examples: int | None,
    steps: int,
    seconds: float | None,
    profile: str | None,
    database: Path | None,
    covered: float,
    json_path: str | None,
    traces: Path,
) -> None:
    """Draw bounds and choices, walk, and judge every state on the way.

    The bounds are drawn within the ranges of the scenario. What is rare is sought. A
    violation shrinks: few faults first, then few steps, then small bounds. Without one
    the scenario is not refuted, which does not mean that it holds. Exit codes are those
    of `replicheck simulate`.
    """
    require_writable(traces, json_path)
    if database is not None:
        require_writable_folder(database, "--database")
    task = task_of(
        catalogue,
        name,
        protocol=protocol,
        merges=merges,
        bounds=bounds,
        properties=properties,
    )
    how_long = profile_of(profile, examples, seconds)
    extent = Extent(steps, how_long.examples, how_long.seconds)
    with Interrupts() as interrupts:
        click.echo(f"fuzzing: {task.title}, seed {seed}", err=True)
        try:
            found = fuzzed(
                task,
                ranges_of(task, bounds),
                seed,
                extent,
                database,
                os.cpu_count() or 1,
                interrupts.watch,
            )
        except ScenarioError as error:
            raise BadInput(str(error)) from error
        except ModelError as error:
            raise BrokenContract(str(error)) from error
        except SecondSignal:
            click.echo("Error: ended by a second signal", err=True)
            sys.exit(ExitCode.INCOMPLETE)
    report(evolve(found, covered=covered), traces, json_path)
