"""The judge of a lasso that was saved: whether it is one, fair, and breaks a claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.liveness.claims import ClaimInstance, claim_instances
from replicheck.explorer.liveness.fairness import Fairness
from replicheck.explorer.model import Model
from replicheck.explorer.native.kernels.liveness.graph_arrays import (
    NO_FAIRNESS,
    STRONG,
)
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Trace


@frozen
class LassoJudge:
    """Judges runs that repeat the states from ``loop`` on, by plain Python."""

    model: Model[Any]
    claim: Property
    fairness: Fairness
    loop: int

    def broken_instance(self, trace: Trace[Any]) -> str:
        """ClaimInstance that the run breaks, or nothing."""
        states = trace.states
        if not 0 <= self.loop < len(states) or states[self.loop] != states[-1]:
            return ""
        if left_out(self.model, self.fairness, trace, self.loop) is not None:
            return ""
        broken = (
            instance.label
            for instance in claim_instances(self.claim, self.model.domains)
            if _breaks(instance, states, self.loop)
        )
        return next(broken, "")


def left_out(
    model: Model[Any], fairness: Fairness, trace: Trace[Any], loop: int
) -> Instance | None:
    """An instance that fairness demands, and that a run leaves out for ever.

    Args:
        model: what the run is of.
        fairness: that of its actions.
        trace: the run.
        loop: the place of the state from which it repeats.
    """
    looping = trace.states[loop:]
    taken = {
        (step.action, tuple(step.arguments.items())) for step in trace.steps[loop:]
    }
    actions = instances(model.actions, model.domains)
    demands = zip(actions, fairness.of(actions).tolist(), strict=True)
    for action, demanded in demands:
        if demanded == NO_FAIRNESS or (action.name, action.arguments) in taken:
            continue
        enabled = [_changes(action, state) for state in looping]
        if all(enabled) or (demanded == STRONG and any(enabled)):
            return action
    return None


def _changes(action: Instance, state: Any) -> bool:
    """Whether an action has a step that changes a state."""
    return any(after != state for after in _next(action, state))


def _next(action: Instance, state: Any) -> Iterator[Any]:
    yield from action(state)


def _breaks(instance: ClaimInstance, states: Sequence[Any], loop: int) -> bool:
    if instance.goal is None:
        return not all(instance.condition(state) for state in states[loop:])
    waits = False
    for state in states:
        waits = (waits or bool(instance.condition(state))) and not instance.goal(state)
    return waits
