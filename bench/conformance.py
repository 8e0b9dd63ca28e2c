"""How fast conformance goes, and what memory it takes.

Usage: python bench/conformance.py [KAFKA] [WALKS]
Walks at random through two brokers, takes the same steps again without a comparison,
and prints steps for each second of processor time of both processes.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from replicheck.cli.conformance.coverage import Coverage
from replicheck.cli.conformance.fetching.harness_calls import (
    ModelStep,
    beginning,
    commands,
)
from replicheck.cli.conformance.harness.process import Command
from replicheck.cli.conformance.lockstep import Lockstep, replay
from replicheck.cli.conformance.recorded_runs import model_at_its_beginning
from replicheck.cli.conformance.session import MODEL, Session, scenario_of
from replicheck.cli.conformance.walks import StepDrawer
from replicheck.explorer.report import Step
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.model.fetching.state import Brokers

BOUNDS = {"records": 3, "max_leader_epoch": 3, "crashes": 2, "restarts": 2}
TICKS = os.sysconf("SC_CLK_TCK")
Run = tuple[Step[Any], ...]


def children() -> list[int]:
    """Processes that this one started and that still run."""
    pid = os.getpid()
    told = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    return [int(child) for child in told.split()]


def processor_seconds() -> float:
    """Processor time of this process and of the harness."""
    spent = time.process_time()
    for child in children():
        fields = Path(f"/proc/{child}/stat").read_text("ascii").rpartition(")")[2]
        user, system = fields.split()[11:13]
        spent += (int(user) + int(system)) / TICKS
    return spent


def memory_of_children() -> int:
    """The most memory that the harness had, in MB."""
    (child,) = children()
    lines = Path(f"/proc/{child}/status").read_text("ascii").splitlines()
    (line,) = (line for line in lines if line.startswith("VmHWM"))
    return int(line.split()[1]) // 1024


def drawn(drawer: StepDrawer, walks: int) -> list[Run]:
    """Walks of the model alone."""
    return [tuple(drawer.walk(Random(number), 60)) for number in range(walks)]


def repeat(lockstep: Lockstep, start: Brokers, run: Run) -> None:
    """Have Kafka take a run, and compare nothing."""
    before = start
    lockstep.process.take(beginning(before, lockstep.called.values()))
    for step in run:
        taken = ModelStep(step.action, dict(step.arguments), before, step.state)
        for call in commands(taken):
            quiet = {**call.arguments, "quiet": True}
            lockstep.process.ask(Command(call.name, quiet))
        before = step.state


def main(version: str = "2.5.1", walks: str = "200") -> None:
    """Measure one version of Kafka."""
    system = Catalogue.shipped().systems[MODEL]
    protocol = system.protocols_by_name[f"kafka-{version}"]
    began = time.monotonic()
    with Session(version, protocol) as session:
        print(f"start of the process: {time.monotonic() - began:.1f} s")
        scenario = scenario_of("bench", BOUNDS, protocol)
        model = model_at_its_beginning(scenario, system)
        start: Brokers = next(iter(model.initial_states()))
        runs = drawn(StepDrawer(model, (), Coverage(protocol)), int(walks))
        for run in runs:
            replay(session.lockstep, start, run)
        for name, take in (("with", replay), ("without", repeat)):
            before = processor_seconds()
            for run in runs:
                take(session.lockstep, start, run)
            spent = processor_seconds() - before
            steps = sum(map(len, runs))
            print(f"{name} comparison: {steps:,} steps, {steps / spent:,.0f} a second")
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"memory: Java {memory_of_children()} MB, Python {own} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
