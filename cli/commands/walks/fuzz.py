"""``replicheck fuzz``: walks that are drawn by chance, and shrunk by hypothesis."""

from __future__ import annotations

import os
from pathlib import Path

import click

from replicheck.cli.commands.walks.walk_options import Request, walk_command
from replicheck.cli.console.errors import Unavailable
from replicheck.cli.console.grouped_options import GroupedCommand
from replicheck.cli.console.options import steps_option, time_option
from replicheck.cli.console.output import require_writable_folder
from replicheck.cli.results.walk_outcome import WalkOutcome
from replicheck.cli.runs.fuzz_campaigns import (
    PROFILES,
    profile_of,
    ranges_of,
    run_campaign,
)
from replicheck.explorer.engines.fuzzing.hypothesis_bytes import OtherHypothesis
from replicheck.explorer.engines.simulation.simulation import WalkLimits
from replicheck.explorer.engines.simulation.walk_progress import WalkWatches


@click.command(cls=GroupedCommand)
@walk_command
@click.option(
    "--examples", type=click.IntRange(min=1), help="End after so many examples."
)
@steps_option(5_000, 200, "The choices of an example.")
@time_option("End after so many seconds; 60 unless --examples or --profile is given.")
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
def fuzz(
    request: Request,
    examples: int | None,
    steps: int,
    seconds: float | None,
    profile: str | None,
    database: Path | None,
) -> None:
    """Draw bounds and choices, walk, and judge every state on the way.

    The bounds are drawn within the ranges of the scenario. A violation shrinks: few
    faults first, then few steps, then small bounds. Without one the scenario is not
    refuted, which does not mean that it holds. Exit codes are those of `replicheck
    simulate`, and 69 if the installed release of hypothesis cannot be used.
    """
    if database is not None:
        require_writable_folder(database, "--database")
    how_long = profile_of(profile, examples, seconds)
    limits = WalkLimits(steps, how_long.examples, how_long.seconds, request.memory)
    ranges = ranges_of(request.task, request.bounds)
    threads = os.cpu_count() or 1

    def walk(watches: WalkWatches) -> WalkOutcome:
        task, seed = request.task, request.seed
        try:
            return run_campaign(task, ranges, seed, limits, database, threads, watches)
        except OtherHypothesis as error:
            raise Unavailable(str(error)) from error

    request.answer("fuzzing", walk)
