"""Compare the strategies of random walks on protocols that are known to be wrong.

For each mutant: the length of the shortest run, the steps of a breadth-first search to
it, and for each strategy with how many seeds the violation was found, the median steps
until then, and the longest minimised run as a multiple of the shortest. A table in
Markdown, written line by line.

    .venv/bin/python bench/simulate.py --seeds 20 --seconds 60
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

import click
from attrs import frozen

from replicheck.cli.engines import DEFAULT_ENGINE
from replicheck.cli.simulating import STRATEGIES, makers
from replicheck.cli.tasks import Choices, Task, tasks
from replicheck.explorer.breadth_first import BreadthFirst
from replicheck.explorer.learning import Learner
from replicheck.explorer.properties import Property
from replicheck.explorer.simulating.minimising import minimised
from replicheck.explorer.simulating.simulation import Extent, simulate
from replicheck.invariants.catalogue import Catalogue
from replicheck.invariants.mutant import Mutant, chosen


@frozen
class Attempt:
    """One simulation: the steps it took, and the length of what it found, if it did."""

    steps: int
    length: int | None


@frozen
class Trial:
    """The simulations of one mutant, which share what they learn of it."""

    task: Task
    mutant: Mutant
    learner: Learner
    claim: Property
    seconds: float
    threads: int

    def attempt(self, strategy: str, seed: int) -> Attempt:
        """Simulate once, and minimise what is found."""
        (make,) = makers(self.task, strategy)
        model, extent = self.task.model, Extent(seconds=self.seconds)
        found = simulate(
            model, [self.claim], make, seed, extent, self.threads, learner=self.learner
        )
        length = None
        for each in found.violations:
            shorter = minimised(model, self.claim, each, self.threads)
            length = len(shorter.trace.states)
        return Attempt(found.steps, length)

    def generated(self) -> int:
        """Return the steps of a breadth-first search that ends with the violation."""
        search = BreadthFirst(self.threads)
        return search.explore(self.task.model, [self.claim]).generated


@click.command()
@click.argument("names", nargs=-1)
@click.option("--seeds", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--seconds", type=float, default=60.0, show_default=True)
@click.option("--threads", type=click.IntRange(min=1), default=2, show_default=True)
def main(names: tuple[str, ...], seeds: int, seconds: float, threads: int) -> None:
    """Compare the strategies on some mutants, or on all that can be caught."""
    print("| mutant | shortest | breadth-first |", " | ".join(STRATEGIES), "|")
    print("|---|---|---|" + "---|" * len(STRATEGIES))
    for trial in _trials(names, seconds, threads):
        cells = [
            _cell([trial.attempt(each, seed) for seed in range(seeds)], trial.mutant)
            for each in STRATEGIES
        ]
        searched = f"{trial.generated():,}"
        row = [trial.mutant.name, str(trial.mutant.length), searched, *cells]
        print(f"| {' | '.join(row)} |", flush=True)


def _trials(names: Sequence[str], seconds: float, threads: int) -> Iterator[Trial]:
    catalogue = Catalogue.shipped()
    for mutant in chosen(names, tuple(catalogue.mutants.values())):
        if mutant.expected != "killed" or not mutant.length:
            continue
        (task,) = tasks(catalogue, (mutant.name,), Choices(DEFAULT_ENGINE))
        claim = next(each for each in task.properties if each.name == mutant.violates)
        learner = Learner(task.model, [claim])
        yield Trial(task, mutant, learner, claim, seconds, threads)


def _cell(attempts: list[Attempt], mutant: Mutant) -> str:
    """Return found of all seeds, median steps, and longest run over shortest."""
    found = [each for each in attempts if each.length is not None]
    share = f"{len(found)}/{len(attempts)}"
    if not found or not mutant.length:
        return share
    steps = statistics.median(each.steps for each in found)
    longest = max(each.length or 0 for each in found) / mutant.length
    return f"{share}, {steps:,.0f}, {longest:.2f}"


if __name__ == "__main__":
    main()
