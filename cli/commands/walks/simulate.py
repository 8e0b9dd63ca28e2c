"""``replicheck simulate``: very many random walks, where a search would not end."""

from __future__ import annotations

import os

import click

from replicheck.cli.commands.walks.walk_options import Request, walk_command
from replicheck.cli.console.grouped_options import GroupedCommand
from replicheck.cli.console.options import steps_option, threads_option, time_option
from replicheck.cli.results.walk_outcome import WalkOutcome
from replicheck.cli.runs.random_walks import ALL, STRATEGIES, simulate_task
from replicheck.explorer.engines.simulation.simulation import WalkLimits
from replicheck.explorer.engines.simulation.walk_progress import WalkWatches

DEFAULT_SECONDS = 60.0


@click.command(cls=GroupedCommand)
@walk_command
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
@steps_option(10_000, 200, "The most steps of a walk.")
@time_option("End after so many seconds; 60 unless --walks is given.")
@threads_option("Walk with so many threads instead of one for each core.")
def simulate(
    request: Request,
    strategy: str,
    walks: int | None,
    steps: int,
    seconds: float | None,
    threads: int | None,
) -> None:
    """Walk at random through a scenario, very often, and judge every state.

    A violation is minimised and saved as a trace. Without one the scenario is not
    refuted, which does not mean that it holds. Exit codes: 0 not refuted, 2 wrong
    usage, 10 less was covered than required, 11 deadlock, 12 invariant violated, 13
    step property violated, 75 error in the model, 77 interrupted, out of memory, or
    nothing was tried, 151 bad scenario.
    """
    limit = DEFAULT_SECONDS if (walks, seconds) == (None, None) else seconds
    limits = WalkLimits(steps, walks, limit, request.memory)
    chosen = threads or os.cpu_count() or 1

    def walk(watches: WalkWatches) -> WalkOutcome:
        return simulate_task(
            request.task, strategy, request.seed, limits, chosen, watches
        )

    request.answer("walking", walk)
