"""Measure the breadth-first engine beside Spin: ``make bench``.

The system is the replication model under KIP-320 with both ISR invariants. Each figure
is that of whole processes, run in turn, so that a machine whose speed drifts does not
favour one; the medians are printed, and the ratio to Spin is that of the medians. Spin
and a C compiler are optional; without them the columns of Spin stay empty.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click
from attrs import frozen

HERE = Path(__file__).resolve().parent
REPLICHECK = Path(sys.executable).with_name("replicheck")
INVARIANTS = (
    "leader_isr_has_records_below_hw",
    "stored_isr_has_records_below_hw",
)
SIZES = ((2, 2, 2), (2, 3, 2), (3, 3, 2), (2, 2, 3))
"""Log size, records and highest leader epoch: 0.7, 1.7, 4.1 and 10.0 million states."""
LARGEST = (3, 4, 3)
"""205 million states."""
LARGEST_NEEDS = 8_000_000_000
"""Bytes of memory."""
COLD = (1, 1, 1)
MEGA = 1_000_000
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name != "PYTHONDONTWRITEBYTECODE"
}
"""An installed program has its bytecode; a checkout shall have it, too."""


@frozen
class Run:
    """One process: what it took, and the counts that it printed."""

    cpu: float
    wall: float
    memory: int
    """Bytes, at the peak."""
    counts: tuple[int, int, int] | None = None
    """States, generated steps, depth."""
    details: dict[str, object] | None = None


def measured(command: Sequence[str | Path]) -> tuple[Run, str]:
    """Run a command and return what it took, with its standard output."""
    with tempfile.TemporaryFile("w+") as output:
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.DEVNULL,
            text=True,
            env=ENVIRONMENT,
        )
        _, _, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - started
        output.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        return Run(cpu, wall, usage.ru_maxrss * 1024), output.read()


def scenario(size: tuple[int, int, int]) -> list[str]:
    """The arguments that choose a size of the model and what to check."""
    names = ("brokers", "log_size", "records", "max_leader_epoch")
    bounds = ",".join(f"{k}={v}" for k, v in zip(names, (3, *size), strict=True))
    chosen = (part for name in INVARIANTS for part in ("--invariant", name))
    return ["replication", "--bounds", bounds, *chosen]


def replicheck(size: tuple[int, int, int], threads: int) -> Run:
    """Search with the breadth-first engine."""
    command: list[str | Path] = [REPLICHECK, "check", *scenario(size)]
    command += ["--no-cache", "--json", "-", "--threads", str(threads)]
    run, text = measured(command)
    result = json.loads(text)["results"][0]
    counts = (result["states"], result["generated"], result["depth"])
    return Run(run.cpu, run.wall, run.memory, counts, result["details"])


def by_hand(size: tuple[int, int, int]) -> list[str | Path]:
    """The command that prints the port that was written by hand."""
    words = [str(each) for each in (3, *size)]
    return [sys.executable, HERE / "kip320_promela.py", *words]


def exported(size: tuple[int, int, int]) -> list[str | Path]:
    """The command that prints what replicheck exports."""
    return [REPLICHECK, "export", "--format", "promela", *scenario(size)]


def spin(model: Sequence[str | Path], place: Path) -> Run:
    """Search with Spin; the checker is compiled on first use and not measured.

    Args:
        model: the command that prints it.
        place: the folder of the checker.
    """
    if not place.exists():
        place.mkdir()
        _, text = measured(model)
        (place / "model.pml").write_text(text, encoding="utf-8")
        subprocess.run(
            ["spin", "-a", "model.pml"],
            cwd=place,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        compiler = ["gcc", "-O2", "-DNOREDUCE", "-DSAFETY", "-o", "pan", "pan.c"]
        subprocess.run(compiler, cwd=place, check=True)
    run, text = measured([place / "pan", "-m1000000", "-w24"])
    found = {
        key: int(line.split()[0])
        for line in text.splitlines()
        for key in ("states, stored", "transitions")
        if key in line
    }
    counts = (found["states, stored"], found["transitions"] - 1, 0)
    return Run(run.cpu, run.wall, run.memory, counts)


def median(runs: Sequence[Run]) -> Run:
    """The median of each figure, with the counts that all runs agree on."""
    (counts,) = {run.counts for run in runs}
    return Run(
        statistics.median(run.cpu for run in runs),
        statistics.median(run.wall for run in runs),
        int(statistics.median(run.memory for run in runs)),
        counts,
        runs[-1].details,
    )


def machine() -> str:
    """The machine in a line."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        names = [
            line.partition(":")[2].strip() for line in lines if "model name" in line
        ]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def compare(size: tuple[int, int, int], rounds: int, folder: Path | None) -> None:
    """Print a row for one size."""
    ones, twos, spins = [], [], []
    for _ in range(rounds):
        ones.append(replicheck(size, 1))
        twos.append(replicheck(size, 2))
        if folder is not None:
            place = folder / "-".join(str(each) for each in size)
            spins.append(spin(by_hand(size), place))
    one, two = median(ones), median(twos)
    assert one.counts is not None
    assert one.counts == two.counts, "the counts depend on the threads"
    states, generated, depth = one.counts
    row = f"| {size} | {states:,} / {generated:,} / {depth} "
    row += f"| {one.cpu:.2f} | {one.wall:.2f} | {two.wall:.2f} "
    row += f"| {two.wall / one.wall:.2f} | {two.memory / MEGA:.0f} "
    if spins:
        other = median(spins)
        assert other.counts is not None
        assert other.counts[:2] == one.counts[:2], "Spin counts differently"
        row += f"| {other.cpu:.2f} | {other.memory / MEGA:.0f} "
        row += f"| {one.cpu / other.cpu:.2f} |"
    else:
        row += "| | | |"
    click.echo(row)


