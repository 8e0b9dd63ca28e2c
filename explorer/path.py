"""The path to every state: its parent, and the step that led from there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.archive import Archive
from replicheck.explorer.learning import Learner
from replicheck.explorer.report import Step, Trace

Numbers = npt.NDArray[np.uint32]


class Path:
    """For each level after the first the parents, as places in the level before.

    The first levels are in the archive, if there is one, the others in memory.
    """

    def __init__(
        self, starts: Sequence[tuple[int, ...]], archive: Archive | None = None
    ) -> None:
        self.starts = list(starts)
        """The rows of the initial states, in the order of the first level."""
        self.archive = archive
        self._archived = len(archive.levels) if archive else 0
        self._levels: list[tuple[Numbers, Numbers]] = []

    def add(self, parents: Numbers, steps: Numbers) -> None:
        """Add a level."""
        if self.archive is None:
            self._levels.append((parents, steps))
            return
        self.archive.extend(parents=parents, steps=steps)
        self.archive.end_level()
        self._archived += 1

    def move_to(self, archive: Archive) -> None:
        """Move all levels to an archive that has none."""
        for parents, steps in self._levels:
            archive.extend(parents=parents, steps=steps)
            archive.end_level()
        self.archive, self._archived = archive, len(self._levels)
        self._levels = []

    def trace(self, learner: Learner, depth: int, place: int) -> Trace[Any]:
        """Return the run to the state at a place of the level after ``depth`` steps."""
        numbers = []
        for level in reversed(range(depth)):
            place, step = self._before(level, place)
            numbers.append(step)
        row = self.starts[place]
        start, steps = learner.state(row), []
        for number in reversed(numbers):
            row = learner.after(row, number)
            instance = learner.functions[learner.steps[number][0]].instance
            state = learner.state(row)
            steps.append(Step(instance.name, dict(instance.arguments), state))
        return Trace(start, tuple(steps))

    def last_action(self, learner: Learner, depth: int, place: int) -> str | None:
        """Return the action that led to a state; None for an initial one."""
        if depth == 0:
            return None
        _, step = self._before(depth - 1, place)
        return learner.functions[learner.steps[step][0]].instance.name

    def _before(self, level: int, place: int) -> tuple[int, int]:
        if self.archive is not None and level < self._archived:
            return self.archive.before(level, place)
        parents, steps = self._levels[level - self._archived]
        return int(parents[place]), int(steps[place])

    @property
    def size(self) -> int:
        """Return the bytes of memory that the path takes."""
        return sum(parents.nbytes + steps.nbytes for parents, steps in self._levels)
