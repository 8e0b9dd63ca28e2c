"""Levels: the states that are being expanded, and those that are being found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from replicheck.explorer.arrays import PARTS, Level
from replicheck.explorer.domains import Domain
from replicheck.explorer.machine_code import gather

Each = Callable[[Callable[[int], None], Iterable[int]], None]
"""Does some work for each number, perhaps on several threads."""

FIRST_ROOM = 64
GROWTH = 1.5
DIGITS = 1 << 11
"""What a pass of `gather` sorts by has so many values at most."""
NARROW, WIDE = np.dtype(np.uint16), np.dtype(np.uint32)


def row_type(domains: Iterable[Domain]) -> npt.DTypeLike:
    """Return the type of number that fits the values that cells have had so far."""
    largest = max((len(domain) for domain in domains), default=0)
    return NARROW if largest <= 1 << 16 else WIDE


def empty_level(count: int, columns: int, width: int, dtype: npt.DTypeLike) -> Level:
    """Return a level with room for so many states, its content undefined."""
    return Level(
        rows=np.empty((count, columns), dtype),
        prints=np.empty(count, np.uint64),
        disabled=np.empty((count, width), np.uint64),
        cut=np.zeros(count, np.uint8),
    )


def first_level(
    rows: Sequence[Sequence[int]],
    prints: Sequence[int],
    width: int,
    dtype: npt.DTypeLike,
) -> Level:
    """Return the level of the initial states, in the order of their fingerprints."""
    order = sorted(range(len(rows)), key=lambda state: prints[state])
    return fresh_level(
        np.array([rows[state] for state in order], dtype),
        np.array([prints[state] for state in order], np.uint64),
        width,
    )


def fresh_level(
    rows: npt.NDArray[np.integer], prints: npt.NDArray[np.uint64], width: int
) -> Level:
    """Return a level of states of which nothing else is known."""
    count = len(prints)
    return Level(
        rows=rows,
        prints=prints,
        disabled=np.zeros((count, width), np.uint64),
        cut=np.zeros(count, np.uint8),
    )


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

    @property
    def prints(self) -> npt.NDArray[np.uint64]:
        """Return the fingerprints."""
        return self.level.prints[: self.count]


class NextLevel:
    """What the expansion of a level finds, part by part."""

    def __init__(self, columns: int, width: int, dtype: npt.DTypeLike) -> None:
        self._shape = (columns, width)
        self._dtype = np.dtype(dtype)
        self.parts = [self._nothing() for _ in range(PARTS)]

    @property
    def count(self) -> int:
        """Return the number of new states."""
        return sum(part.count for part in self.parts)

    @property
    def size(self) -> int:
        """Return the bytes that it takes."""
        return sum(
            array.nbytes
            for part in self.parts
            for array in (*part.level, part.parents, part.steps)
        )

    def fit(self, dtype: npt.DTypeLike) -> None:
        """Widen the rows if values have been learned that do not fit in."""
        wanted = np.dtype(dtype)
        if wanted.itemsize <= self._dtype.itemsize:
            return
        self._dtype = wanted
        for part in self.parts:
            part.level = part.level._replace(rows=part.level.rows.astype(wanted))

    def finish(
        self, each: Each
    ) -> tuple[Level, npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Return the level, sorted, with the parent and the step of each state."""
        ends = np.cumsum([part.count for part in self.parts]).tolist()
        level = empty_level(ends[-1], *self._shape, self._dtype)
        parents = np.empty(ends[-1], np.uint32)
        steps = np.empty(ends[-1], np.uint32)

        def move(number: int) -> None:
            part = self.parts[number]
            order = np.empty((2, part.count), np.uint32)
            gather(
                part.level,
                part.parents,
                part.steps,
                part.count,
                level,
                parents,
                steps,
                ends[number] - part.count,
                order[0],
                order[1],
                np.empty(DIGITS + 1, np.int64),
            )
            self.parts[number] = self._nothing()

        each(move, [number for number in range(PARTS) if self.parts[number].count])
        return level, parents, steps

    def _nothing(self) -> Found:
        return Found(*self._shape, self._dtype)
