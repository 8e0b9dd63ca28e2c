"""Measure the partitioned engine on Spark beside the local engine, on this machine.

    python bench/spark.py [--master 'local[2]'] [--sizes 1,4,10] [--patience 0]
        [--limit-states 5000000]

The system is the replication model under KIP-320 with both ISR invariants. CPU is that
of all processes of a search, sampled twenty times a second until it ends: Java, the
driver and the other Python processes apart. The local engine runs on one thread, so
that its CPU has no waiting in it; the second line of each size is the same search on
Spark, with its CPU as a factor of the local engine's. What each further state took,
from one size to the next, leaves out what is spent whatever the size. At last, a search
of levels with one state each, all sent to Spark, tells what an empty level costs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import psutil
from attrs import define, field, frozen

COMMAND = """
from replicheck.explorer.engines.partitioned import engine
if {patience} is not None:
    engine.PATIENCE = {patience}
from replicheck.cli.main import main
main()
"""
INVARIANTS = (
    "leader_isr_has_records_below_hw",
    "stored_isr_has_records_below_hw",
)
SIZES = {
    "1": (2, 2, 2),
    "2": (2, 3, 2),
    "4": (3, 3, 2),
    "10": (2, 2, 3),
    "28": (2, 3, 3),
}
"""Log size, records and highest leader epoch, by millions of states, roughly."""
MEGA = 1_000_000
PAUSE = 0.05
JAVA, DRIVER, WORKER = "Java", "driver", "workers"
EMPTY_LEVELS = 60
TESTS = str(Path(__file__).resolve().parent.parent / "tests" / "helpers")
QUIET = "--conf spark.ui.enabled=false pyspark-shell"


@define
class Usage:
    """The CPU seconds of a process and all its descendants, and the wall time."""

    wall: float = 0.0
    of_process: dict[tuple[int, float, str], float] = field(factory=dict)

    def look(self, root: psutil.Process) -> None:
        """Note what each process has used so far."""
        for each in [root, *root.children(recursive=True)]:
            try:
                times = each.cpu_times()
                key = (each.pid, each.create_time(), _kind(each, root))
            except psutil.Error:
                continue
            self.of_process[key] = times.user + times.system

    def seconds(self, *kinds: str) -> float:
        """The CPU seconds of some kinds of processes, or of all."""
        return sum(
            used
            for key, used in self.of_process.items()
            if not kinds or key[2] in kinds
        )


def _kind(process: psutil.Process, root: psutil.Process) -> str:
    if "java" in process.name():
        return JAVA
    return DRIVER if process.pid == root.pid else WORKER


def measured(command: Sequence[str]) -> tuple[Usage, str]:
    """Run a command; return what it used, and its standard output."""
    usage, started = Usage(), time.monotonic()
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": QUIET, "PYTHONPATH": TESTS}
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryFile("w+") as output,
        psutil.Popen(
            command,
            stdout=output,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment,
            text=True,
        ) as process,
    ):
        while process.poll() is None:
            try:
                usage.look(process)
            except psutil.Error:
                break
            time.sleep(PAUSE)
        process.wait()
        usage.wall = time.monotonic() - started
        output.seek(0)
        return usage, output.read()


def search(
    size: str, *options: str, patience: float | None = None
) -> tuple[Usage, dict[str, Any]]:
    """Search the states of a size with some options.

    Args:
        patience: of the partitioned engine, if not its own.
    """
    names = ("brokers", "log_size", "records", "max_leader_epoch")
    values = (3, *SIZES[size])
    bounds = ",".join(f"{k}={v}" for k, v in zip(names, values, strict=True))
    script = COMMAND.format(patience=patience)
    command = [sys.executable, "-c", script, "check", "replication", "--json", "-"]
    command += ["--bounds", bounds, *options]
    for name in INVARIANTS:
        command += ["--invariant", name]
    usage, text = measured(command)
    result: dict[str, Any] = json.loads(text)["results"][0]
    return usage, result


def line(name: str, usage: Usage, states: int, rest: str) -> str:
    """The figures of one search."""
    whole = usage.seconds()
    parts = ", ".join(
        f"{kind} {usage.seconds(kind):.1f}" for kind in (JAVA, DRIVER, WORKER)
    )
    return (
        f"{name:6} {states:>11,} states  wall {usage.wall:6.1f} s"
        f"  CPU {whole:6.1f} s ({parts})"
        f"  {1e6 * whole / states:6.2f} us/state  {rest}"
    )


@frozen
class Spent:
    """How many states a size has, and the CPU seconds of the engines for them."""

    states: int
    local: float
    spark: float
    where: str
    """Whether Spark was started, or the driver did all of it."""


def compare(
    size: str, master: str, patience: float | None, limits: Sequence[str]
) -> Spent:
    """Print a search of one size by both engines."""
    usage, result = search(size, "--threads", "1", *limits)
    states = result["states"]
    local = usage.seconds()
    details = result["details"]
    kernels = details["walking"] + details["inserting"]
    print(line("local", usage, states, f"kernels {kernels:.1f} s"), flush=True)
    usage, result = search(
        size, "--engine", "spark", "--master", master, *limits, patience=patience
    )
    assert result["states"] == states, "the engines differ"
    details = result["details"]
    whole = usage.seconds()
    tasks = details["expanding"] + details["merging"]
    rest = (
        f"factor {whole / local:.1f}  tasks {tasks:.1f} s"
        f" (expand {details['expanding']:.1f}, merge {details['merging']:.1f})"
        f"  exchanged {details['exchanged'] / states:.0f} bytes/state"
        f"  {details['tasks']} tasks, {details['alone']} levels alone,"
        f" {details['leaves']:,} leaves, {details['twice']:,} of them twice"
    )
    print(line("spark", usage, states, rest), flush=True)
    where = "on Spark" if usage.seconds(JAVA) else "in the driver, Spark not started"
    return Spent(states, local, whole, where)


def step(before: Spent, after: Spent) -> None:
    """Print what each further state took."""
    more = after.states - before.states
    local = 1e6 * (after.local - before.local) / more
    spark = 1e6 * (after.spark - before.spark) / more
    print(
        f"each further state: {local:.2f} us in the local engine, {spark:.2f} us"
        f" {after.where}, factor {spark / local:.1f}",
        flush=True,
    )


EMPTY = """
import time
from toys import ring
from replicheck.explorer.engine import Search
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.engines.partitioned.spark.runner import spark
seen = []
search = Search(watch=lambda glance: seen.append((glance.depth, time.monotonic())))
for small in (0, 10):
    seen.clear()
    engine = Partitioned(buckets=16, cluster=spark({master!r}), small=small)
    engine.explore(ring({levels} + 20), (), search)
    at = dict(reversed(seen))
    print((at[{levels} + 10] - at[10]) / {levels})
"""


def empty_levels(master: str) -> None:
    """Print what a level costs that has one state."""
    script = EMPTY.format(master=master, levels=EMPTY_LEVELS)
    _, text = measured([sys.executable, "-c", script])
    cluster, alone = (float(each) for each in text.split())
    print(
        f"a level of one state: {cluster:.3f} s on Spark, {alone:.4f} s in the driver"
    )


@click.command()
@click.option("--master", default="local[2]", show_default=True)
@click.option("--sizes", default="1,4,10", show_default=True)
@click.option(
    "--patience",
    type=float,
    help="Seconds of CPU before Spark is started, instead of what is the default.",
)
@click.option("--limit-states", help="End both searches after the level with so many.")
def main(
    master: str, sizes: str, patience: float | None, limit_states: str | None
) -> None:
    """Measure the partitioned engine beside the local one."""
    limits = () if limit_states is None else ("--limit-states", limit_states)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {master}")
    spent = [compare(size, master, patience, limits) for size in sizes.split(",")]
    for before, after in pairwise(spent):
        step(before, after)
    empty_levels(master)


if __name__ == "__main__":
    main()
