"""Campaigns of a task: where walks go, and what becomes of what they find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
from attrs import evolve, frozen

from replicheck.cli.results.walk_outcome import WalkOutcome
from replicheck.cli.runs.learning_hints import learning_hints
from replicheck.cli.runs.trace_files import file_name
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engines.fuzzing.bound_shrinking import shrink_bounds
from replicheck.explorer.engines.fuzzing.campaign import Campaign
from replicheck.explorer.engines.fuzzing.campaign_result import CampaignResult
from replicheck.explorer.engines.fuzzing.model_family import ModelFamily
from replicheck.explorer.engines.simulation.shrinking import shrink
from replicheck.explorer.engines.simulation.simulation import WalkLimits
from replicheck.explorer.engines.simulation.walk_progress import WalkWatches
from replicheck.explorer.instances import Instance
from replicheck.explorer.model import Model
from replicheck.invariants.catalogue.errors import Place, ScenarioError
from replicheck.invariants.catalogue.resolution import with_changes
from replicheck.invariants.catalogue.scenario import Range


@frozen
class Profile:
    """How long a campaign goes on, unless the user says otherwise."""

    examples: int | None
    seconds: float | None


PROFILES: Mapping[str, Profile] = {
    "ci": Profile(examples=2_000, seconds=None),
    "nightly": Profile(examples=None, seconds=3_600.0),
}
DEFAULT = Profile(examples=None, seconds=60.0)


def profile_of(
    name: str | None, examples: int | None, seconds: float | None
) -> Profile:
    """The profile of a name; what the user gives takes the place of its own."""
    if (name, examples, seconds) == (None, None, None):
        return DEFAULT
    base = PROFILES[name] if name else Profile(None, None)
    return Profile(examples or base.examples, seconds or base.seconds)


def ranges_of(task: Task, fixed: Mapping[str, object]) -> dict[str, Range]:
    """The ranges of the task's scenario, but for the bounds the user fixed."""
    ranges = task.scenario.ranges.items()
    return {name: ends for name, ends in ranges if name not in fixed}


def family_of(task: Task, ranges: Mapping[str, Range]) -> ModelFamily[Any]:
    """Model family through which the walks of a task go."""
    describer = task.system.describer

    def make(bounds: Mapping[str, int]) -> Model[Any] | None:
        try:
            return _within(task, bounds).model
        except ScenarioError:
            return None

    def group(instance: Instance) -> object:
        return describer.actor(instance.name, dict(instance.arguments))

    faults = frozenset(action.__name__ for action in task.system.environment)
    return ModelFamily(make, ranges, task.properties, faults, group)


def run_campaign(
    task: Task,
    ranges: Mapping[str, Range],
    seed: int,
    limits: WalkLimits,
    database: Path | None,
    threads: int,
    watches: WalkWatches,
) -> WalkOutcome:
    """Outcome of a campaign, the run to a violation minimised.

    Raises:
        ModelError: if the model breaks the contract.
        ScenarioError: if there is no model within the ranges.
    """
    family = family_of(task, ranges)
    least = {name: least for name, (least, _) in ranges.items()}
    greatest = {name: greatest for name, (_, greatest) in ranges.items()}
    for ends in (least, greatest):
        _within(task, ends).model  # noqa: B018
    if database is not None:
        scenario = task.scenario
        names = (scenario.name, scenario.protocol, *scenario.reductions)
        database = database / file_name("-".join(names))
    found = Campaign(family, limits, watches.walks).run(seed, database)
    drawn = ", ".join(f"{name} {low}-{high}" for name, (low, high) in ranges.items())
    outcome = WalkOutcome(
        task,
        seed,
        (found.walks,),
        unit="examples",
        extra={"drawn": drawn or "no bounds"},
        slow=learning_hints(found.learners, found.walks.steps),
    )
    if not found.walks.violations:
        return outcome
    return _with_violation(outcome, family, found, threads, watches.shrinking)


def _with_violation(
    outcome: WalkOutcome,
    family: ModelFamily[Any],
    found: CampaignResult[Any],
    threads: int,
    while_trying: Callable[[], None],
) -> WalkOutcome:
    """The outcome with the violation, by a small run within small bounds."""
    task, (first,) = outcome.task, found.walks.violations
    claim = next(claim for claim in task.properties if claim.name == first.property)
    model = family.make(found.bounds)
    assert model is not None, "the violation is of a model"
    shorter = shrink(
        model, claim, first, threads, faults=family.faults, while_trying=while_trying
    )
    bounds, shorter = shrink_bounds(family, claim, found.bounds, shorter)
    return evolve(
        outcome,
        task=_within(task, bounds),
        violation=shorter,
        walked=found.first_length,
    )


def _within(task: Task, bounds: Mapping[str, int]) -> Task:
    """The task within other bounds."""
    place = Place(task.scenario.name)
    scenario = with_changes(task.scenario, task.system, place, bounds=bounds)
    return attrs.evolve(task, scenario=scenario)
