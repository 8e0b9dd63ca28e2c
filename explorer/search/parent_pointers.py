"""The path to every state: its parent, and the step that led from there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.report import Trace

if TYPE_CHECKING:
    from replicheck.explorer.search.level_archive import LevelArchive
    from replicheck.explorer.search.path_file import PathLevel

Numbers = npt.NDArray[np.uint32]

NARROW = (1 << 16) - 1
"""The largest number that two bytes hold."""


class ParentPointers:
    """For each level after the first the parents, as places in the level before.

    The first levels are in the archive, if there is one. Of the others, the first may
    be in files, and the rest is in memory.
    """

    def __init__(
        self, starts: Sequence[tuple[int, ...]], archive: LevelArchive | None = None
    ) -> None:
        self.starts = list(starts)
        """The rows of the initial states, in the order of the first level."""
        self.archive = archive
        self._archived = len(archive.levels) if archive else 0
        self._levels: list[PathLevel] = []
        self._in_files = 0
        """How many of these levels are in files."""
        self.size = self.file_size = 0
        """The bytes of memory that the path takes, and those of its files, the archive
        apart."""

    def add(self, parents: Numbers, steps: Numbers) -> None:
        """Add a level."""
        if self.archive is None:
            self._levels.append((parents, _narrow(steps)))
            self.size += _size(self._levels[-1:])
            return
        self.archive.extend(parents=parents, steps=steps)
        self.archive.end_level()
        self._archived += 1

    def move_to(self, archive: LevelArchive) -> None:
        """Move all levels to an archive that has none."""
        for parents, steps in self._levels:
            archive.extend(parents=parents, steps=steps.astype(np.uint32))
            archive.end_level()
        self.archive, self._archived = archive, len(self._levels)
        self._levels, self._in_files = [], 0
        self.size = self.file_size = 0

    def move_to_file(self, folder: Path) -> None:
        """Move the levels that are in memory to a file in a folder.

        Raises:
            OSError: if the disk is full, or the folder cannot be written.
        """
        # Imported only here: most searches keep the path in memory.
        from replicheck.explorer.search.path_file import moved_to_file

        moved = moved_to_file(self._levels[self._in_files :], folder)
        self._levels[self._in_files :] = moved
        self._in_files = len(self._levels)
        self.size, self.file_size = 0, self.file_size + self.size

    def move_back(self) -> None:
        """Take all levels out of the archive, into memory again."""
        moved = [self._level(number) for number in range(self._archived)]
        self._levels[:0] = [
            (parents.copy(), _narrow(steps)) for parents, steps in moved
        ]
        self.archive, self._archived, self._in_files = None, 0, 0
        self.size, self.file_size = _size(self._levels), 0

    def trace(self, learner: Learner, depth: int, place: int) -> Trace[Any]:
        """The run to the state at a place of the level after ``depth`` steps."""
        numbers = []
        for level in reversed(range(depth)):
            place, step = self._before(level, place)
            numbers.append(step)
        taken = [learner.steps[number] for number in reversed(numbers)]
        return learner.trace(self.starts[place], taken)

    def last_actions(
        self, learner: Learner, depth: int, indices: npt.NDArray[np.intp]
    ) -> list[tuple[str | None, int]]:
        """The actions that led to some states, each with the first such place.

        None stands for the action of initial states. The places are in order.
        """
        if not len(indices):
            return []
        if depth == 0:
            return [(None, int(indices[0]))]
        _, numbers = self._level(depth - 1)
        steps = numbers[indices]
        _, firsts = np.unique(steps, return_index=True)
        found: list[tuple[str | None, int]] = []
        for first in sorted(firsts.tolist()):
            instance = learner.functions[learner.steps[steps[first]][0]].instance
            found.append((instance.name, int(indices[first])))
        return found

    def come_from(self, depth: int, indices: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        """Tell for each state of a level whether it comes from one of some places."""
        parents, _ = self._level(depth - 1)
        return np.isin(parents, indices)

    def _level(self, level: int) -> PathLevel:
        if self.archive is not None and level < self._archived:
            return self.archive.level(level)
        return self._levels[level - self._archived]

    def _before(self, level: int, place: int) -> tuple[int, int]:
        if self.archive is not None and level < self._archived:
            return self.archive.before(level, place)
        parents, steps = self._levels[level - self._archived]
        return int(parents[place]), int(steps[place])


def _size(levels: Sequence[PathLevel]) -> int:
    return sum(parents.nbytes + steps.nbytes for parents, steps in levels)


def _narrow(steps: Numbers) -> npt.NDArray[Any]:
    """A copy of the numbers of steps, in two bytes each if they fit."""
    fit = not len(steps) or steps.max() <= NARROW
    return steps.astype(np.uint16 if fit else np.uint32)
