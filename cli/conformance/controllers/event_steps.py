"""Events that are handled whole: all that a controller's thread can do of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import frozen

from replicheck.cli.conformance.controllers.controller_calls import (
    NOT_TAKEN,
    OF_THE_THREAD,
)
from replicheck.explorer.engines.simulation.shrinking import Choice
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.explorer.report import Step
from replicheck.model.cluster.state import Cluster

Path = tuple[Step[Any], ...]
MIDST = "in the midst of an event; controllers are taken through whole events"
ABSENT = "is not taken: the harness has no sessions that expire, and loses no reply"


@frozen
class WholeSteps:
    """Steps of a model in which an event of a controller is handled to its end.

    ``called`` has, for each action of the protocol, the name by which it is known; an
    action of a mutation has the name of the one that it replaces.
    """

    model: Any
    called: Mapping[str, str]
    actions: tuple[Instance, ...]

    @classmethod
    def of(cls, model: Any, called: Mapping[str, str]) -> WholeSteps:
        """Steps of a model, as far as the harness has them."""
        every = instances(model.actions, model.domains)
        taken = tuple(a for a in every if called[a.name] not in NOT_TAKEN)
        return cls(model, called, taken)

    def choices(self, action: Instance, state: Cluster) -> list[list[Path]]:
        """Ways to take an action from which a walk may choose, with paths of each.

        A step of a broker or from outside has one path each. What a controller's thread
        does of an event is one choice, with all paths to its end: Kafka takes one.
        """
        steps = [_step(action, after) for after in action(state)]
        if not steps or not self._is_of_the_thread(action):
            return [[(step,)] for step in steps]
        return [self._to_the_end(dict(action.arguments)["controller"], steps)]

    def paths(self, steps: Iterable[Step[Any]]) -> list[Path]:
        """Whole steps that a run is.

        Raises:
            CannotTake: if something happens in the midst of an event, or the harness
                has no such step.
        """
        found: list[Path] = []
        path: Path = ()
        for number, step in enumerate(steps, start=1):
            if self.called[step.action] in NOT_TAKEN:
                raise CannotTake(number, f"{step.label} {ABSENT}")
            controller = dict(step.arguments).get("controller")
            if path and dict(path[-1].arguments)["controller"] != controller:
                raise CannotTake(number, f"{step.label} is {MIDST}")
            path = (*path, step)
            of_the_thread = self.called[step.action] in OF_THE_THREAD
            if not of_the_thread or step.state.threads[controller].is_idle():
                found.append(path)
                path = ()
        if path:
            raise CannotTake(number, f"the run ends {MIDST}")
        return found

    def choice(self, before: Cluster, path: Path) -> Choice:
        """The choice that a path is one of."""
        actions = {action.label: action for action in self.actions}
        ways = self.choices(actions[path[0].label], before)
        ends = [[way[-1].state for way in paths] for paths in ways]
        return path[0].label, [path[-1].state in found for found in ends].index(True)

    def _to_the_end(self, controller: Any, steps: Iterable[Step[Any]]) -> list[Path]:
        ends: dict[Cluster, Path] = {}
        left: list[Path] = [(step,) for step in steps]
        seen = set()
        while left:
            path = left.pop()
            at = path[-1].state
            if at in seen:
                continue
            seen.add(at)
            if at.threads[controller].is_idle():
                ends.setdefault(at, path)
            else:
                left += [(*path, step) for step in self._next(controller, at)]
        return list(ends.values())

    def _next(self, controller: Any, state: Cluster) -> Iterator[Step[Any]]:
        """Steps by which the thread goes on with its event."""
        for action in self.actions:
            own = dict(action.arguments).get("controller") == controller
            if own and self._is_of_the_thread(action):
                yield from (_step(action, after) for after in action(state))

    def _is_of_the_thread(self, action: Instance) -> bool:
        return self.called[action.name] in OF_THE_THREAD


def _step(action: Instance, after: Cluster) -> Step[Any]:
    return Step(action.name, dict(action.arguments), after)
