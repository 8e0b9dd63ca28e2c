"""Runs as lists of labels, such as ``fetch(leader=0, follower=2)``.

Where an action gives several next states, ``fetch(leader=0) [2]`` leads to the second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from replicheck.explorer.instances import instances
from replicheck.explorer.model import Model
from replicheck.explorer.report import Step, Trace

LABEL = re.compile(r"(?P<label>.*?)(?: \[(?P<which>[1-9][0-9]*)\])?")


class CannotTake(ValueError):
    """A step has no such label, or no such next state."""


def labels(model: Model[Any], trace: Trace[Any]) -> Iterator[str]:
    """Yield the label of each step of a run that the model can take."""
    actions = {each.label: each for each in instances(model.actions, model.domains)}
    for before, step in zip(trace.states, trace.steps, strict=False):
        states = list(actions[step.label](before))
        which = f" [{states.index(step.state) + 1}]" if len(states) > 1 else ""
        yield step.label + which


def taken(model: Model[Any], steps: Iterable[str]) -> Trace[Any]:
    """Return the run from the model's first initial state that takes these steps.

    Raises:
        CannotTake: if a step cannot be taken, naming it.
    """
    actions = {each.label: each for each in instances(model.actions, model.domains)}
    start = next(iter(model.initial_states()))
    found: list[Step[Any]] = []
    for number, text in enumerate(steps, start=2):
        match = LABEL.fullmatch(text)
        assert match is not None, "the pattern matches any text"
        action = actions.get(match["label"])
        states = list(action(found[-1].state if found else start)) if action else []
        which = int(match["which"] or 1)
        if action is None or which > len(states):
            raise CannotTake(f"state {number}: {text} cannot be taken")
        arguments = dict(action.arguments)
        found.append(Step(action.name, arguments, states[which - 1]))
    return Trace(start, tuple(found))
