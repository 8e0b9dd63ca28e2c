"""Events that a controller's thread handles whole, or up to a write of a state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import frozen

from replicheck.cli.conformance.controllers.cluster_cells import WRITES
from replicheck.cli.conformance.controllers.controller_calls import (
    LOST_REPLIES,
    OF_THE_THREAD,
    Lost,
    thread_of,
)
from replicheck.explorer.engines.simulation.shrinking import Choice
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.explorer.report import Step
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import PartitionId

Path = tuple[Step[Any], ...]
MIDST = "in the midst of an event; controllers are taken through whole events"
BEFORE_AN_ELECTION = "register_again"
"""Action that is the first half of an event, of which `elect` is the second half."""


@frozen
class WholeSteps:
    """Steps of a model in which a controller handles an event as far as Kafka is let.

    ``called`` has, for each action of the protocol, the name by which it is known; an
    action of a mutation has the name of the one that it replaces.
    """

    model: Any
    called: Mapping[str, str]
    actions: tuple[Instance, ...]

    @classmethod
    def of(cls, model: Any, called: Mapping[str, str]) -> WholeSteps:
        """Steps of a model."""
        every = instances(model.actions, model.domains)
        return cls(model, called, tuple(every))

    def choices(self, action: Instance, state: Cluster) -> list[list[Path]]:
        """Ways to take an action from which a walk may choose, with paths of each.

        A step of a broker or from outside has one path each. What a controller's thread
        does of an event is one choice for each set of replies that get lost, with all
        paths to its end: Kafka takes one. So is what it does up to the first write of a
        partition's state, where it can be held up.
        """
        steps = [_step(action, after) for after in action(state)]
        if not steps or not self._is_of_the_thread(action):
            return [[(step,)] for step in steps]
        controller = thread_of(dict(action.arguments))
        found: dict[tuple[Lost, bool], list[Path]] = {}
        for path in self._to_the_end(controller, steps):
            lost = replies_lost(self.called, state, path)
            is_whole = self._ends(path[-1], controller)
            found.setdefault((lost, is_whole), []).append(path)
        return list(found.values())

    def paths(self, steps: Iterable[Step[Any]]) -> list[Path]:
        """Whole steps that a run is.

        Raises:
            CannotTake: if something happens in the midst of an event, where Kafka is
                not held up.
        """
        found: list[Path] = []
        path: Path = ()
        for number, step in enumerate(steps, start=1):
            controller = thread_of(dict(step.arguments))
            of_the_thread = self.called[step.action] in OF_THE_THREAD
            at_work = thread_of(dict(path[-1].arguments)) if path else None
            if path and not (of_the_thread and at_work == controller):
                if not is_held_up(path[-1].state, at_work):
                    raise CannotTake(number, f"{step.label} is {MIDST}")
                found.append(path)
                path = ()
            path = (*path, step)
            if not of_the_thread or self._ends(step, controller):
                found.append(path)
                path = ()
        if not path:
            return found
        if not is_held_up(path[-1].state, thread_of(dict(path[-1].arguments))):
            raise CannotTake(number, f"the run ends {MIDST}")
        return [*found, path]

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
            is_end = self._ends(path[-1], controller)
            passed = any(is_held_up(step.state, controller) for step in path[:-1])
            if is_end or (is_held_up(at, controller) and not passed):
                ends.setdefault(at, path)
            if not is_end:
                left += [(*path, step) for step in self._next(controller, at)]
        return list(ends.values())

    def _next(self, controller: Any, state: Cluster) -> Iterator[Step[Any]]:
        """Steps by which the thread goes on with its event."""
        for action in self.actions:
            if not self._is_of_the_thread(action):
                continue
            if thread_of(dict(action.arguments)) == controller:
                yield from (_step(action, after) for after in action(state))

    def _ends(self, step: Step[Any], controller: Any) -> bool:
        """Tell whether a controller has handled its event to the end."""
        is_half = self.called[step.action] == BEFORE_AN_ELECTION
        return step.state.threads[controller].is_idle() and not is_half

    def _is_of_the_thread(self, action: Instance) -> bool:
        return self.called[action.name] in OF_THE_THREAD


def is_held_up(state: Cluster, controller: Any) -> bool:
    """Tell whether Kafka's thread can be held up: before a write of a state.

    With several partitions it writes the states of all at once.
    """
    tasks = state.threads[controller].tasks
    return state.bounds.partitions == 1 and bool(tasks) and isinstance(tasks[0], WRITES)


def replies_lost(called: Mapping[str, str], before: Cluster, path: Path) -> Lost:
    """Writes of partitions' states in a path whose replies get lost."""
    found: list[tuple[PartitionId, int]] = []
    writes: Counter[PartitionId] = Counter()
    for step in path:
        for partition in before.bounds.partition_ids:
            node = step.state.partition_nodes[partition]
            if node.exists() and node != before.partition_nodes[partition]:
                writes[partition] += 1
                if called[step.action] in LOST_REPLIES:
                    found.append((partition, writes[partition]))
        before = step.state
    return tuple(found)


def _step(action: Instance, after: Cluster) -> Step[Any]:
    return Step(action.name, dict(action.arguments), after)
