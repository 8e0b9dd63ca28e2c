"""Measure what was aimed at, each beside its anchor: a table of ``make bench``.

Figures that are compared are those of whole processes, run in turn. Before them, a
search that is not measured compiles the kernels. What is not measured has a line that
says so, with the reason and what measures it.

    python bench/aims.py --only start --only smallest
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median

import click
from attrs import frozen

from replicheck.explorer.runtime.memory.process_memory import available_bytes
from run import REPLICHECK, Run, machine, measured, scenario
from spin_variants import (
    BREADTH_FIRST,
    COMPACT,
    DEPTH_FIRST,
    PARALLEL,
    SMALL,
    SpinVariant,
    stored_states,
)

TEN_MILLION, SMALLEST, START = (2, 2, 3), (2, 2, 2), (1, 1, 1)
"""Log size, records and highest leader epoch of the replication model."""
QUEUES = ("large", "--entry", "9")
"""The scenario `reassignment-of-two-replicas`."""
REASSIGNMENT = ("partition-is-reassigned", "--bounds", "brokers=3")
FETCHING = (
    "fetching-brokers-crash-and-restart",
    "--bounds",
    "brokers=3,crashes=0,restarts=0",
)
GIB = 2**30
ROOM: dict[tuple[str, ...], int] = {
    QUEUES: 5 * GIB,
    REASSIGNMENT: 9 * GIB,
    FETCHING: 2 * GIB,
}
"""Bytes of memory that must be free for a search."""
STARTS = 5


@frozen
class Line:
    """A line of the table: what, what was aimed at, and what was measured."""

    what: str
    aim: str
    figure: str

    def __str__(self) -> str:
        return f"| {self.what} | {self.aim} | {self.figure} |"


@frozen
class Bench:
    """How often each process is run, and where checkers of Spin are."""

    rounds: int
    folder: Path

    def search(self, words: Sequence[str], threads: int) -> tuple[Run, int]:
        """Run a check; return what it took, and its states."""
        options = ("--no-cache", "--json", "-", "--threads", str(threads))
        run, text = measured([REPLICHECK, "check", *words, *options])
        (result,) = json.loads(text)["results"]
        return run, result["states"]

    def beside(
        self, size: tuple[int, int, int], variants: Sequence[SpinVariant]
    ) -> tuple[dict[str, list[Run]], int]:
        """Run our search with one and two threads and Spin's in turn."""
        runs: dict[str, list[Run]] = {}
        counts = set()
        for _ in range(self.rounds):
            for threads in (1, 2):
                run, states = self.search(scenario(size), threads)
                runs.setdefault(f"{threads}", []).append(run)
                counts.add(states)
            for variant in variants:
                run, text = measured(variant.compiled(size, self.folder))
                runs.setdefault(variant.name, []).append(run)
                counts.add(stored_states(text))
        assert len(counts) == 1, f"the engines count differently: {counts}"
        return runs, counts.pop()

    def warm_up(self, scenarios: Iterable[Sequence[str]]) -> None:
        """Have the kernels compiled, of which later processes read the code.

        A kernel is compiled where it is first used, some of them in large levels alone.
        """
        for words in scenarios:
            self.search(words, 1)


def cpu(runs: Sequence[Run]) -> float:
    """The median of CPU seconds."""
    return median(run.cpu for run in runs)


def wall(runs: Sequence[Run]) -> float:
    """The median of wall seconds."""
    return median(run.wall for run in runs)


def share(seconds: float, anchor: float) -> str:
    """A ratio, with what it is made of."""
    return f"{seconds / anchor:.2f} ({seconds:.2f} / {anchor:.2f} s)"


def replication(bench: Bench) -> Iterator[Line]:
    """Ten million states of the replication model."""
    variants = (DEPTH_FIRST, COMPACT, BREADTH_FIRST, PARALLEL)
    runs, states = bench.beside(TEN_MILLION, variants)
    for variant, aim in zip(variants[:3], ("0.33", "0.36", "0.25"), strict=True):
        figure = share(cpu(runs["1"]), cpu(runs[variant.name]))
        yield Line(f"replication, {states:,}: CPU / Spin {variant.name}", aim, figure)
    figure = share(wall(runs["2"]), wall(runs[PARALLEL.name]))
    yield Line(f"the same: wall, two threads / Spin {PARALLEL.name}", "0.18", figure)
    figure = share(wall(runs["2"]), wall(runs["1"]))
    yield Line("the same: wall, two threads / one", "0.56", figure)


