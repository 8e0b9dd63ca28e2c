"""Runs of a model that are named step by step, and the steps with which they go on.

A step is named as a scenario's ``setup`` has it: ``crash(broker=0)``, and with ``[2]``
behind it where an action gives several next states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model
from replicheck.explorer.report import Step, Trace


class CannotFollow(Exception):
    """A run has a step that the model does not have there."""


@frozen
class Choice:
    """A step that can be taken, by its name."""

    name: str
    step: Step[Any]


@define
class Walker:
    """Takes steps of a model, from its first initial state on."""

    model: Model[Any]
    actions: tuple[Instance, ...] = field(init=False)
    start: Any = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Enumerate the actions once."""
        self.actions = instances(self.model.actions, self.model.domains)
        self.start, *_others = self.model.initial_states()

    def choices(self, state: Any) -> list[Choice]:
        """Every step from a state, actions in the order of exploration.

        Raises:
            CannotFollow: if an action raises, which is an error of the model.
        """
        return [choice for action in self.actions for choice in _choices(action, state)]

    def follow(self, names: Sequence[str]) -> Trace[Any]:
        """The run with these steps.

        Raises:
            CannotFollow: if one of them cannot be taken where it stands.
        """
        known = {action.label: action for action in self.actions}
        state, steps = self.start, []
        for number, name in enumerate(names, start=2):
            action = known.get(name.partition(" [")[0])
            there = _choices(action, state) if action is not None else ()
            step = next((choice.step for choice in there if choice.name == name), None)
            if step is None:
                raise CannotFollow(f"state {number}: {name} is not enabled there")
            steps.append(step)
            state = step.state
        return Trace(self.start, tuple(steps))

    def names_of(self, trace: Trace[Any]) -> list[str]:
        """The names of the steps of a run.

        Raises:
            CannotFollow: if the model does not have the run, as far as it has it.
        """
        if trace.start != self.start:
            raise CannotFollow("state 1: the run begins in another state")
        return list(self._names(trace))

    def _names(self, trace: Trace[Any]) -> Iterator[str]:
        known = {action.label: action for action in self.actions}
        before = trace.start
        for number, step in enumerate(trace.steps, start=2):
            action = known.get(step.label)
            there = _choices(action, before) if action is not None else ()
            name = next((x.name for x in there if x.step.state == step.state), None)
            if name is None:
                raise CannotFollow(
                    f"state {number}: {step.label} does not lead there in this model"
                )
            yield name
            before = step.state


def _choices(action: Instance, state: Any) -> list[Choice]:
    try:
        after = list(action(state))
    except Exception as error:
        raise CannotFollow(
            f"{action.label} raised {type(error).__name__}: {error}"
        ) from error
    arguments = dict(action.arguments)
    return [
        Choice(
            action.label if len(after) == 1 else f"{action.label} [{which}]",
            Step(action.name, arguments, next_state),
        )
        for which, next_state in enumerate(after, start=1)
    ]
