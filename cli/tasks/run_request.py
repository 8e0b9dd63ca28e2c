"""What was asked of a run: its searches, resolved, and what to do with the results."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from attrs import asdict, evolve, field, fields, frozen
from attrs.validators import deep_mapping, ge, in_, instance_of, optional

from replicheck.cli.tasks import source_digest
from replicheck.cli.tasks.engine_settings import Settings
from replicheck.cli.tasks.engines import ENGINES
from replicheck.cli.tasks.suite_entry import Entry
from replicheck.cli.tasks.task import Task
from replicheck.cli.version import VERSION
from replicheck.explorer.errors import CheckpointError
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.own.references import (
    is_reference,
    known_as,
    relative_reference,
    why_unknown,
)
from replicheck.invariants.catalogue.resolution import bounds_of
from replicheck.invariants.catalogue.scenario import LimitTable, Scenario
from replicheck.invariants.catalogue.size_limits import require_bounded_values
from replicheck.invariants.catalogue.systems import System
from replicheck.invariants.catalogue.toml_schema import structure
from replicheck.traces.printable_text import has_control_character
from replicheck.traces.run_text import RunDetail

REPORTS = ("html", "json", "junit", "markdown")
"""The forms of a report that can be asked for."""
EVERY = 300.0
"""Seconds between two checkpoints, unless the user wants it otherwise."""


class TextDetail(Enum):
    """How much the text of a run of several searches says."""

    ALL = "all"
    FAILURES = "failures"
    """A line for each result, and all that there is to say of those that fail."""
    NONE = "none"
    """A line for each result that fails."""


@frozen
class RunRequest:
    """The searches of one run, and the options that concern all of them."""

    tasks: tuple[Task, ...]
    traces: Path = field(validator=instance_of(Path))
    reports: Mapping[str, str] = field(
        factory=dict,
        validator=deep_mapping(in_(REPORTS), instance_of(str), instance_of(dict)),
    )
    """For each form of a report the file to write, - being standard output."""
    mutants: str | None = field(default=None, validator=optional(instance_of(str)))
    """A file of mutants to show on the page of the run."""
    annotates: bool = field(default=False, validator=instance_of(bool))
    covers: bool = field(default=False, validator=instance_of(bool))
    """Whether the text has the counts of each action and guard."""
    detail: TextDetail = field(default=TextDetail.FAILURES, converter=TextDetail)
    runs: RunDetail = field(default=RunDetail.STEPS, converter=RunDetail)
    accepts_incomplete: bool = field(default=False, validator=instance_of(bool))
    caches: bool = field(default=False, validator=instance_of(bool))
    every: float = field(default=EVERY, validator=[instance_of(int | float), ge(0)])

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
                "detail": self.detail.value,
                "runs": self.runs.value,
                "accepts_incomplete": self.accepts_incomplete,
                "caches": self.caches,
                "every": self.every,
            },
            "tasks": [_as_json(task) for task in self.tasks],
        }

    @property
    def own_code(self) -> tuple[tuple[str, str], ...]:
        """The options that name the code of the user's own that it runs, once each."""
        pairs = (pair for task in self.tasks for pair in task.system.own_code)
        return tuple(dict.fromkeys(pairs))

    @classmethod
    def of_json(
        cls, body: Mapping[str, Any], catalogue: Catalogue, path: Path
    ) -> RunRequest:
        """The order that a file holds.

        Raises:
            CheckpointError: if it is of another version, or names what does not exist.
        """
        try:
            require_bounded_values(dict(body), Place(str(path)))
            return cls._of_json(body, catalogue, path)
        except CheckpointError:
            raise
        except ScenarioError as error:
            raise CheckpointError(f"{error}; start again") from error
        except Exception as error:
            raise CheckpointError(
                f"{path} does not say what was asked of a run:"
                f" {type(error).__name__}: {error}; start again"
            ) from error

    @classmethod
    def _of_json(
        cls, body: Mapping[str, Any], catalogue: Catalogue, path: Path
    ) -> RunRequest:
        versions = {"version": VERSION, "code": source_digest.of_models()}
        for what, known in versions.items():
            if body[what] != known:
                raise CheckpointError(
                    f"{path} is of another version of replicheck: its {what} is"
                    f" {body[what]}, expected {known}; go on with that version, or"
                    " start again"
                )
        options = dict(body["options"])
        tasks = tuple(_of_json(entry, catalogue, path) for entry in body["tasks"])
        return cls(tasks, Path(options.pop("traces")), **options)

    def changed(
        self, threads: int | None, master: str | None, limits: LimitTable
    ) -> RunRequest:
        """The request with other threads, cluster and limits, where given."""
        given = {"threads": threads, "master": master}
        workers = {name: value for name, value in given.items() if value is not None}
        tasks = tuple(_changed(task, workers, limits) for task in self.tasks)
        return evolve(self, tasks=tasks)


