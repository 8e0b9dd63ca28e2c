"""Compare walks by chance on protocols that are known to be wrong.

For each mutant: the states of the shortest run, the steps that a breadth-first search
generates up to it, and for each strategy with how many seeds the violation was found,
the median number of walks, of steps and of CPU seconds until then, and the longest
minimised run as a multiple of the shortest. What the first seeds find is minimised,
written, read and replayed, which takes longer than to find it. A table in Markdown,
written line by line; the last lines count.

    .venv/bin/python bench/fuzz.py --seeds 20 --seconds 60
    .venv/bin/python bench/fuzz.py k-5-never-fence --only fuzz --only uniform
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from attrs import evolve, frozen

from replicheck.cli.commands.trace.replay import replay_trace
from replicheck.cli.results.walk_outcome import WalkOutcome
from replicheck.cli.runs.fuzz_campaigns import family_of, run_campaign
from replicheck.cli.runs.random_walks import STRATEGIES, simulate_task, walk_strategies
from replicheck.cli.runs.trace_files import make_saved_traces, write_trace
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.cli.tasks.engines import DEFAULT_ENGINE
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.fuzzing import campaign
from replicheck.explorer.engines.simulation.simulation import WalkLimits
from replicheck.explorer.engines.simulation.simulation_result import Simulation
from replicheck.explorer.engines.simulation.walk_progress import WalkWatch, WalkWatches
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.mutants import Mutant, chosen
from replicheck.traces.replay.replay import Ending

ALL = ("all", *STRATEGIES, "fuzz")
LONGEST = 1.5


@frozen
class Attempt:
    """What one seed came to; ``length`` and ``replays`` are of the minimised run."""

    walks: int
    steps: int
    cpu: float
    is_found: bool = False
    length: int | None = None
    replays: bool = False


@frozen
class Trial:
    """One mutant, as its own scenario is searched."""

    task: Task
    mutant: Mutant
    limits: WalkLimits
    threads: int
    minimised: int

    def attempt(self, strategy: str, seed: int) -> Attempt:
        """Walk once; minimise, save and replay what the first seeds find."""
        started = time.process_time()
        cpu = 0.0

        def watch(progress: Any) -> None:
            nonlocal cpu
            cpu = time.process_time() - started

        watches = WalkWatches(watch)
        task, limits, threads = self.task, self.limits, self.threads
        if seed >= self.minimised:
            found = self._first(strategy, seed, watch)
            return Attempt(*_counts(found), cpu, _is_found(found))
        if strategy == "fuzz":
            outcome = run_campaign(task, {}, seed, limits, None, threads, watches)
        else:
            outcome = simulate_task(task, strategy, seed, limits, threads, watches)
        counts = _counts(outcome.simulations)
        if outcome.violation is None:
            return Attempt(*counts, cpu)
        length = len(outcome.violation.trace.states)
        return Attempt(*counts, cpu, True, length, _replays(outcome))

    def _first(
        self, strategy: str, seed: int, watch: WalkWatch
    ) -> Sequence[Simulation[Any]]:
        """Walk once, and leave what is found as it is."""
        task, limits = self.task, self.limits
        if strategy == "fuzz":
            family = family_of(task, {})
            fuzzing = campaign.Campaign(family, limits, watch, most_tries=0)
            return (fuzzing.run(seed).walks,)
        return walk_strategies(task, strategy, seed, limits, self.threads, watch)

    def generated(self) -> int:
        """The steps of a breadth-first search that ends with the violation."""
        search = BreadthFirst(self.threads)
        return search.explore(self.task.model, self.task.properties).generated


def _counts(simulations: Sequence[Simulation[Any]]) -> tuple[int, int]:
    """Count walks, or examples, and steps."""
    walks = sum(each.walks for each in simulations)
    return walks, sum(each.steps for each in simulations)


def _is_found(simulations: Sequence[Simulation[Any]]) -> bool:
    return any(each.violations for each in simulations)


def _replays(outcome: WalkOutcome) -> bool:
    """Tell whether the trace, written and read again, still violates."""
    assert outcome.violation is not None
    (saved,) = make_saved_traces(outcome.task, [outcome.violation], None)
    with tempfile.TemporaryDirectory() as folder:
        again = read_trace(Catalogue.shipped(), write_trace(Path(folder), saved))
    found = replay_trace(Catalogue.shipped(), again, None)
    return found.ending is Ending.VIOLATES


@click.command()
@click.argument("names", nargs=-1)
@click.option("--seeds", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--seconds", type=float, default=60.0, show_default=True)
@click.option("--threads", type=click.IntRange(min=1), default=2, show_default=True)
@click.option("--minimised", default=2, show_default=True, help="So many seeds.")
@click.option("--only", multiple=True, type=click.Choice(ALL), help="These alone.")
@click.option("--searched/--not-searched", default=True, help="Search breadth-first.")
def main(
    names: tuple[str, ...],
    seeds: int,
    seconds: float,
    threads: int,
    minimised: int,
    only: tuple[str, ...],
    searched: bool,
) -> None:
    """Compare the strategies on some mutants; without names on Kafka's worst bugs."""
    strategies = [each for each in ALL if each in (only or (*STRATEGIES, "fuzz"))]
    print("| mutant | shortest | breadth-first |", " | ".join(strategies), "|")
    print("|---|---|---|" + "---|" * len(strategies), flush=True)
    rows: dict[str, list[list[Attempt]]] = {each: [] for each in strategies}
    shortest = []
    for trial in _trials(names, WalkLimits(seconds=seconds), threads, minimised):
        row = [trial.mutant.name, str(trial.mutant.length)]
        row.append(f"{trial.generated():,}" if searched else "")
        shortest.append(trial.mutant.length or 0)
        for each in strategies:
            attempts = [trial.attempt(each, seed) for seed in range(seeds)]
            rows[each].append(attempts)
            row.append(_cell(attempts, shortest[-1]))
        print(f"| {' | '.join(row)} |", flush=True)
    for name, row_attempts in rows.items():
        print(f"\n{name}: {_summary(row_attempts, shortest)}", flush=True)


