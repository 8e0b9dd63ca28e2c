"""Levels: the states that are being expanded, and those that are being found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from replicheck.explorer.kernels import PARTS, Level, gather

FIRST_ROOM = 64
GROWTH = 1.5


def empty_level(count: int, columns: int, width: int, dtype: npt.DTypeLike) -> Level:
    """Return a level with room for so many states, its content undefined."""
    return Level(
        rows=np.empty((count, columns), dtype),
        prints=np.empty(count, np.uint64),
        disabled=np.empty((count, width), np.uint64),
        cut=np.zeros(count, np.uint8),
    )


def first_level(
    rows: Sequence[Sequence[int]], prints: Sequence[int], width: int
) -> Level:
    """Return the level of the initial states, in the order of their fingerprints."""
    order = sorted(range(len(rows)), key=lambda state: prints[state])
    level = empty_level(len(rows), len(rows[0]), width, np.uint16)
    level.rows[:] = np.array([rows[state] for state in order])
    level.prints[:] = np.array([prints[state] for state in order], np.uint64)
    level.disabled[:] = 0
    return level


class Found:
    """The new states of one part, in the order in which they were found."""

    def __init__(self, columns: int, width: int, dtype: npt.DTypeLike) -> None:
        self.level = empty_level(0, columns, width, dtype)
        self.parents = np.empty(0, np.uint32)
        self.steps = np.empty(0, np.uint32)
        self.count = 0

    def make_room(self, more: int) -> None:
        """Make room for more states."""
        needed = self.count + more
        room = len(self.parents)
        if needed <= room:
            return
        room = max(FIRST_ROOM, needed, int(room * GROWTH))
        old = self.level
        self.level = empty_level(
            room, old.rows.shape[1], old.disabled.shape[1], old.rows.dtype
        )
        kept = self.count
        self.level.rows[:kept] = old.rows[:kept]
        self.level.prints[:kept] = old.prints[:kept]
        self.level.disabled[:kept] = old.disabled[:kept]
        self.parents = np.concatenate(
            [self.parents[:kept], np.empty(room - kept, np.uint32)]
        )
        self.steps = np.concatenate(
            [self.steps[:kept], np.empty(room - kept, np.uint32)]
        )


class NextLevel:
    """What the expansion of a level finds, part by part."""

    def __init__(self, columns: int, width: int, dtype: npt.DTypeLike) -> None:
        self.parts = [Found(columns, width, dtype) for _ in range(PARTS)]
        self._shape = (columns, width)
        self._dtype = dtype

    @property
    def count(self) -> int:
        """Return the number of new states."""
        return sum(part.count for part in self.parts)

    def finish(self) -> tuple[Level, npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Return the level, sorted, with the parent and the step of each state."""
        count = self.count
        level = empty_level(count, *self._shape, self._dtype)
        parents, steps = np.empty(count, np.uint32), np.empty(count, np.uint32)
        start = 0
        for number, part in enumerate(self.parts):
            if part.count:
                gather(
                    part.level,
                    part.parents,
                    part.steps,
                    part.count,
                    level,
                    parents,
                    steps,
                    start,
                )
                start += part.count
            self.parts[number] = Found(*self._shape, self._dtype)
        return level, parents, steps
