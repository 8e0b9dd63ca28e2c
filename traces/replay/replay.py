"""Replay: a saved run, step by step, in the model as it is now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

from attrs import evolve, field, frozen

from replicheck.explorer.errors import message_of
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.interpreter.judge import InstanceJudge
from replicheck.explorer.model import Model
from replicheck.explorer.report import Step, Trace
from replicheck.explorer.states.layout import Layout
from replicheck.traces.replay.disabling_guard import Guard, last_guard
from replicheck.traces.state_diff import Change, changes


class Ending(Enum):
    """What became of a saved run."""

    VIOLATES = "still violates"
    KEEPS = "no longer violates"
    CHANGED = "the model changed"


@frozen
class Difference:
    """A step that leads to another state than it did when the run was saved.

    ``changes`` go from what was saved to what is now.
    """

    state: int
    action: str
    changes: tuple[Change, ...]


@frozen
class Replay:
    """What became of a saved run, decided at the state with this number, from 1.

    ``instance`` is what broke, where something still does; ``guard`` is what says no,
    where a step is disabled now; ``reason`` says what changed, where nothing can be
    said of the run. ``trace`` is the run as far as it goes now.
    """

    ending: Ending
    state: int
    trace: Trace[Any]
    action: str = ""
    instance: str = ""
    reason: str = ""
    guard: Guard | None = None
    differences: tuple[Difference, ...] = ()


class RunJudge(Protocol):
    """Whatever finds in a whole run that which it is to show."""

    def broken_instance(self, trace: Trace[Any]) -> str:
        """Instance that the run breaks, or nothing."""


class NoRunJudge:
    """Finds nothing: a run is judged state by state."""

    def broken_instance(self, trace: Trace[Any]) -> str:
        """Nothing."""
        return ""


@frozen
class Replayer:
    """The present model with what a saved run is judged by.

    ``replaced`` has, for an action that is no longer there, the one in its place.
    """

    model: Model[Any]
    judge: InstanceJudge
    replaced: Mapping[str, str] = field(factory=dict)
    run_judge: RunJudge = field(factory=NoRunJudge)

    def replay(self, saved: Trace[Any]) -> Replay:
        """Step the present model through a saved run, as far as it goes."""
        # The model's own state, since constants are no part of the comparison.
        start = _equal(saved.start, list(self.model.initial_states()))
        if start is None:
            reason = "the model no longer begins in the first state of the trace"
            return Replay(Ending.CHANGED, 1, Trace(saved.start), reason=reason)
        replay = self._judged(Replay(Ending.KEEPS, 1, Trace(start)), None)
        for step in saved.steps:
            if replay.ending is not Ending.KEEPS or replay.guard is not None:
                return replay
            replay = self._after(replay, step)
        if replay.ending is not Ending.KEEPS or replay.guard is not None:
            return replay
        instance = self.run_judge.broken_instance(replay.trace)
        if not instance:
            return replay
        return evolve(replay, ending=Ending.VIOLATES, instance=instance)

    def _after(self, replay: Replay, saved: Step[Any]) -> Replay:
        number, before = replay.state + 1, replay.trace.states[-1]
        replay = evolve(replay, state=number, action=saved.label)
        action = self._action(saved)
        if action is None:
            reason = f"there is no action {saved.label} within the bounds any more"
            return evolve(replay, ending=Ending.CHANGED, reason=reason)
        try:
            states = list(action(before))
        except Exception as error:
            reason = f"{action.label} raises {message_of(error)}"
            return evolve(replay, ending=Ending.CHANGED, reason=reason)
        if not states:
            return evolve(replay, guard=last_guard(action, before), action=action.label)
        after = _equal(saved.state, states)
        if after is None and len(states) > 1:
            reason = f"{action.label} has {len(states)} next states, none the saved one"
            return evolve(replay, ending=Ending.CHANGED, reason=reason)
        found = states[0] if after is None else after
        return self._judged(_extended(replay, action, saved, found), before)

    def _action(self, saved: Step[Any]) -> Instance | None:
        name = self.replaced.get(saved.action, saved.action)
        arguments = dict(saved.arguments)
        for action in instances(self.model.actions, self.model.domains):
            if action.name == name and dict(action.arguments) == arguments:
                return action
        return None

    def _judged(self, replay: Replay, before: Any) -> Replay:
        try:
            instance = self.judge.broken_instance(before, replay.trace.states[-1])
        except Exception as error:
            reason = f"the property raises {message_of(error)}"
            return evolve(replay, ending=Ending.CHANGED, reason=reason)
        if not instance:
            return replay
        return evolve(replay, ending=Ending.VIOLATES, instance=instance)


def replacements(before: Sequence[Any], after: Sequence[Any]) -> dict[str, str]:
    """The actions that a protocol lacks, each with the action in its place.

    Args:
        before: the actions of the protocol of a trace, in their order.
        after: the actions of the protocol that it is replayed in.
    """
    names = {action.__name__ for action in after}
    return {
        old.__name__: new.__name__
        for old, new in zip(before, after, strict=False)
        if old.__name__ not in names
    }


def _equal(wanted: Any, states: Sequence[Any]) -> Any:
    return next((state for state in states if state == wanted), None)


def _extended(replay: Replay, action: Instance, saved: Step[Any], after: Any) -> Replay:
    step = Step(action.name, dict(action.arguments), after)
    trace = evolve(replay.trace, steps=(*replay.trace.steps, step))
    if after == saved.state or replay.differences:
        return evolve(replay, trace=trace)
    changed = tuple(changes(Layout.of(after), saved.state, after))
    difference = Difference(replay.state, action.label, changed)
    return evolve(replay, trace=trace, differences=(difference,))
