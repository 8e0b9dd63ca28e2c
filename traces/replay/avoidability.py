"""Avoiding: from which states of a run its violation could still have been avoided.

A state is doomed if every run from it that goes on as long as it can comes to a
violation. It is not doomed if some run comes to rest, or round to a state where it was,
without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from math import inf
from typing import Any

from attrs import define, field, frozen

from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.interpreter.judge import InstanceJudge
from replicheck.explorer.model import Model
from replicheck.explorer.report import Step, Trace
from replicheck.traces.describer import Describer
from replicheck.traces.run_text import is_fault


class End(Enum):
    """How a run that avoids the violation ends."""

    REST = "nothing can happen any more"
    CIRCLE = "it can go round for ever"


@frozen
class Escape:
    """The last state, by its number from 1, from which the violation can be avoided.

    ``trace`` is a run from the first state of the saved one that keeps the property;
    the first step that differs is the one from state ``state``. That is a fault only
    if the violation cannot be avoided from there without one.
    """

    state: int
    trace: Trace[Any]
    end: End
    by_fault: bool

    @property
    def steps(self) -> tuple[Step[Any], ...]:
        """The steps from the state on."""
        return self.trace.steps[self.state - 1 :]

    @property
    def instead(self) -> str:
        """The step by which the violation is avoided; none if there is no step."""
        if not self.steps:
            return ""
        return f"{'the fault ' * self.by_fault}{self.steps[0].label}"


@frozen
class Verdict:
    """What a search for an escape found.

    ``doomed`` are the numbers of the states from which every run violates, ``unknown``
    those of which the search left it open.
    """

    escape: Escape | None
    doomed: tuple[int, ...]
    unknown: tuple[int, ...]


class _Enough(Exception):
    """The search visited as many states as it may."""


@frozen
class EscapeLimits:
    """How many states the search from a state of the run visits, and all together."""

    per_state: int
    total: float = inf


QUICK = EscapeLimits(per_state=1_000, total=5_000)
"""Limits of what is done for the summary of a counterexample."""


def last_escape(
    model: Model[Any],
    trace: Trace[Any],
    judge: InstanceJudge,
    limits: EscapeLimits,
    describer: Describer | None = None,
) -> Verdict:
    """The last state of a run from which its violation can be avoided.

    Args:
        model: takes the run.
        trace: ends with a violation.
        judge: finds the violation.
        limits: of the searches; past the total nothing more is looked for.
        describer: tells faults, which are the last resort.
    """
    search = _Search(instances(model.actions, model.domains), judge, describer)
    doomed, unknown = [len(trace.states)], []
    for number in range(len(trace.steps), 0, -1):
        try:
            found = search.run_from(trace.states[number - 1], limits)
        except _Enough:
            unknown.append(number)
            if search.visited > limits.total:
                unknown += range(1, number)
                break
            continue
        if found is None:
            doomed.append(number)
            continue
        steps, end = found
        whole = Trace(trace.start, (*trace.steps[: number - 1], *steps))
        before = trace.states[number - 1]
        by_fault = bool(steps) and is_fault(steps[0], before, describer)
        escape = Escape(number, whole, end, by_fault)
        return Verdict(escape, tuple(doomed), tuple(unknown))
    return Verdict(None, tuple(doomed), tuple(unknown))


def escape_text(trace: Trace[Any], verdict: Verdict) -> str:
    """Until when the violation of a run could be avoided, as far as it is known."""
    escape, last = verdict.escape, len(trace.states)
    if escape is None and verdict.unknown:
        return "not known: a longer search may tell, see `replicheck trace explain`"
    if escape is None:
        return "never: every run from state 1 comes to a violation"
    later = [number for number in verdict.unknown if number > escape.state]
    until = f"until state {escape.state} of {last}"
    if later:
        until += ", perhaps later"
    taken = trace.steps[escape.state - 1].label
    return f"{until}, by {escape.instead or 'no step at all'} in place of {taken}"


@define
class _Frame:
    """A state on the way, the step that led to it, and the steps not tried yet."""

    state: Any
    step: Step[Any] | None
    ahead: Iterator[Step[Any]]
    is_at_rest: bool = True


@define
class _Search:
    """Goes depth first, and remembers what is doomed."""

    actions: tuple[Instance, ...]
    judge: InstanceJudge
    describer: Describer | None
    doomed: set[Any] = field(factory=set)
    visited: int = 0

    def run_from(
        self, start: Any, limits: EscapeLimits
    ) -> tuple[tuple[Step[Any], ...], End] | None:
        """A run without violation that goes on as long as it can, if any."""
        way = [_Frame(start, None, self._steps(start))]
        states, visited = {start}, 0
        while way:
            step = self._next(way[-1])
            if step is None:
                if way[-1].is_at_rest:
                    return _steps_of(way), End.REST
                left = way.pop().state
                states.discard(left)
                self.doomed.add(left)
            elif step.state in states:
                return (*_steps_of(way), step), End.CIRCLE
            else:
                visited += 1
                self.visited += 1
                if visited > limits.per_state or self.visited > limits.total:
                    raise _Enough
                states.add(step.state)
                way.append(_Frame(step.state, step, self._steps(step.state)))
        return None

    def _next(self, frame: _Frame) -> Step[Any] | None:
        """The next step that neither violates nor leads into doom."""
        for step in frame.ahead:
            frame.is_at_rest = False
            if step.state in self.doomed:
                continue
            if not self.judge.broken_instance(frame.state, step.state):
                return step
        return None

    def _steps(self, state: Any) -> Iterator[Step[Any]]:
        """Yield the steps that change something, faults behind all others."""
        faults = []
        for action in self.actions:
            for after in action(state):
                if after == state:
                    continue
                step = Step(action.name, dict(action.arguments), after)
                if is_fault(step, state, self.describer):
                    faults.append(step)
                else:
                    yield step
        yield from faults


def _steps_of(way: list[_Frame]) -> tuple[Step[Any], ...]:
    return tuple(frame.step for frame in way if frame.step is not None)