def spin_on_the_export(size: tuple[int, int, int], rounds: int, folder: Path) -> None:
    """Print what Spin takes for the model that replicheck exports."""
    place = folder / "exported"
    run = median([spin(exported(size), place) for _ in range(rounds)])
    ours = replicheck(size, 1)
    assert run.counts is not None
    assert ours.counts is not None
    # Spin counts a state of its own, and a step from there.
    states, generated = run.counts[0] - 1, run.counts[1] - 1
    assert (states, generated) == ours.counts[:2], "Spin counts differently"
    click.echo(
        f"\nSpin on what is exported at {size}: {states:,} states and {generated:,}"
        f" generated, as here, in {run.cpu:.2f} s of CPU time, {run.memory / MEGA:.0f}"
        " MB."
    )


def where_time_goes(size: tuple[int, int, int]) -> None:
    """Print how the time of one search divides."""
    run = replicheck(size, 1)
    assert run.details is not None
    parts = {
        "learning": run.details["learning"],
        "walking": run.details["walking"],
        "deduplication": run.details["inserting"],
        "writing the frontier": run.details["frontier"],
    }
    known = {name: float(str(seconds)) for name, seconds in parts.items()}
    rest = run.wall - sum(known.values())
    words = [f"{name} {seconds:.2f} s" for name, seconds in known.items()]
    click.echo(
        f"\nWhere {run.wall:.2f} s go at {size}, one thread: {', '.join(words)},"
    )
    click.echo(f"start, reading the compiled kernels and the rest {rest:.2f} s.")


def largest() -> None:
    """Print what the largest bounds take, once, with two threads."""
    if os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") < 1.5 * LARGEST_NEEDS:
        click.echo(f"Largest: left out, {LARGEST} needs more memory than is here.")
        return
    run = replicheck(LARGEST, 2)
    assert run.counts is not None
    rate = run.counts[0] / run.wall / MEGA
    click.echo(
        f"Largest: {run.counts[0]:,} states, {run.counts[1]:,} generated, depth"
        f" {run.counts[2]}, in {run.wall:.0f} s with two threads: {rate:.2f} million"
        f" a second, {run.memory / MEGA:,.0f} MB."
    )


@click.command()
@click.option("--rounds", default=3, show_default=True, help="Runs of each process.")
def main(rounds: int) -> None:
    """Print the tables of docs/performance.md."""
    has_spin = shutil.which("spin") is not None and shutil.which("gcc") is not None
    click.echo(machine())
    click.echo(
        "\n| bounds | states / generated / depth | CPU s | wall s | wall s, 2 threads"
        " | ratio | MB | Spin CPU s | Spin MB | CPU ratio |"
    )
    click.echo("|---|---|---|---|---|---|---|---|---|---|")
    replicheck(COLD, 1)
    with tempfile.TemporaryDirectory() as name:
        for size in SIZES:
            compare(size, rounds, Path(name) if has_spin else None)
        if has_spin:
            spin_on_the_export(SIZES[0], rounds, Path(name))
    where_time_goes(SIZES[-1])
    cold = median([replicheck(COLD, 1) for _ in range(rounds)])
    assert cold.counts is not None
    click.echo(
        f"Cold start: {cold.counts[0]} states in {cold.wall:.2f} s of wall time."
    )
    largest()


if __name__ == "__main__":
    main()
