"""Steppers: a model taken step by step, as plain Python.

A step is named as in a counterexample: ``fetch(leader=0, follower=2)``. Where an
action gives several next states, ``fetch(leader=0) [2]`` leads to the second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from attrs import frozen

from replicheck.explorer.errors import message_of
from replicheck.explorer.instances import instances
from replicheck.explorer.model import Model
from replicheck.explorer.report import Step, Trace

LABEL = re.compile(r"(?P<action>.*?)(?: \[(?P<which>[1-9][0-9]*)\])?")


class CannotTake(ValueError):
    """The model does not take a step where it stands in a run.

    ``number`` is that of the step, from 1; ``next_states`` says how many the action
    has there, and is None if there is no such action.
    """

    def __init__(self, number: int, problem: str, next_states: int | None = 0) -> None:
        super().__init__(f"state {number + 1}: {problem}")
        self.number = number
        self.problem = problem
        self.next_states = next_states


@frozen
class LabelledStep:
    """A step with the label by which it is taken."""

    label: str
    step: Step[Any]


class Stepper:
    """Takes steps of a model by their labels, and says which there are."""

    def __init__(self, model: Model[Any]) -> None:
        self.model = model
        actions = instances(model.actions, model.domains)
        self.actions = {action.label: action for action in actions}

    @property
    def start(self) -> Any:
        """First initial state of the model."""
        return next(iter(self.model.initial_states()))

    def steps(self, state: Any, number: int = 1) -> list[LabelledStep]:
        """Steps from a state, actions in the order of exploration.

        Raises:
            CannotTake: if an action raises; ``number`` is then that of the step.
        """
        return [
            LabelledStep(_label(action, which, len(steps)), step)
            for action in self.actions
            for steps in [self.steps_of(action, state, number)]
            for which, step in enumerate(steps, start=1)
        ]

    def steps_of(self, action: str, state: Any, number: int = 1) -> list[Step[Any]]:
        """Steps by one action with its arguments; none if there is no such action.

        Raises:
            CannotTake: if it raises.
        """
        found = self.actions.get(action)
        if found is None:
            return []
        arguments = dict(found.arguments)
        steps: list[Step[Any]] = []
        try:
            for which, after in enumerate(found(state)):
                found.require_end(which)
                steps.append(Step(found.name, arguments, after))
        except Exception as error:
            problem = f"{action} raised {message_of(error)}"
            raise CannotTake(number, problem) from error
        return steps

    def take(self, labels: Iterable[str], start: Any = None) -> Trace[Any]:
        """Run that takes these steps, from the first initial state or another.

        Raises:
            CannotTake: if a step cannot be taken, or a label does not say which.
        """
        begin = state = self.start if start is None else start
        steps: list[Step[Any]] = []
        for number, label in enumerate(labels, start=1):
            match = LABEL.fullmatch(label)
            assert match is not None, "the pattern matches any text"
            found = self.steps_of(match["action"], state, number)
            if match["action"] not in self.actions:
                raise CannotTake(number, f"there is no step {label}", None)
            which = int(match["which"] or 1)
            if which > len(found) or (len(found) > 1 and not match["which"]):
                raise CannotTake(number, _problem(label, len(found)), len(found))
            steps.append(found[which - 1])
            state = steps[-1].state
        return Trace(begin, tuple(steps))

    def labels(self, trace: Trace[Any]) -> Iterator[str]:
        """Labels of the steps of a run.

        Raises:
            CannotTake: if the model does not have the run, as far as it has it.
        """
        for number, (before, step) in enumerate(
            zip(trace.states, trace.steps, strict=False), start=1
        ):
            after = [x.state for x in self.steps_of(step.label, before, number)]
            if step.state not in after:
                problem = f"{step.label} does not lead there in this model"
                raise CannotTake(number, problem, len(after))
            yield _label(step.label, after.index(step.state) + 1, len(after))


def _problem(label: str, next_states: int) -> str:
    if next_states == 0:
        return f"{label} is not enabled there"
    return f"{label} has {next_states} next states there; say which, such as [1]"


def _label(action: str, number: int, next_states: int) -> str:
    return f"{action} [{number}]" if next_states > 1 else action