def own_code_in(body: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The options that name a user's own code in what a file holds, once each."""
    pairs = []
    for entry in body["tasks"]:
        model = entry["scenario"]["model"]
        pairs += [("--model", model)] if is_reference(model) else []
        pairs += [("--invariant", claim) for claim in entry["references"].values()]
    return tuple(dict.fromkeys(pairs))


def _changed(task: Task, workers: Mapping[str, Any], limits: LimitTable) -> Task:
    given = {name: value for name, value in asdict(limits).items() if value is not None}
    scenario = evolve(task.scenario, limits=evolve(task.scenario.limits, **given))
    settings = evolve(task.settings, **workers)
    return evolve(task, scenario=scenario, settings=settings)


def _as_json(task: Task) -> dict[str, Any]:
    # Imported only here: most searches end before their first checkpoint.
    import cattrs

    names = [attribute.name for attribute in fields(Task) if attribute.name != "system"]
    known = {name: cattrs.unstructure(getattr(task, name)) for name in names}
    own = dict(task.system.references)
    return {**known, "references": own, "sources": task.system.digest}


def _of_json(known: Mapping[str, Any], catalogue: Catalogue, path: Path) -> Task:
    # Imported only here: most runs do not go on with one of before.
    import cattrs

    place, systems = Place(str(path)).at("tasks"), catalogue.systems
    scenario = _scenario(known["scenario"], place.at("scenario"))
    scenario = evolve(scenario, model=known_as(scenario.model, systems))
    if scenario.model not in systems and is_reference(scenario.model):
        raise CheckpointError(f"{path} {why_unknown(scenario.model, systems)}")
    if scenario.model not in systems:
        raise CheckpointError(
            f"{path} is of another version of replicheck: there is no model"
            f" {scenario.model}; go on with that version, or start again"
        )
    system = _with_claims(known, scenario, catalogue, path)
    if known["sources"] != system.digest:
        raise CheckpointError(
            f"{path} is of another version of {scenario.model}: go on with that"
            " version, or start again"
        )
    if known["engine"] not in ENGINES:
        raise place.unknown("engine", str(known["engine"]), ENGINES)
    bounds_of(system, scenario.bounds, place.at("bounds"))
    expected = scenario.expect.violations if scenario.expect else ()
    for name in expected:
        if name not in scenario.properties:
            where = place.at("scenario").at("expect").at("violations")
            raise where.unknown("property", name, scenario.properties)
    task = Task(
        scenario,
        evolve(_scenario(known["shipped"], place.at("shipped")), model=scenario.model),
        system,
        known["engine"],
        cattrs.structure(known["settings"], Settings),
        tuple(map(str, known["void"])),
        known["entry"] and cattrs.structure(known["entry"], Entry),
    )
    # Each of these raises if what the scenario names is not there.
    _ = task.model, task.properties, task.run_claims, task.command, task.title
    return task


def _with_claims(
    known: Mapping[str, Any], scenario: Scenario, catalogue: Catalogue, path: Path
) -> System:
    """The system with the properties of the user's own that were judged.

    Raises:
        CheckpointError: if the user does not name the code of one.
    """
    system = catalogue.systems[scenario.model]
    named = {relative_reference(reference) for reference in catalogue.claims}
    for name, reference in known["references"].items():
        if reference not in named:
            raise CheckpointError(
                f"{path} judges {reference}, whose code is run only if you name it: add"
                f" --invariant {reference}"
            )
        # Imported only here: most tasks have no properties of their own.
        from replicheck.invariants.catalogue.own.own_properties import (
            KINDS,
            with_own_properties,
        )

        for kind in KINDS:
            if name in getattr(scenario, kind):
                system, _ = with_own_properties(system, (reference,), kind)
    return system


def _scenario(known: Any, place: Place) -> Scenario:
    scenario = structure(known, Scenario, place)
    if has_control_character(scenario.name):
        raise place.at("name").error("has a control character")
    return scenario
