"""Two assumptions of docs/scale.md, put to the test on this machine.

    python bench/scale.py

**Merging does not slow down with what is visited.** A bucket's new candidates are
looked up in runs of earlier fingerprints; the time for each candidate, with runs of up
to 64 million fingerprints.

**Processes do not learn everything anew.** What one process learns on a level, others
may learn on the same level, and the driver has to sort it out: a search whose tasks go
around 1 to 8 processes, with the leaves learned, those learned twice, and the CPU
seconds of the driver to broadcast them.

What a filter for each run could spare: how many levels ago states that are found again
were found first, in a search of 4 million states.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import unwatched
from replicheck.explorer.engines.partitioned import driver, task_split
from replicheck.explorer.engines.partitioned.broadcast import broadcast
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.partitioned.store.blocks import Block, Marks
from replicheck.explorer.engines.partitioned.worker import merge, recent_states
from replicheck.explorer.engines.partitioned.worker.merge import new_states
from replicheck.invariants.catalogue.catalogue import Catalogue

CANDIDATES = 1_000_000
RUNS = (1_000_000, 4_000_000, 16_000_000, 64_000_000)
PROCESSES = (1, 2, 4, 8)
BOUNDS = {"brokers": 3, "log_size": 1, "records": 2, "max_leader_epoch": 2}
LARGER_BOUNDS = {"brokers": 3, "log_size": 3, "records": 3, "max_leader_epoch": 2}


def looking_up() -> None:
    """Print what a candidate costs beside runs of growing length."""
    random = np.random.default_rng(1)
    fingerprints = np.sort(random.integers(1, 1 << 63, CANDIDATES, np.uint64))
    nothing = np.zeros(CANDIDATES, np.uint64)
    no_key = np.empty((CANDIDATES, 0), np.uint64)
    rows = np.zeros((CANDIDATES, 1), np.uint64)
    steps = np.zeros(CANDIDATES, np.uint32)
    block = Block(rows, fingerprints, no_key, nothing.reshape(-1, 1), nothing, steps)
    for count in RUNS:
        run = np.sort(random.integers(1, 1 << 63, count, np.uint64))
        marks = Marks(run, np.empty((count, 0), np.uint64))
        started = time.process_time()
        new_states([block], [marks])
        spent = time.process_time() - started
        print(f"run of {count:>11,}: {1e9 * spent / CANDIDATES:5.0f} ns per candidate")


def learning() -> None:
    """Print what is learned twice by more and more processes."""
    task_split.FEWEST_STATES = 1
    spent = [0.0]

    def timed(*arguments: Any) -> Any:
        started = time.process_time()
        found = broadcast(*arguments)
        spent[0] += time.process_time() - started
        return found

    setattr(driver, "broadcast", timed)  # noqa: B010
    choices = Overrides("spark", "kip-320", BOUNDS)
    (task,) = tasks(Catalogue.shipped(), ("replication",), choices)
    for count in PROCESSES:
        spent[0] = 0.0
        engine = Partitioned(buckets=128, cluster=in_process(count), small=2)
        report = engine.explore(task.model, task.properties, task.search(unwatched))
        measured = report.statistics.partitioned
        assert measured is not None
        print(
            f"{count:3} processes: {report.states:,} states, {measured.leaves:,}"
            f" leaves, learned {measured.twice:,} times more than once,"
            f" broadcast in {spent[0]:.2f} s",
            flush=True,
        )


def ages() -> None:
    """Print how many levels ago what is found again was found first."""
    merge.MOST_SMALL_RUNS = 1 << 30
    recent_states.MOST_BYTES = 0
    found = Counter[int]()

    def counted(blocks: Sequence[Block], runs: Sequence[Marks]) -> Block:
        fingerprints = np.unique(np.concatenate([each.fingerprints for each in blocks]))
        for age, run in enumerate(reversed(runs), start=1):
            found[age] += len(
                np.intersect1d(fingerprints, run.fingerprints, assume_unique=True)
            )
        return new_states(blocks, runs)

    merge.new_states = counted
    choices = Overrides("spark", "kip-320", LARGER_BOUNDS)
    (task,) = tasks(Catalogue.shipped(), ("replication",), choices)
    engine = Partitioned(cluster=in_process(2))
    report = engine.explore(task.model, task.properties, task.search(unwatched))
    again = {age: found[age] for age in sorted(found) if found[age]}
    print(f"{report.states:,} states; found again, by levels since: {again}")


if __name__ == "__main__":
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    looking_up()
    learning()
    ages()
