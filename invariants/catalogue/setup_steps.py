"""Where runs of a scenario begin: initial states by name, and steps on from there.

A step is written as in a counterexample: ``crash(broker=0)``. Where an action gives
several next states, ``crash(broker=0) [2]`` is the second. A beginning may have several
states, too: under its name ``any_leader`` runs begin in each of them, and under
``any_leader [2]`` in the second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from attrs import evolve, frozen

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.scenario import Names, Scenario
from replicheck.invariants.catalogue.size_limits import require_a_size
from replicheck.invariants.catalogue.systems import System
from replicheck.model.protocol import Protocol, states_begun

NAME = re.compile(r"(?P<beginning>.*) \[(?P<number>[1-9][0-9]{0,8})\]")
NEARLY_NAME = re.compile(r"(?P<beginning>.*?) *\[ *-?\d+ *\]")
"""What looks like the name of a state of a beginning, and may be none."""
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
    start: Any
    """A state or a tuple of several; None is where the model begins by itself."""

    @property
    def model(self) -> Any:
        """The model that begins there."""
        model = self.build(self.protocol, self.bounds(**dict(self.values)))
        return model if self.start is None else evolve(model, start=self.start)


def model_of(
    scenario: Scenario, system: System, place: Place, setup: Place | None = None
) -> Any:
    """The model under the scenario's protocol, within its bounds, at its start.

    What was before the start was done by the original of a mutation, without reduction.

    Args:
        setup: where its setup is written, if not at its place.

    Raises:
        ScenarioError: if there is no such initial state, a step cannot be taken, the
            bounds are too large for any engine, or a reduction would change an answer.
    """
    protocol = system.protocols_by_name[scenario.protocol]
    start = None
    if scenario.initial:
        bounds = system.bounds(**scenario.bounds)
        where = place.at("initial")
        start = initial_states(system, scenario.initial, bounds, where)
    origin = _Origin(
        system.build,
        protocol.original or protocol,
        system.bounds,
        tuple(scenario.bounds.items()),
        start,
    )
    model = origin.model
    claimed = system.claimed(scenario.properties)
    actions = ((action, 1) for action in model.actions)
    require_a_size((*actions, *claimed), model.domains, place)
    if scenario.setup:
        setup = setup or place.at("setup")
        if not system.initials:
            raise setup.error(
                f"the model {system.name} always begins in the same state, expected no"
                " setup"
            )
        require_one(model, scenario, system, setup)
        with _clear_refusals(model, scenario.setup, setup):
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
    if not steps:
        return next(iter(model.initial_states()))
    return run(model, require_one(model, scenario, system, place), steps, place)


def run(model: Any, state: Any, steps: Names, place: Place) -> Any:
    """State to which steps lead.

    Raises:
        ScenarioError: if there is no such step, or it cannot be taken.
    """
    if not steps:
        return state
    with _clear_refusals(model, steps, place):
        return _end(model, state, steps)


def initial_states(system: System, name: str, bounds: Any, place: Place) -> Any:
    """State in which runs begin under a name, or a tuple of several.

    Raises:
        ScenarioError: if there is no such beginning, or it has no such state.
    """
    beginning, number = _parts(name)
    if beginning not in system.initials:
        nearly = NEARLY_NAME.fullmatch(name)
        if nearly is not None and (first := nearly["beginning"]) in system.initials:
            raise place.error(
                f'there is no initial state "{name}": the first of {first} is'
                f' "{first} [1]"'
            )
        if not system.initials:
            raise place.error(
                f"{system.name} has no initial states with names, one of which could be"
                f' "{name}": leave it out'
            )
        raise place.unknown("initial state", beginning, system.initials)
    begun = system.initials[beginning](bounds)
    if number is None:
        return begun
    states = states_begun(begun)
    if number > len(states):
        raise place.error(
            f'there is no initial state "{name}": {beginning} has {len(states)} within'
            " these bounds"
        )
    return states[number - 1]


def states_beside(scenario: Scenario, system: System) -> tuple[Any, ...]:
    """States of the beginning of a scenario, also where its runs begin in one of them.

    After a setup it is the one state before that; of a model that has no names for its
    initial states it is none.
    """
    if not system.initials:
        return ()
    begin = system.initials[_beginning(scenario, system)]
    return states_begun(begin(system.bounds(**scenario.bounds)))


def name_of(state: Any, scenario: Scenario, system: System) -> str:
    """Name of the initial state in which a run of a scenario begins.

    It is that of the scenario where its beginning has one state, or lacks this one, as
    after a setup.
    """
    states = states_beside(scenario, system)
    if len(states) < 2 or state not in states:
        return scenario.initial
    return f"{_beginning(scenario, system)} [{states.index(state) + 1}]"


def require_one(model: Any, scenario: Scenario, system: System, place: Place) -> Any:
    """The one state in which runs of a scenario begin.

    Raises:
        ScenarioError: if they begin in several, so that steps do not say where from.
    """
    state, *others = model.initial_states()
    if others:
        raise place.error(
            f"steps begin in one state, and runs of {scenario.name} begin in"
            f" {1 + len(others):,}: name one by `initial`, such as"
            f' "{name_of(state, scenario, system)}"'
        )
    return state


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


def _beginning(scenario: Scenario, system: System) -> str:
    """The name of the beginning of a scenario, without the number of a state."""
    return _parts(scenario.initial or next(iter(system.initials)))[0]


def _parts(name: str) -> tuple[str, int | None]:
    """The beginning of a name, and the number behind it, if there is one."""
    match = NAME.fullmatch(name)
    if match is None:
        return name, None
    return match["beginning"], int(match["number"])