def _trials(
    names: Sequence[str], limits: WalkLimits, threads: int, minimised: int
) -> Iterator[Trial]:
    catalogue = Catalogue.shipped()
    must = [bug for bug in catalogue.bugs.values() if bug.tier == "must"]
    worst = [bug.mutants[0].name for bug in must if bug.status == "reproduced"]
    for mutant in chosen(names or worst, tuple(catalogue.mutants.values())):
        if mutant.expected != "killed" or not mutant.length:
            continue
        (task,) = tasks(catalogue, (mutant.name,), Overrides(DEFAULT_ENGINE))
        only = evolve(task.scenario, witnesses=())
        yield Trial(evolve(task, scenario=only), mutant, limits, threads, minimised)


def _cell(attempts: Sequence[Attempt], shortest: int) -> str:
    """Found of all seeds, median walks, steps and seconds, longest over shortest."""
    found = [each for each in attempts if each.is_found]
    share = f"{len(found)}/{len(attempts)}"
    if not found:
        return share
    walks = statistics.median(each.walks for each in found)
    steps = statistics.median(each.steps for each in found)
    cpu = statistics.median(each.cpu for each in found)
    lengths = [each.length for each in found if each.length is not None]
    longest = f", {max(lengths) / shortest:.2f}" if lengths else ""
    return f"{share}, {walks:,.0f}, {steps:,.0f}, {cpu:.1f} s{longest}"


def _summary(attempts: Sequence[Sequence[Attempt]], shortest: Sequence[int]) -> str:
    """Number of mutants that were found, and what their traces are worth."""
    always = sum(all(each.is_found for each in row) for row in attempts)
    ever = sum(any(each.is_found for each in row) for row in attempts)
    found = [
        (each, least)
        for row, least in zip(attempts, shortest, strict=True)
        for each in row
        if each.length is not None
    ]
    replayed = sum(each.replays for each, _ in found)
    short = sum((each.length or 0) <= LONGEST * least for each, least in found)
    return (
        f"{ever} of {len(attempts)} mutants found, {always} with every seed;"
        f" {replayed} of {len(found)} traces replay; {short} are at most {LONGEST}"
        " times the shortest"
    )


if __name__ == "__main__":
    main()
