"""Validation: whether a run of a model explains observations, and what it breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

import attrs
from attrs import frozen

from replicheck.cli.observations.observation_file import ObservationFile
from replicheck.cli.observations.observed_model import ObservedModel
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    Explanation,
    ExplanationEnding,
)
from replicheck.explorer.engines.trace_validation.nearness import Nearness, nearness_of
from replicheck.explorer.interpreter.judge import Judge
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Property, always, every_step
from replicheck.explorer.states.shared_cells import shared
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.systems import System


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
    asked = ObservedModel.of(catalogue, file, place)
    explanation = asked.explain(effort)
    system = asked.system
    properties = [*map(always, system.invariants), *map(every_step, system.steps)]
    return Validation(
        system,
        asked.model,
        asked.protocol,
        asked.initial,
        asked.bounds,
        explanation,
        tuple(properties),
        tuple(_broken(asked.model, properties, explanation)),
        left_out=asked.left_out,
    )


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
