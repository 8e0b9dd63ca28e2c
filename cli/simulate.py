"""``replicheck simulate``: very many random walks, where a search would not end."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click
from attrs import evolve

from replicheck.cli.errors import BrokenContract
from replicheck.cli.exit_codes import ExitCode
from replicheck.cli.interrupts import Interrupts, SecondSignal
from replicheck.cli.simulating import ALL, STRATEGIES, simulated
from replicheck.cli.walk_commands import (
    report,
    require_writable,
    task_of,
    walk_options,
)
from replicheck.explorer.errors import ModelError
from replicheck.explorer.simulating.simulation import Extent
from replicheck.invariants.catalogue import Catalogue


@click.command()
@walk_options
@click.option(
    "--strategy",
    type=click.Choice([ALL, *STRATEGIES]),
    default=ALL,
    show_default=True,
    help="How a walker chooses: any step; brokers by priorities that change; faults"
    " spread over the walk; or these three, one after the other.",
)
@click.option(
    "--walks", type=click.IntRange(min=1), help="End after so many walks were begun."
)
@click.option(
    "--steps",
    type=click.IntRange(min=1, max=10_000),
    default=200,
    show_default=True,
    help="The most steps of a walk.",
)
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="End after so many seconds.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Walk with so many threads instead of one for each core.",
)
@click.pass_obj
def simulate(
    catalogue: Catalogue,
    /,
    name: str,
    protocol: str | None,
    merges: tuple[str, ...] | None,
    bounds: Mapping[str, object] | None,
    properties: tuple[str, ...],
    strategy: str,
    seed: int,
    walks: int | None,
    steps: int,
    seconds: float,
    threads: int | None,
    covered: float,
    json_path: str | None,
    traces: Path,
) -> None:
    """Walk at random through a scenario, very often, and judge every state.

    A violation is minimised and saved as a trace. Without one the scenario is not
    refuted, which does not mean that it holds. Exit codes: 0 not refuted, 2 wrong
    usage, 10 less was covered than required, 11 deadlock, 12 invariant violated, 13
    step property violated, 75 error in the model, 77 interrupted, 151 bad scenario.
    """
    require_writable(traces, json_path)
    task = task_of(
        catalogue,
        name,
        protocol=protocol,
        merges=merges,
        bounds=bounds,
        properties=properties,
    )
    extent = Extent(steps, walks, seconds)
    with Interrupts() as interrupts:
        click.echo(f"walking: {task.title}, seed {seed}", err=True)
        try:
            found = simulated(
                task,
                strategy,
                seed,
                extent,
                threads or os.cpu_count() or 1,
                interrupts.watch,
            )
        except ModelError as error:
            raise BrokenContract(str(error)) from error
        except SecondSignal:
            click.echo("Error: ended by a second signal", err=True)
            sys.exit(ExitCode.INCOMPLETE)
    report(evolve(found, covered=covered), traces, json_path)
