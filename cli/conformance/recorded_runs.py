"""Runs that are written down: of scenarios, of saved traces, of counterexamples."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cattrs
from attrs import evolve, frozen

from replicheck.cli.tasks.task import Task
from replicheck.explorer.engine import Limits, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.setup_steps import model_of
from replicheck.invariants.catalogue.systems import System
from replicheck.model.protocol import Protocol
from replicheck.traces.json_lines import SavedTrace

RARE = Path(__file__).with_name("rare_runs.toml")
MOST_STATES = 1_000_000
"""A counterexample that needs more states is looked for by `replicheck check`."""


@frozen
class RecordedRun:
    """A run by the labels of its steps, from an initial state of the model on.

    ``saved`` is the run with its states as a file has them, without its setup.
    """

    name: str
    model: Any
    labels: tuple[str, ...]
    saved: SavedTrace | None = None

    def trace(self) -> Trace[Any]:
        """The run in the model.

        Raises:
            CannotTake: if the protocol does not take one of its steps.
        """
        return Stepper(self.model).take(self.labels)

    def departure(self, taken: int) -> int | None:
        """Number of the first state in the file that the model does not come to.

        Only so many steps as were ``taken`` are looked at, those of the setup included.
        """
        if self.saved is None:
            return None
        written = self.saved.trace.states
        found = self.trace().states[len(self.labels) + 1 - len(written) : taken + 1]
        pairs = zip(written, found, strict=False)
        return next((n for n, (was, now) in enumerate(pairs, 1) if was != now), None)


@frozen
class RareRun:
    """Run that walks hardly ever take; a known difference that it ``meets`` ends it.

    Without ``versions`` it is a run of all.
    """

    name: str
    bounds: Mapping[str, int]
    steps: tuple[str, ...]
    meets: str = ""
    versions: tuple[str, ...] = ()

    def is_of(self, version: str) -> bool:
        """Tell whether it is a run of a version."""
        return not self.versions or version in self.versions

    def labels(self, protocol: Protocol) -> tuple[str, ...]:
        """Labels of the steps whose actions a protocol has."""
        known = {action.__name__ for action in protocol.actions}
        return tuple(s for s in self.steps if s.partition("(")[0] in known)


def rare_runs(file: Path = RARE) -> tuple[RareRun, ...]:
    """Runs that come with the project: of brokers, or those of a file."""
    listed = tomllib.loads(file.read_text("utf-8"))
    return tuple(cattrs.structure(table, RareRun) for table in listed["run"])


def model_at_its_beginning(scenario: Scenario, system: System) -> Any:
    """Model of a scenario before the steps of its setup, without reductions."""
    begins = evolve(scenario, setup=(), sequence=(), reductions=())
    return model_of(begins, system, Place(scenario.name))


def written_run(scenario: Scenario, system: System) -> RecordedRun | None:
    """Run that a scenario writes out: its setup and its sequence, if it has any."""
    steps = (*scenario.setup, *scenario.sequence)
    if not steps:
        return None
    return RecordedRun(scenario.name, model_at_its_beginning(scenario, system), steps)


def saved_run(
    name: str, saved: SavedTrace, protocol: str, system: System
) -> RecordedRun:
    """Run of a saved trace, to be taken under a protocol.

    Its labels are those of the protocol that it was saved under.
    """
    header = saved.header
    scenario = Scenario(
        name=header.scenario,
        summary="",
        model=header.model,
        protocol=header.protocol,
        bounds=dict(header.bounds),
        initial=header.initial,
        setup=header.setup,
    )
    before = model_of(scenario, system, Place(name))
    steps = (*header.setup, *Stepper(before).labels(saved.trace))
    model = model_at_its_beginning(evolve(scenario, protocol=protocol), system)
    return RecordedRun(name, model, steps, saved)


def counterexamples(task: Task) -> Iterator[RecordedRun]:
    """Runs to the violations that a scenario expects, found by a search.

    Nothing is yielded of a violation that the protocol does not have.
    """
    scenario = task.scenario
    expected = scenario.expect.violations if scenario.expect else {}
    properties = [p for p in task.properties if p.name in expected]
    if not properties:
        return
    search = Search(Limits(states=MOST_STATES))
    report = BreadthFirst(1).explore(task.model, properties, search)
    model = model_at_its_beginning(scenario, task.system)
    for violation in report.violations:
        steps = (*scenario.setup, *Stepper(task.model).labels(violation.trace))
        yield RecordedRun(f"{scenario.name}: {violation.property}", model, steps)
