"""Observations of a run of a model, as logs of a cluster that took it would show."""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Iterator
from typing import Any

from checkout import GALLERY
from replicheck.cli.observations.observation_file import (
    ObservationFile,
    ObservationHeader,
)
from replicheck.cli.observations.observed_systems import ObservedSystem
from replicheck.cli.saved_traces.loaded_trace import load_trace
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.explorer.engines.trace_validation.observations import Observation
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model
from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.systems import System
from shipped import CATALOGUE

TakenStep = tuple[Instance, Any, Any]
"""An action, and the states before and after its step."""
CLOCK = 10
"""Milliseconds that a step takes."""


def random_run(model: Model[Any], steps: int, seed: int) -> Iterator[TakenStep]:
    """The steps of a random run, at most so many."""
    return quiet_run(model, (), steps, seed)


def quiet_run(
    model: Model[Any], environment: Container[str], steps: int, seed: int
) -> Iterator[TakenStep]:
    """Yield the steps of a random run in which a fault happens only at rest."""
    draw = random.Random(seed)
    actions = instances(model.actions, model.domains)
    state = next(iter(model.initial_states()))
    for _ in range(steps):
        enabled = [
            (action, after)
            for action in actions
            for after in action(state)
            if after != state
        ]
        own = [step for step in enabled if step[0].name not in environment]
        if not enabled:
            return
        action, after = draw.choice(own or enabled)
        yield action, state, after
        state = after


def steps_of(model: Model[Any], trace: Trace[Any]) -> Iterator[TakenStep]:
    """Yield the steps of a trace."""
    actions = instances(model.actions, model.domains)
    before = trace.start
    for step in trace.steps:
        arguments = dict(step.arguments)
        (action,) = (
            action
            for action in actions
            if action.name == step.action and dict(action.arguments) == arguments
        )
        yield action, before, step.state
        before = step.state


def observed(
    system: System, header: ObservationHeader, steps: Iterable[TakenStep]
) -> ObservationFile:
    """Observations of steps; the clock of every stream is exact."""
    protocol = system.protocols[0]
    if header.protocol:
        protocol = system.protocols_by_name[header.protocol]
    laid = ObservedSystem.of(system, protocol, {}, header.unobserved)
    projection = laid.projection
    seen = [
        Observation(stream, number * CLOCK, number * CLOCK, _without_open(label))
        for number, step in enumerate(steps)
        for stream, label in projection(*step)
    ]
    return ObservationFile(header, tuple(seen))


def counterexample(mutant: str) -> ObservationFile:
    """Observations of the run of a mutant in the gallery, with its protocol."""
    saved = read_trace(CATALOGUE, GALLERY / f"{mutant}.jsonl")
    model = load_trace(CATALOGUE, saved.header).model()
    header = ObservationHeader(
        protocol=mutant, initial="with-topic", bounds=saved.header.bounds
    )
    system = CATALOGUE.systems["cluster"]
    return observed(system, header, steps_of(model, saved.trace))


def _without_open(label: Any) -> Any:
    """A label less the values that the model leaves open."""
    if isinstance(label, dict):
        return {
            key: _without_open(value)
            for key, value in label.items()
            if value is not ...
        }
    if isinstance(label, list | tuple):
        return [_without_open(value) for value in label]
    return label
