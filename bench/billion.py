"""Search a billion states on one machine, and count them a second time.

    python bench/billion.py counters --tens 100
    python bench/billion.py replication --bounds 4,5,3
    python bench/billion.py replication --bounds 4,5,3 --seed 1

How many states ``bench/systems/counters.py`` has is known: the number of values, cubed.
For replication under KIP-320 it is not. With another seed all fingerprints are others,
so two states that look the same in one search do not in the other. Each search prints
how long it took, how much memory, and how many pairs of states are expected to look
alike.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from replicheck.cli.main import main as replicheck
from replicheck.explorer.states.fingerprint import Hasher

COUNTERS = Path(__file__).parent / "systems" / "counters.py"
COUNT = 3
"""Counters."""
INVARIANTS = (
    "leader_isr_has_records_below_hw",
    "stored_isr_has_records_below_hw",
)
NO_CHECKPOINT = "1000000"
"""Seconds: a checkpoint would take the disk twice as much as the search."""


def search(arguments: list[str], memory: str, threads: int, seed: int) -> Any:
    """Check in this process, and print what it took; return the result as JSON."""
    setattr(Hasher.__init__, "__defaults__", (seed,))  # noqa: B010
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        options = ["--no-cache", "--checkpoint-every", NO_CHECKPOINT]
        options += ["--limit-memory", memory, "--threads", str(threads)]
        started = time.monotonic()
        command = ["check", *arguments, *options, "--json", str(file)]
        with suppress(SystemExit):
            replicheck(command, standalone_mode=False)
        wall = time.monotonic() - started
        (result,) = json.loads(file.read_text("utf-8"))["results"]
    details, states = result["details"], result["states"]
    used, cpu = details["memory"], os.times()
    click.echo(
        f"{states:,} states, {result['generated']:,} generated, depth"
        f" {result['depth']}, seed {seed}: {wall:.0f} s, {cpu.user + cpu.system:.0f} s"
        f" of CPU; {used['own'] / states:.1f} bytes a state,"
        f" {used['own'] / 2**30:.1f} GiB in all, {details['visited'] / states:.2f} of"
        f" them a state for the visited set; largest level"
        f" {max(result['levels']):,}; {details['collisions']:.2g} pairs of states are"
        f" expected to look alike; on the disk: {used['on_disk']}"
    )
    return result


@click.group()
def main() -> None:
    """Search many states."""


options = (
    click.option("--limit-memory", "memory", default="20G", show_default=True),
    click.option("--threads", default=2, show_default=True),
    click.option("--seed", default=0, show_default=True, help="Of the fingerprints."),
)


@main.command()
@click.option("--tens", default=100, show_default=True, help="Values / 10.")
@options[0]
@options[1]
@options[2]
def counters(tens: int, memory: str, threads: int, seed: int) -> None:
    """Count the states of counters, whose number is known."""
    bounds, values = f"counters={COUNT},tens={tens}", 10 * tens
    arguments = [str(COUNTERS), "--bounds", bounds]
    result = search(arguments, memory, threads, seed)
    states, steps = values**COUNT, COUNT * (values - 1) * values ** (COUNT - 1)
    assert (result["states"], result["generated"]) == (states, steps)
    assert result["depth"] == COUNT * (values - 1) + 1


@main.command()
@click.option("--bounds", default="4,5,3", show_default=True)
@options[0]
@options[1]
@options[2]
def replication(bounds: str, memory: str, threads: int, seed: int) -> None:
    """Count the states of replication: log size, records and highest epoch."""
    names = ("brokers", "log_size", "records", "max_leader_epoch")
    sizes = zip(names, ("3", *bounds.split(",")), strict=True)
    chosen = [part for name in INVARIANTS for part in ("--invariant", name)]
    pairs = ",".join(f"{name}={size}" for name, size in sizes)
    search(["replication", "--bounds", pairs, *chosen], memory, threads, seed)


if __name__ == "__main__":
    main()
