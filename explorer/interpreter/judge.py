"""Judges: the instance that a state breaks, or the step to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from replicheck.explorer.errors import message_of
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.states.shared_cells import shared


class InstanceJudge(Protocol):
    """Whatever finds in a step that which a run is to show."""

    def broken_instance(self, before: Any | None, state: Any) -> str:
        """Instance that a state or the step to it breaks, or nothing.

        Args:
            before: the state before the step, None for the first of a run.
            state: the state after it.
        """


class Judge:
    """Judges states and steps by one property, instance by instance."""

    def __init__(self, model: Model[Any], claim: Property) -> None:
        self.claim = claim
        self.instances = claim.instances(model.domains)
        self.actions = instances(model.actions, model.domains)
        self.constraints = instances(model.constraints, model.domains)

    def broken_instance(self, before: Any | None, state: Any) -> str:
        """Instance that a state or the step to it breaks, or nothing."""
        if self.claim.kind is Kind.DEADLOCK:
            return self.claim.name if self._is_stuck(state) else ""
        broken = self.instances_that_say(False, before, state)
        return next((instance.label for instance in broken), "")

    def instances_that_say(
        self, answer: object, before: Any | None, state: Any
    ) -> Iterator[Instance]:
        """Instances with one answer, True or False; none of a step where none was."""
        states: tuple[Any, ...] = (state,)
        if self.claim.kind is Kind.STEP:
            if before is None:
                return
            states = (before, shared(before, state))
        for instance in self.instances:
            if bool(instance(*states)) is answer:
                yield instance

    def _is_stuck(self, state: Any) -> bool:
        """Tell whether a state that may have next ones has none."""
        may_go_on = all(constraint(state) for constraint in self.constraints)
        return may_go_on and not _has_steps(self.actions, state)


class ErrorJudge:
    """Finds the error of an action, a constraint or an instance of a claim.

    It knows that by its name or label.
    """

    def __init__(
        self, model: Model[Any], claims: Iterable[Property], function: str
    ) -> None:
        self.actions = instances(model.actions, model.domains)
        self.raising = _named(function, self.actions)
        constraints = instances(model.constraints, model.domains)
        self.instances = {
            Kind.ALWAYS: _named(function, constraints),
            Kind.STEP: list[Instance](),
        }
        for claim in claims:
            self.instances[claim.kind] += _named(
                function, claim.instances(model.domains)
            )

    def broken_instance(self, before: Any | None, state: Any) -> str:
        """Error that is raised in a state, or nothing."""
        try:
            self._take_every_step(state)
            for instance in self.instances[Kind.ALWAYS]:
                instance(state)
            if self.instances[Kind.STEP]:
                self._judge_steps(state)
        except Exception as error:
            return message_of(error)
        return ""

    def _take_every_step(self, state: Any) -> None:
        # An action may raise behind its last step.
        for action in self.raising:
            for number, _ in enumerate(action(state)):
                action.require_end(number)

    def _judge_steps(self, state: Any) -> None:
        # An instance of a step raises for a step from the last state.
        for after in _next_states(self.actions, state):
            for instance in self.instances[Kind.STEP]:
                instance(state, shared(state, after))


class NoJudge:
    """Finds nothing: the run itself is what is shown."""

    def broken_instance(self, before: Any | None, state: Any) -> str:
        """Nothing."""
        return ""


def _named(function: str, known: Iterable[Instance]) -> list[Instance]:
    return [one for one in known if function in (one.name, one.label)]


def _has_steps(actions: Iterable[Instance], state: Any) -> bool:
    return any(True for _ in _next_states(actions, state))


def _next_states(actions: Iterable[Instance], state: Any) -> Iterator[Any]:
    return (after for action in actions for after in action(state))
