"""How near a run came to a violation: a search of bounded depth from all its states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.errors import ModelError
from replicheck.explorer.model import Model, ModelFromStates
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report, Trace, Violation

MOST_STATES = 1_000_000
"""The search ends with the level that reaches so many states."""


@frozen
class NearViolation:
    """A violation, and the state of the run, by its number from 1, that is nearest.

    The trace of the violation begins there.
    """

    state: int
    violation: Violation[Any]

    @property
    def steps(self) -> int:
        """Number of further steps to the violation; 0 if the state itself breaks."""
        return len(self.violation.trace.steps)


@frozen
class Nearness:
    """The violations within so many further steps of any state of a run.

    ``asked`` is how many steps were to be searched; ``searched`` how many were, in
    every order and from every state. ``is_all`` says that no state lies beyond them.
    Of each property the violation of fewest steps is given; where several states of
    the run are as near, one of them.
    """

    asked: int
    searched: int
    is_all: bool
    states: int
    starts: int
    violations: tuple[NearViolation, ...]


def nearness_of(
    model: Model[Any],
    run: Trace[Any],
    properties: Sequence[Property],
    steps: int,
    most_states: int = MOST_STATES,
) -> Nearness:
    """Search for the nearest violation of each property, from each state of a run.

    The search is breadth-first from all states of the run at once, so that what it
    finds first is the nearest to any of them.

    Raises:
        ModelError: if a function of the model raised.
    """
    starts = tuple(dict.fromkeys(run.states))
    limits = Limits(states=most_states, depth=steps + 1)
    report = BreadthFirst().explore(
        ModelFromStates(model, starts), properties, Search(limits, Stop.DECIDED)
    )
    failure = report.failure
    if failure is not None:
        raise ModelError(f"{failure.function} raised {failure.message}")
    numbers = {state: number for number, state in reversed([*enumerate(run.states, 1)])}
    return Nearness(
        steps,
        _searched(report, steps),
        report.cut is None,
        report.states,
        len(starts),
        tuple(
            NearViolation(numbers[violation.trace.start], violation)
            for violation in report.violations
        ),
    )


def _searched(report: Report[Any], asked: int) -> int:
    """How many further steps were searched whole; what memory cut is not."""
    if report.cut is None:
        return asked
    is_whole = report.cut in ("depth", "states")
    return max(0, report.depth - (1 if is_whole else 2))
