"""Compare reduced searches with whole ones; the end is an error if any two disagree.

Without names all scenarios with at most so many states as ``--states``. Each is
searched to its end, whatever it violates, whole and reduced, on one thread: same
verdict, outcomes, premises, and actions that are ever enabled. A mutant is searched up
to its first violation: same verdict. A table in Markdown, written line by line. The
CPU time is the least of ``--repeat`` searches; with ``--beyond`` a reduced search
leaves out nothing before it has more states.

    .venv/bin/python bench/reduction.py leader-disk-fails broker-shuts-down
    .venv/bin/python bench/reduction.py --beyond 10000000 --repeat 3
    .venv/bin/python bench/reduction.py --mutants --states 100000
    .venv/bin/python bench/reduction.py --random 20000
    .venv/bin/python bench/reduction.py --random 5000 --seed 28
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from attrs import field, frozen
from hypothesis import HealthCheck, Phase, given, seed, settings

from replicheck.cli.tasks.engines import DEFAULT_ENGINE
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engine import Engine, Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reduced.engine import ReducedBreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.report import Report, Verdict
from replicheck.invariants.catalogue.catalogue import Catalogue

SMALL = Search(Limits(states=2_000), Stop.EXHAUSTED)
"""Random systems that are larger are not compared."""
MORE = 1.1
"""So many times the CPU time of a whole search a reduced one may take."""
HELPERS = Path(__file__).parents[1] / "tests" / "helpers"


def told(report: Report[Any]) -> tuple[object, ...]:
    """What a reduced search and a whole one have to agree on."""
    if report.verdict is Verdict.ERROR:
        return (report.verdict,)
    enabled = {name for name, count in report.actions.items() if count.enabled}
    coverage = report.statistics.coverage
    premises = None if coverage is None else coverage.premises
    return report.verdict, report.outcomes, enabled, premises


@frozen
class Comparison:
    """How searches are compared, and the CPU times of those that were."""

    search: Search
    beyond: int
    repeat: int
    times: list[tuple[float, float]] = field(factory=list)

    def agree(self, task: Task) -> bool:
        """Print a line of the table; tell whether the two searches agree."""
        name, stop = task.scenario.name, self.search.stop
        whole, cpu = self._timed(BreadthFirst(threads=1), task)
        if whole.cut is not None:
            print(f"| `{name}` | more than {self.search.limits.states:,} states |")
            return True
        engine = ReducedBreadthFirst(threads=1, reduce_beyond=self.beyond)
        reduced, cpu_reduced = self._timed(engine, task)
        self.times.append((cpu, cpu_reduced))
        agrees = whole.verdict is reduced.verdict
        if stop is Stop.EXHAUSTED or not whole.violations:
            agrees = told(whole) == told(reduced)
        print(
            f"| `{name}` | {whole.verdict.value} | {whole.states:,} |"
            f" {reduced.states:,} | {whole.states / reduced.states:.1f} | {cpu:.2f} |"
            f" {cpu_reduced:.2f} |{'' if agrees else ' DISAGREES |'}",
            flush=True,
        )
        return agrees

    def summary(self) -> str:
        """Times of all searches together, and how many took little longer reduced."""
        whole, reduced = (sum(times) for times in zip(*self.times, strict=True))
        few = sum(b <= MORE * a for a, b in self.times)
        return (
            f"{len(self.times)} searches, {whole:.0f} s of CPU and {reduced:.0f} s with"
            f" --reduce; {few} take at most {MORE} times as much with it"
        )

    def _timed(self, engine: Engine, task: Task) -> tuple[Report[Any], float]:
        """Search so many times, and say what CPU time the quickest took."""
        times = []
        for _ in range(self.repeat):
            started = time.process_time()
            report = engine.explore(task.model, task.properties, self.search)
            times.append(time.process_time() - started)
        return report, min(times)


def compare_random(examples: int, beyond: int, first: int) -> None:
    """Compare random systems with the naive engine.

    Args:
        first: the seed of the random systems.

    Raises:
        AssertionError: if two searches disagree.
    """
    sys.path.insert(0, str(HELPERS))
    from random_models.random_processes import EVERYTHING, processes

    @seed(first)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(processes())
    def law(system: Any) -> None:
        model, properties = system.model, system.properties
        whole = Naive().explore(model, properties, SMALL)
        if whole.cut is not None:
            return
        engine = ReducedBreadthFirst(1, reduce_beyond=beyond)
        reduced = engine.explore(model, properties, EVERYTHING)
        assert told(whole) == told(reduced)
        counts[0] += 1
        counts[1] += whole.states
        counts[2] += reduced.states
        counts[3] += whole.verdict is Verdict.VIOLATED
        shortest = {
            found.property: len(found.trace.steps) for found in whole.violations
        }
        counts[4] += sum(
            len(found.trace.steps) > shortest[found.property]
            for found in reduced.violations
        )

    counts = [0, 0, 0, 0, 0]
    law()
    print(
        f"{counts[0]:,} random systems agree, {counts[3]:,} of them violated:"
        f" {counts[1]:,} states, {counts[2]:,} reduced;"
        f" {counts[4]:,} runs to a violation are longer than the shortest"
    )


def chosen(names: Sequence[str], mutants: bool, states: int) -> list[str]:
    """The scenarios to compare."""
    catalogue = Catalogue.shipped()
    if names:
        return list(names)
    if mutants:
        return list(catalogue.mutants)
    return [
        name
        for name, scenario in catalogue.scenarios.items()
        if scenario.expect is None or (scenario.expect.states or 0) <= states
    ]


@click.command()
@click.argument("names", nargs=-1)
@click.option("--states", default=1_000_000, show_default=True)
@click.option("--mutants", is_flag=True, help="Compare all mutants.")
@click.option("--random", "examples", default=0, help="So many random systems.")
@click.option("--seed", "first", default=27, help="Of the random systems.")
@click.option("--beyond", default=0, help="Reduce searches of more states only.")
@click.option("--repeat", default=1, help="Search so many times.")
def main(
    names: tuple[str, ...],
    states: int,
    mutants: bool,
    examples: int,
    first: int,
    beyond: int,
    repeat: int,
) -> None:
    """Compare reduced searches with whole ones."""
    if examples:
        compare_random(examples, beyond, first)
        return
    stop = Stop.FIRST_VIOLATION if mutants else Stop.EXHAUSTED
    print(
        "| scenario | verdict | states | `--reduce` | times | s of CPU | `--reduce` |"
    )
    print("|---|---|---|---|---|---|---|", flush=True)
    catalogue, all_agree = Catalogue.shipped(), True
    comparison = Comparison(Search(Limits(states=states), stop), beyond, repeat)
    for name in chosen(names, mutants, states):
        (task,) = tasks(catalogue, (name,), Overrides(DEFAULT_ENGINE))
        if not task.model.constraints:
            all_agree &= comparison.agree(task)
    print(f"\n{comparison.summary()}")
    if not all_agree:
        raise SystemExit("a reduced search disagrees with a whole one")


if __name__ == "__main__":
    main()
