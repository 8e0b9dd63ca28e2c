"""What was asked of a run: its searches, resolved, and what to do with the results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cattrs
from attrs import asdict, evolve, field, fields, frozen

from replicheck.cli.tasks import source_digest
from replicheck.cli.tasks.engine_settings import Settings
from replicheck.cli.tasks.suite_entry import Entry
from replicheck.cli.tasks.task import Task
from replicheck.cli.version import VERSION
from replicheck.explorer.errors import CheckpointError
from replicheck.invariants.catalogue.references import is_reference
from replicheck.invariants.catalogue.scenario import LimitTable, Scenario
from replicheck.invariants.catalogue.systems import System

EVERY = 300.0
"""Seconds between two checkpoints, unless the user wants it otherwise."""


@frozen
class RunRequest:
    """The searches of one run, and the options that concern all of them."""

    tasks: tuple[Task, ...]
    traces: Path
    reports: Mapping[str, str] = field(factory=dict)
    """For each form of a report the file to write, - being standard output."""
    mutants: str | None = None
    """A file of mutants to show on the page of the run."""
    annotates: bool = False
    covers: bool = False
    """Whether the text has the counts of each action and guard."""
    accepts_incomplete: bool = False
    caches: bool = False
    every: float = EVERY

    @property
    def as_json(self) -> dict[str, Any]:
        """The order as JSON can hold it."""
        return {
            "version": VERSION,
            "code": source_digest.of_models(),
            "options": {
                "traces": str(self.traces),
                "reports": dict(self.reports),
                "mutants": self.mutants,
                "annotates": self.annotates,
                "covers": self.covers,
                "accepts_incomplete": self.accepts_incomplete,
                "caches": self.caches,
                "every": self.every,
            },
            "tasks": [_as_json(task) for task in self.tasks],
        }

    @classmethod
    def of_json(
        cls, body: Mapping[str, Any], systems: Mapping[str, System], path: Path
    ) -> RunRequest:
        """The order that a file holds.

        Raises:
            CheckpointError: if it is of another version.
        """
        versions = {"version": VERSION, "code": source_digest.of_models()}
        for what, known in versions.items():
            if body[what] != known:
                raise CheckpointError(
                    f"{path} is of another version of replicheck: its {what} is"
                    f" {body[what]}, expected {known}; go on with that one, or start"
                    " again"
                )
        options = dict(body["options"])
        tasks = tuple(_of_json(entry, systems, path) for entry in body["tasks"])
        return cls(tasks, Path(options.pop("traces")), **options)

    def changed(
        self, threads: int | None, master: str | None, limits: LimitTable
    ) -> RunRequest:
        """The order done by others and with other limits, where given."""
        others = {"threads": threads, "master": master}
        workers = {name: value for name, value in others.items() if value is not None}
        tasks = tuple(_changed(task, workers, limits) for task in self.tasks)
        return evolve(self, tasks=tasks)


def _changed(task: Task, workers: Mapping[str, Any], limits: LimitTable) -> Task:
    given = {name: value for name, value in asdict(limits).items() if value is not None}
    scenario = evolve(task.scenario, limits=evolve(task.scenario.limits, **given))
    settings = evolve(task.settings, **workers)
    return evolve(task, scenario=scenario, settings=settings)


def _as_json(task: Task) -> dict[str, Any]:
    names = [attribute.name for attribute in fields(Task) if attribute.name != "system"]
    known = {name: cattrs.unstructure(getattr(task, name)) for name in names}
    return {**known, "sources": task.system.digest}


def _of_json(
    known: Mapping[str, Any], systems: Mapping[str, System], path: Path
) -> Task:
    scenario = cattrs.structure(known["scenario"], Scenario)
    if scenario.model not in systems and is_reference(scenario.model):
        raise CheckpointError(
            f"{path} is of the model {scenario.model}, whose code is run only if you"
            f" name it: add --model {scenario.model}"
        )
    if scenario.model not in systems:
        raise CheckpointError(
            f"{path} is of another version of replicheck: there is no model"
            f" {scenario.model}; go on with that one, or start again"
        )
    if known["sources"] != systems[scenario.model].digest:
        raise CheckpointError(
            f"{path} is of another version of {scenario.model}: go on with that one, or"
            " start again"
        )
    return Task(
        scenario,
        cattrs.structure(known["shipped"], Scenario),
        systems[scenario.model],
        known["engine"],
        cattrs.structure(known["settings"], Settings),
        tuple(known["void"]),
        cattrs.structure(known["entry"], Entry | None),  # type: ignore[arg-type]
    )
