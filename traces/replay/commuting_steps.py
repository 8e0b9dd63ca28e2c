"""Calm runs: commuting steps reordered, so that each broker's steps stand together."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from attrs import define, evolve

from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model
from replicheck.explorer.report import Step, Trace

Actor = Callable[[Step[Any]], str | None]


def group_by_actor(model: Model[Any], trace: Trace[Any], actor: Actor) -> Trace[Any]:
    """The run with the steps of each actor together; it ends in the same state.

    Two neighbours change places only where the model takes them in the other order to
    the same state. The last step stays the last, since it is what breaks a property.

    Args:
        model: takes the run.
        actor: tells who takes a step.
    """
    actions = {
        instance.label: instance for instance in instances(model.actions, model.domains)
    }
    run = _Run(actions, [trace.start], [*trace.steps])
    run.states += [step.state for step in trace.steps]
    for place in range(1, len(run.steps) - 1):
        run.bring(place, actor)
    return Trace(trace.start, tuple(run.steps))


def switches(trace: Trace[Any], actor: Actor) -> int:
    """Number of times that another actor takes the next step."""
    actors = [actor(step) for step in trace.steps]
    return sum(first != second for first, second in pairwise(actors))


@define
class _Run:
    """A run that is reordered; ``states[i]`` is the state before ``steps[i]``."""

    actions: dict[str, Instance]
    states: list[Any]
    steps: list[Step[Any]]

    def bring(self, place: int, actor: Actor) -> None:
        """Bring the nearest step of the last actor that can come to a place."""
        wanted = actor(self.steps[place - 1])
        for candidate in range(place, len(self.steps) - 1):
            if actor(self.steps[candidate]) == wanted and self._move(candidate, place):
                return

    def _move(self, source: int, target: int) -> bool:
        """Move a step to an earlier place, step by step, or leave the run as it was."""
        states, steps = [*self.states], [*self.steps]
        for place in range(source, target, -1):
            if not self._swap(place - 1):
                self.states, self.steps = states, steps
                return False
        return True

    def _swap(self, place: int) -> bool:
        """Let two neighbours change places, if that leads to the same state."""
        before, end = self.states[place], self.states[place + 2]
        first, second = self.steps[place], self.steps[place + 1]
        for between in self._after(second, before):
            for after in self._after(first, between):
                if after == end:
                    self.states[place + 1] = between
                    self.steps[place] = evolve(second, state=between)
                    self.steps[place + 1] = evolve(first, state=end)
                    return True
        return False

    def _after(self, step: Step[Any], state: Any) -> list[Any]:
        return list(self.actions[step.label](state))
