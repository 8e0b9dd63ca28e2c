"""Runs of a model step by step: to the state where a search begins, or on from it.

A step is written as in a counterexample: ``crash(broker=0)``. Where an action gives
several next states, ``crash(broker=0) [2]`` is the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from attrs import evolve, frozen

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.scenario import Names, Scenario
from replicheck.invariants.catalogue.size_limits import require_a_size
from replicheck.invariants.catalogue.systems import System
from replicheck.model.protocol import Protocol

MOST_STARTS = 1 << 10
"""States after a setup that are kept: each is asked for several times in a run."""


@frozen
class _Origin:
    """What a model is made of, and the state in which it begins before a setup."""

    build: Callable[[Protocol, Any], Any]
    protocol: Protocol
    bounds: Callable[..., Any]
    values: tuple[tuple[str, int], ...]
    """The values of the bounds."""
    initial: Callable[[Any], Any] | None

    @property
    def model(self) -> Any:
        """The model that begins there."""
        bounds = self.bounds(**dict(self.values))
        model = self.build(self.protocol, bounds)
        if self.initial is None:
            return model
        return evolve(model, start=self.initial(bounds))


def model_of(scenario: Scenario, system: System, place: Place) -> Any:
    """The model under the scenario's protocol, within its bounds, at its start.

    What was before the start was done by the original of a mutation, without reduction.

    Raises:
        ScenarioError: if there is no such initial state, a step cannot be taken, the
            bounds are too large for any engine, or a reduction would change an answer.
    """
    protocol = system.protocols_by_name[scenario.protocol]
    known = system.initials
    if scenario.initial and scenario.initial not in known:
        raise place.at("initial").unknown("initial state", scenario.initial, known)
    origin = _Origin(
        system.build,
        protocol.original or protocol,
        system.bounds,
        tuple(scenario.bounds.items()),
        known[scenario.initial] if scenario.initial else None,
    )
    model = origin.model
    claimed = system.claimed(scenario.properties)
    actions = ((action, 1) for action in model.actions)
    require_a_size((*actions, *claimed), model.domains, place)
    if scenario.setup:
        if not system.initials:
            raise place.at("setup").error(
                f"the model {system.name} always begins in the same state, expected no"
                " setup"
            )
        with _clear_refusals(model, scenario.setup, place.at("setup")):
            model = evolve(model, start=_start(origin, scenario.setup))
    if not (protocol.original or scenario.reductions):
        return model
    try:
        changed = system.protocol(scenario.protocol, scenario.reductions)
        return evolve(model, protocol=changed)
    except ValueError as error:
        raise place.at("reductions").error(str(error)) from error


def state_after(scenario: Scenario, system: System, steps: Names, place: Place) -> Any:
    """The state to which steps lead from the scenario's start, without a reduction.

    Raises:
        ScenarioError: if there is no such step, or it cannot be taken.
    """
    model = model_of(evolve(scenario, reductions=()), system, place)
    state, *_others = model.initial_states()
    return run(model, state, steps, place)


def run(model: Any, state: Any, steps: Names, place: Place) -> Any:
    """State to which steps lead.

    Raises:
        ScenarioError: if there is no such step, or it cannot be taken.
    """
    if not steps:
        return state
    with _clear_refusals(model, steps, place):
        return _end(model, state, steps)


@lru_cache(MOST_STARTS)
def _start(origin: _Origin, setup: Names) -> Any:
    """State to which a setup leads."""
    model = origin.model
    (state,) = model.initial_states()
    return _end(model, state, setup)


def _end(model: Any, state: Any, steps: Names) -> Any:
    # Imported only here: most scenarios have no setup.
    from replicheck.explorer.interpreter.stepper import Stepper

    return Stepper(model).take(steps, state).states[-1]


@contextmanager
def _clear_refusals(model: Any, steps: Names, place: Place) -> Iterator[None]:
    """Context in which steps that cannot be taken are named with their place.

    Raises:
        ScenarioError: if there is no such step, or it cannot be taken.
    """
    from replicheck.explorer.interpreter.stepper import CannotTake, Stepper

    try:
        yield
    except CannotTake as error:
        where, step = place.item(error.number), steps[error.number - 1]
        if error.next_states is None:
            label = step.partition(" [")[0]
            needed = getattr(model, "budgets", {}).get(label.partition("(")[0], ())
            if needed and not any(getattr(model.bounds, name) for name in needed):
                raise where.error(
                    f'"{step}" is no step within these bounds: it needs'
                    f" {' or '.join(needed)} >= 1"
                ) from error
            raise where.unknown("step", label, Stepper(model).actions) from error
        raise where.error(
            f'"{step}" has {error.next_states} next states here, expected '
            + ("more" if step.endswith("]") else "one")
        ) from error
