"""Levels: the states that are being expanded, and those that are being found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.arrays import PARTS, Found, Level
from replicheck.explorer.buffers import Buffers
from replicheck.explorer.domains import Domain
from replicheck.explorer.machine_code import gather, pack
from replicheck.explorer.threads import Each

FIRST_ROOM = 64
PARTS_AT_ONCE = 8
"""Parts that one call of a kernel takes."""
GROWTH = 1.5
SPARE = 1.1
DIGITS = 1 << 11
"""What a pass of `gather` sorts by has so many values at most."""
NARROW, WIDE = np.dtype(np.uint16), np.dtype(np.uint32)


def row_type(domains: Iterable[Domain]) -> npt.DTypeLike:
    """Return the type of number that fits the values that cells have had so far."""
    largest = max((len(domain) for domain in domains), default=0)
    return NARROW if largest <= 1 << 16 else WIDE


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


class NextLevel:
    """What the expansion of a level finds, part by part, in `found`."""

    def __init__(
        self,
        columns: int,
        width: int,
        dtype: npt.DTypeLike,
        room: int,
        buffers: Buffers,
    ) -> None:
        """Expect so many states in all, about equally many of each part."""
        self._shape = (columns, width)
        self._buffers = buffers
        self._room = max(FIRST_ROOM, int(SPARE * room) // PARTS)
        self.found = self._arrays(np.dtype(dtype))

    @property
    def count(self) -> int:
        """Return the number of new states."""
        return int(self.found.counts.sum())

    @property
    def size(self) -> int:
        """Return the bytes that the new states take."""
        *arrays, counts = self.found
        room = PARTS * self._room
        return int(counts.sum()) * sum(each.nbytes // room for each in arrays)

    def part(self, part: int) -> Level:
        """Return the new states of a part."""
        start = part * self._room
        taken = slice(start, start + int(self.found.counts[part]))
        rows, prints, disabled, *_ = self.found
        cut = np.zeros(taken.stop - taken.start, np.uint8)
        return Level(rows[taken], prints[taken], disabled[taken], cut)

    def fit(self, dtype: npt.DTypeLike) -> None:
        """Widen the rows if values have been learned that do not fit in."""
        wanted = np.dtype(dtype)
        if wanted.itemsize > self.found.rows.itemsize:
            self._lay_out(self._room, wanted)

    def make_room(self) -> None:
        """Make room for more states of each part."""
        self._lay_out(int(self._room * GROWTH) + 1, self.found.rows.dtype)

    def finish(
        self, each: Each
    ) -> tuple[Level, npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """Return the level, sorted, with the parent and the step of each state.

        There is nothing found any more then.
        """
        count, most = self.count, int(self.found.counts.max())
        level = self._buffers.level(count, *self._shape, self.found.rows.dtype)
        parents = np.empty(count, np.uint32)
        steps = np.empty(count, np.uint32)
        into = pack(self.found), pack(level), pack(parents), pack(steps)

        def move(part: int) -> None:
            order, spare = np.empty((2, most), np.uint32)
            starts = np.empty(DIGITS + 1, np.int64)
            gather(part, part + PARTS_AT_ONCE, *into, order, spare, starts)

        each(move, range(0, PARTS, PARTS_AT_ONCE))
        self.found.counts[:] = 0
        return level, parents, steps

    def begin_anew(self) -> None:
        """Have other arrays, of memory that nobody has touched; nothing is found."""
        self.found = self._arrays(self.found.rows.dtype)

    def release(self) -> None:
        """Give the arrays back; nothing can be found any more."""
        self._buffers.give(*self.found)

    def _lay_out(self, room: int, dtype: np.dtype[Any]) -> None:
        old, before, most = self.found, self._room, int(self.found.counts.max())
        self._room = room
        self.found = self._arrays(dtype)._replace(counts=old.counts)
        for name in ("rows", "prints", "disabled", "parents", "steps"):
            source: npt.NDArray[Any] = getattr(old, name)
            target: npt.NDArray[Any] = getattr(self.found, name)
            tail = source.shape[1:]
            kept = source.reshape(PARTS, before, *tail)[:, :most]
            target.reshape(PARTS, room, *tail)[:, :most] = kept
        self._buffers.give(*old)

    def _arrays(self, dtype: np.dtype[Any]) -> Found:
        count, take = PARTS * self._room, self._buffers.take
        columns, width = self._shape
        return Found(
            rows=take((count, columns), dtype),
            prints=take((count,), np.uint64),
            disabled=take((count, width), np.uint64),
            parents=take((count,), np.uint32),
            steps=take((count,), np.uint32),
            counts=np.zeros(PARTS, np.int64),
        )
