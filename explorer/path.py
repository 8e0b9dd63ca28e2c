"""The path to every state: its parent, and the step that led from there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.learning import Learner
from replicheck.explorer.report import Step, Trace

Numbers = npt.NDArray[np.uint32]


class Path:
    """For each level after the first the parents, as places in the level before."""

    def __init__(self, starts: Sequence[tuple[int, ...]]) -> None:
        self.starts = list(starts)
        """The rows of the initial states, in the order of the first level."""
        self.parents: list[Numbers] = []
        self.steps: list[Numbers] = []

    def add(self, parents: Numbers, steps: Numbers) -> None:
        """Add a level."""
        self.parents.append(parents)
        self.steps.append(steps)

    def trace(self, learner: Learner, depth: int, place: int) -> Trace[Any]:
        """Return the run to the state at a place of the level after ``depth`` steps."""
        numbers = []
        for level in reversed(range(depth)):
            numbers.append(int(self.steps[level][place]))
            place = int(self.parents[level][place])
        row = self.starts[place]
        start, steps = learner.state(row), []
        for number in reversed(numbers):
            row = learner.after(row, number)
            instance = learner.functions[learner.steps[number][0]].instance
            state = learner.state(row)
            steps.append(Step(instance.name, dict(instance.arguments), state))
        return Trace(start, tuple(steps))

    @property
    def size(self) -> int:
        """Return the bytes that the path takes."""
        return sum(array.nbytes for array in (*self.parents, *self.steps))