def smallest(bench: Bench) -> Iterator[Line]:
    """The size at which Spin is best."""
    runs, states = bench.beside(SMALLEST, (SMALL,))
    figure = share(cpu(runs["1"]), cpu(runs[SMALL.name]))
    yield Line(f"replication, {states:,}: CPU / Spin {SMALL.name}", "1", figure)


def queues(bench: Bench) -> Iterator[Line]:
    """A model with queues, one run with one thread and one with two."""
    name = "`reassignment-of-two-replicas`"
    if not has_room(QUEUES):
        yield unmeasured(name, "20 s; 60 B; 0.60", QUEUES)
        return
    one, states = bench.search(QUEUES, 1)
    two, _ = bench.search(QUEUES, 2)
    yield Line(f"{name}, {states:,}: CPU", "20 s", f"{one.cpu:.0f} s")
    memory = f"{one.memory / states:.0f} B"
    yield Line("the same: memory a state, of the process", "60 B", memory)
    yield Line("the same: wall, two threads / one", "0.60", share(two.wall, one.wall))


def reassignment(bench: Bench) -> Iterator[Line]:
    """The largest of the models with queues."""
    yield one_search(bench, REASSIGNMENT, "45 s")


def fetching(bench: Bench) -> Iterator[Line]:
    """Fetch requests and responses between three brokers."""
    yield one_search(bench, FETCHING, "12 s")


def start(bench: Bench) -> Iterator[Line]:
    """A check so small that its start is what it takes."""
    runs = [bench.search(scenario(START), 1) for _ in range(STARTS)]
    seconds = [run.wall for run, _ in runs]
    processor = [run.cpu for run, _ in runs]
    figure = f"{median(seconds):.2f} s (CPU {median(processor):.2f} s)"
    yield Line(f"a check of {runs[0][1]:,} states: wall", "0.30 s", figure)


def suite(bench: Bench) -> Iterator[Line]:
    """All entries of the default suite, none of them in the cache."""
    run, _ = measured([REPLICHECK, "check", "--no-cache", "--quiet"])
    figure = f"{run.wall:.0f} s (CPU {run.cpu:.0f} s)"
    yield Line("the default suite, kernels compiled: wall", "45 s", figure)


def elsewhere(bench: Bench) -> Iterator[Line]:
    """What has a bench of its own."""
    yield Line(
        "10^9 states, counters",
        "8 min, 20 GiB",
        "not measured here: `python bench/billion.py counters --tens 100`",
    )
    yield Line(
        "natural Python / questions and operations",
        "1.5",
        "not measured here: `python bench/own_models.py`",
    )


def one_search(bench: Bench, words: tuple[str, ...], aim: str) -> Line:
    """The CPU time of one search."""
    if not has_room(words):
        return unmeasured(f"`{words[0]}`: CPU", aim, words)
    run, states = bench.search(words, 1)
    return Line(f"`{words[0]}`, {states:,}: CPU", aim, f"{run.cpu:.0f} s")


def has_room(words: tuple[str, ...]) -> bool:
    """Tell whether there is memory for a search."""
    return available_bytes() > ROOM[words]


def unmeasured(what: str, aim: str, words: tuple[str, ...]) -> Line:
    """The line of a search for which there is no memory."""
    room = f"{ROOM[words] / GIB:.0f} GiB"
    return Line(what, aim, f"not measured: less than {room} of memory are free")


GROUPS: dict[str, Callable[[Bench], Iterator[Line]]] = {
    group.__name__: group
    for group in (
        queues,
        reassignment,
        fetching,
        replication,
        smallest,
        start,
        suite,
        elsewhere,
    )
}
BESIDE_SPIN = {replication, smallest}
LARGE = {queues, reassignment, fetching}


@click.command()
@click.option("--rounds", default=3, show_default=True, help="Runs beside Spin.")
@click.option("--only", multiple=True, type=click.Choice(list(GROUPS)))
def main(rounds: int, only: tuple[str, ...]) -> None:
    """Print the table."""
    has_spin = shutil.which("spin") is not None and shutil.which("gcc") is not None
    click.echo(f"{machine()}, load {os.getloadavg()[0]:.1f}\n")
    click.echo("| what | aim | measured |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(rounds, Path(name))
        groups = only or tuple(GROUPS)
        is_large = not LARGE.isdisjoint(GROUPS[group] for group in groups)
        bench.warm_up([scenario(START), *([QUEUES] if is_large else [])])
        for group in groups:
            if GROUPS[group] in BESIDE_SPIN and not has_spin:
                click.echo(Line(group, "", "not measured: needs spin and gcc"))
                continue
            for line in GROUPS[group](bench):
                click.echo(line)


if __name__ == "__main__":
    main()
