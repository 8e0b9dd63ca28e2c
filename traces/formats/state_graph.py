"""Whole state graphs, small ones: every state, every step."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import networkx
from attrs import define, field

from replicheck.explorer.engine import Progress, Watch
from replicheck.explorer.errors import (
    ModelError,
    TooManyStates,
    message_of,
    place_raised,
)
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.interpreter.judge import Judge
from replicheck.explorer.interpreter.stepper import CannotTake, Stepper
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.report import Step
from replicheck.explorer.states.layout import Layout
from replicheck.traces.value_text import note_cell

GLANCE_EVERY = 1024
"""States between two looks at the clock."""


def state_graph(
    model: Model[Any], properties: Sequence[Property], limit: int, watch: Watch
) -> Any:
    """A directed multigraph of the states, numbered as they are found from 1.

    A node has its ``depth``, its cells as ``label``, whether it is ``initial``, and the
    instances that it breaks as ``broken``; an edge has its step as ``label`` and the
    instances of step properties that it breaks as ``broken``.

    Raises:
        TooManyStates: if there are more than ``limit``.
        ModelError: if a function of the model raises.
    """
    builder = _GraphBuilder(
        Stepper(model),
        instances(model.constraints, model.domains),
        _judges(model, properties, Kind.ALWAYS),
        _judges(model, properties, Kind.STEP),
        limit,
    )
    started = time.monotonic()
    for state in model.initial_states():
        builder.number(state, depth=1)
    while builder.waiting:
        depth = builder.expand()
        if builder.expanded % GLANCE_EVERY == 0:
            seconds = time.monotonic() - started
            watch(builder.progress(depth, seconds))
    return builder.graph


def graphml(graph: Any) -> str:
    """A state graph as the text of a ``.graphml`` file."""
    return "\n".join(networkx.generate_graphml(graph)) + "\n"


@define
class _GraphBuilder:
    """Builder of a graph; ``waiting`` are the states that are not expanded yet."""

    stepper: Stepper
    constraints: Sequence[Instance]
    judges: Sequence[Judge]
    step_judges: Sequence[Judge]
    limit: int
    graph: Any = field(factory=lambda: networkx.MultiDiGraph())
    waiting: deque[Any] = field(factory=deque)
    numbers: dict[Any, int] = field(factory=dict)
    expanded: int = 0

    def number(self, state: Any, depth: int) -> int:
        """The number of a state, which becomes a node if it is new."""
        with _errors_of("a cell of a state"):
            hash(state)
        if state not in self.numbers:
            if len(self.numbers) == self.limit:
                raise TooManyStates
            self.numbers[state] = len(self.numbers) + 1
            self.waiting.append(state)
            attributes = _attributes(state, depth, self.judges)
            self.graph.add_node(self.numbers[state], **attributes)
        return self.numbers[state]

    def expand(self) -> int:
        """Add the steps from the next state; the depth of that state."""
        state = self.waiting.popleft()
        here = self.numbers[state]
        depth: int = self.graph.nodes[here]["depth"]
        self.expanded += 1
        if self._may_go_on(state):
            for action in self.stepper.actions:
                for step in self._steps(action, state):
                    there = self.number(step.state, depth + 1)
                    broken = _broken(self.step_judges, state, step.state)
                    self.graph.add_edge(here, there, label=action, broken=broken)
        return depth

    def _may_go_on(self, state: Any) -> bool:
        for constraint in self.constraints:
            with _errors_of(f"`{constraint.label}`", constraint.function):
                if not constraint(state):
                    return False
        return True

    def _steps(self, action: str, state: Any) -> list[Step[Any]]:
        try:
            return self.stepper.steps_of(action, state)
        except CannotTake as error:
            raise ModelError(error.problem) from error

    def progress(self, depth: int, seconds: float) -> Progress:
        """Progress of the search."""
        steps: int = self.graph.number_of_edges()
        return Progress(depth, len(self.numbers), steps, len(self.waiting), seconds)


def _attributes(state: Any, depth: int, judges: Sequence[Judge]) -> dict[str, Any]:
    layout = Layout.of(state)
    cells = zip(layout.cells, layout.values(state), strict=True)
    return {
        "label": "\n".join(f"{cell} {note_cell(value)}" for cell, value in cells),
        "depth": depth,
        "initial": depth == 1,
        "broken": _broken(judges, None, state),
    }


def _judges(
    model: Model[Any], properties: Sequence[Property], kind: Kind
) -> list[Judge]:
    return [Judge(model, claim) for claim in properties if claim.kind is kind]


def _broken(judges: Sequence[Judge], before: Any | None, state: Any) -> str:
    found = []
    for judge in judges:
        name, predicate = judge.claim.name, judge.claim.predicate
        with _errors_of(f"`{name}`", predicate):
            broken = judge.instances_that_say(False, before, state)
            found += [instance.label for instance in broken]
    return ", ".join(found)


@contextmanager
def _errors_of(
    subject: str, function: Callable[..., Any] | None = None
) -> Iterator[None]:
    """Context in which what a function of the model raises is told as an error of it.

    Raises:
        ModelError: naming the function, with its place.
    """
    try:
        yield
    except ModelError:
        raise
    except Exception as error:
        place = place_raised(error, function) if function is not None else ""
        where = f" ({place})" if place else ""
        raise ModelError(f"{subject} raises {message_of(error)}{where}") from error
