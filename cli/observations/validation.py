"""Validation: whether a run of a model explains observations, and what it breaks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

import attrs
from attrs import frozen

from replicheck.cli.observations.observation_file import ObservationFile
from replicheck.cli.observations.observed_systems import (
    LACKS,
    STEPS,
    ObservedSystem,
)
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    Explanation,
    ExplanationEnding,
)
from replicheck.explorer.engines.trace_validation.explanation_search import (
    ExplanationSearch,
)
from replicheck.explorer.engines.trace_validation.nearness import Nearness, nearness_of
from replicheck.explorer.engines.trace_validation.observations import Streams
from replicheck.explorer.interpreter.judge import Judge
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Property, always, every_step
from replicheck.explorer.states.shared_cells import shared
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.resolution import bounds_of
from replicheck.invariants.catalogue.size_limits import MOST_OF_A_BOUND
from replicheck.invariants.catalogue.systems import System
from replicheck.invariants.cluster.observed.observed_bounds import (
    bounds_for,
    controllers_by_epoch,
)
from replicheck.invariants.cluster.observed.observed_labels import label_errors


@frozen
class Broken:
    """A property that the run breaks, the instance, and the state's number from 1."""

    property: Property
    instance: str
    state: int


@frozen
class Validation:
    """An explanation, the model that it is a run of, and what the run breaks.

    ``judged`` are the invariants and step properties that were evaluated. ``nearness``
    says how near the run came to breaking the others, if that was asked for and there
    is an explanation.
    """

    system: System
    model: Model[Any]
    protocol: str
    initial: str
    bounds: Mapping[str, int]
    explanation: Explanation
    judged: tuple[Property, ...]
    broken: tuple[Broken, ...]
    nearness: Nearness | None = None
    left_out: Mapping[str, int] = attrs.field(factory=dict)
    """Number of observations by their kinds, for which the model has no cell."""

    @property
    def out_of_reach(self) -> tuple[str, ...]:
        """Names of the judged properties that speak of what bounds rule out."""
        vacuous = set(self.system.out_of_reach(self.bounds))
        return tuple(claim.name for claim in self.judged if claim.name in vacuous)

    def with_nearness(self, steps: int, states: int) -> Validation:
        """The validation with the nearest violations within so many further steps.

        The search ends with the level that reaches a number of states.

        Raises:
            ModelError: if a function of the model raised.
        """
        if self.explanation.ending is not ExplanationEnding.EXPLAINED:
            return self
        broken = {found.property for found in self.broken}
        left = [claim for claim in self.judged if claim not in broken]
        run = self.explanation.trace
        found = nearness_of(self.model, run, left, steps, states)
        return attrs.evolve(self, nearness=found)


def validate(
    catalogue: Catalogue, file: ObservationFile, place: str, effort: Effort
) -> Validation:
    """Search for a run that explains a file of observations, and judge that run.

    Raises:
        ScenarioError: if the header names a model, protocol, state or bound that there
            is not, or a label is none of the model's.
    """
    header, at = file.header, Place(place)
    if header.model not in STEPS:
        raise at.at("model").unknown("model with observed steps", header.model, STEPS)
    for number, seen in enumerate(file.observations, 2):
        for problem in label_errors(seen.stream, seen.label):
            raise Place(f"{place}:{number}").at("label").error(problem)
    system = catalogue.systems[header.model]
    protocol = _protocol(system, header.protocol, at)
    if header.initial not in system.initials:
        raise at.at("initial").unknown("state", header.initial, system.initials)
    in_time = sorted(file.observations, key=lambda seen: seen.begin)
    events = [(seen.stream, seen.label) for seen in in_time]
    known = {field.name for field in attrs.fields(system.bounds)}
    derived = {k: v for k, v in bounds_for(events).items() if k in known}
    for name in sorted(derived.keys() - header.bounds.keys()):
        if derived[name] > MOST_OF_A_BOUND:
            raise at.error(
                f"the observations need {name}={derived[name]}, and no bound is above"
                f" {MOST_OF_A_BOUND}: validate a part of them, or set bounds.{name} in"
                " the header"
            )
    bounds = bounds_of(system, {**derived, **header.bounds}, at.at("bounds"))
    start = system.initials[header.initial](bounds)
    model: Model[Any] = attrs.evolve(
        system.build(system.protocols_by_name[protocol], bounds), start=start
    )
    observed = ObservedSystem.of(
        system, controllers_by_epoch(events), header.unobserved
    )
    lacking = LACKS[system.name]
    compared = [seen for seen in file.observations if seen.kind not in lacking]
    streams = Streams.of(compared, header.slack)
    search = ExplanationSearch(
        model, streams, observed.projection, observed.hidden, effort
    )
    explanation = search.explain()
    properties = [*map(always, system.invariants), *map(every_step, system.steps)]
    return Validation(
        system,
        model,
        protocol,
        header.initial,
        attrs.asdict(bounds),
        explanation,
        tuple(properties),
        tuple(_broken(model, properties, explanation)),
        left_out=Counter(
            seen.kind for seen in file.observations if seen.kind in lacking
        ),
    )


def _protocol(system: System, name: str, place: Place) -> str:
    """Name of a protocol: that of the header, else the first of the system."""
    known = system.protocols_by_name
    if name and name not in known:
        raise place.at("protocol").unknown("protocol", name, known)
    return name or system.protocols[0].name


def _broken(
    model: Model[Any], properties: list[Property], explanation: Explanation
) -> Iterator[Broken]:
    """Properties that the run breaks, each where it does so first."""
    states = list(accumulate(explanation.trace.states, shared))
    for claim in properties:
        judge = Judge(model, claim)
        before = None
        for number, state in enumerate(states, 1):
            instance = judge.broken_instance(before, state)
            if instance:
                yield Broken(claim, instance, number)
                break
            before = state
