"""Segments: sorted parts of a level on the disk, and how they become the level.

What a level finds is put into a segment whenever the memory is needed. A segment knows
nothing of the others, nor of earlier levels. So when the level is complete, all its
segments are merged: of equal states the one of the earliest segment stays, which has
the least parent, and those that an earlier level has are left out. States are equal if
their fingerprints and their identities are.

The files have no name: whatever ends the process, the system takes them back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from replicheck.explorer.frontier.levels import NextLevel
from replicheck.explorer.frontier.state_keys import Identities, records
from replicheck.explorer.native.kernels.arrays import PART_BITS, PARTS, Level, Words
from replicheck.explorer.runtime.thread_pool import Each

STARTS = np.arange(PARTS, dtype=np.uint64) << np.uint64(64 - PART_BITS)
"""The least fingerprint of each part."""


class Segment(NamedTuple):
    """Sorted states, with the parent and the step of each."""

    level: Level
    parents: npt.NDArray[np.uint32]
    steps: npt.NDArray[np.uint32]

    @property
    def size(self) -> int:
        """Return the bytes that it takes, wherever they are."""
        return sum(array.nbytes for array in self.arrays)

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """Return all arrays, those of the level first."""
        return (*self.level, self.parents, self.steps)


class Segments:
    """The segments of the level that is being found, in a folder."""

    def __init__(self, folder: Path, identities: Identities) -> None:
        self.folder = folder
        self._identities = identities
        self._segments: list[Segment] = []

    @property
    def size(self) -> int:
        """Return the bytes that the segments take on the disk."""
        return sum(each.size for each in self._segments)

    def put(self, found: NextLevel, each: Each) -> None:
        """Move what was found to the disk.

        Raises:
            OSError: if the disk is full.
        """
        segment = Segment(*found.finish(each))
        if len(segment.parents):
            self._segments.append(self._stored([segment]))

    def merge(
        self, found: NextLevel, each: Each, runs: Sequence[tuple[Words, Words]]
    ) -> Segment:
        """Return the level, on the disk, made of all segments and what was found last.

        Args:
            runs: the fingerprints of earlier levels, each in ascending order, and the
                identities that go with them.

        Raises:
            OSError: if the disk is full.
        """
        segments = [*self._segments, Segment(*found.finish(each))]
        merged = self._stored(self._merged(segments, runs))
        self._segments = []
        return merged

    def store(self, level: Level) -> Level:
        """Return a level, on the disk.

        Raises:
            OSError: if the disk is full.
        """
        nothing = np.zeros(len(level.prints), np.uint32)
        return self._stored([Segment(level, nothing, nothing)]).level

    def _merged(
        self, segments: Sequence[Segment], runs: Sequence[tuple[Words, Words]]
    ) -> Iterator[Segment]:
        """Yield the new states of each part of the fingerprints."""
        ends = [_ends(segment.level.prints) for segment in segments]
        ends_of_runs = [_ends(prints) for prints, _ in runs]
        widest = max((each.level.rows.dtype for each in segments), key=_width)
        for part in range(PARTS):
            slices = [slice(each[part], each[part + 1]) for each in ends]
            prints = _joined([each.level.prints for each in segments], slices)
            rows = _joined([each.level.rows for each in segments], slices)
            found = records(prints, self._identities.of(rows))
            _, kept = np.unique(found, return_index=True)
            for run, of_run in zip(runs, ends_of_runs, strict=True):
                known = (each[of_run[part] : of_run[part + 1]] for each in run)
                kept = kept[~_are_in(records(*known), found[kept])]
            # Of states with one fingerprint, the one that was found first is first.
            kept = kept[np.lexsort((kept, prints[kept]))]
            yield _picked(segments, slices, kept, widest)

    def _stored(self, pieces: Iterable[Segment]) -> Segment:
        """Return some segments as one, on the disk; hold one of them at a time."""
        with ExitStack() as files:
            columns: list[_Column] = []
            for piece in pieces:
                for number, array in enumerate(piece.arrays):
                    if number == len(columns):
                        file = files.enter_context(TemporaryFile(dir=self.folder))
                        columns.append(_Column(file, array[:0]))
                    columns[number].append(array)
            *level, parents, steps = (each.mapped() for each in columns)
            return Segment(Level(*level), parents, steps)


class _Column:
    """One array of a segment, in a file without a name."""

    def __init__(self, file: IO[bytes], like: npt.NDArray[Any]) -> None:
        self._file, self._like, self._count = file, like, 0

    def append(self, array: npt.NDArray[Any]) -> None:
        # To write, not to set the length: a full disk is an error here and now, but
        # the end of the process when it comes to light in a mapped page.
        if array.size:
            self._file.write(np.ascontiguousarray(array).data.cast("B"))
        self._count += len(array)

    def mapped(self) -> npt.NDArray[Any]:
        shape = (self._count, *self._like.shape[1:])
        if 0 in shape:
            return np.empty(shape, self._like.dtype)
        self._file.flush()
        return np.asarray(np.memmap(self._file, self._like.dtype, "r+", shape=shape))


def _ends(prints: Words) -> list[int]:
    return [*np.searchsorted(prints, STARTS).tolist(), len(prints)]


def _width(dtype: np.dtype[Any]) -> int:
    return dtype.itemsize


def _are_in(run: npt.NDArray[Any], found: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Tell of each state whether it is in a run, which its fingerprints sort."""
    if not len(run):
        return np.zeros(len(found), np.bool_)
    if run.dtype.names:
        run = np.sort(run)
    places = np.minimum(np.searchsorted(run, found), len(run) - 1)
    are_in: npt.NDArray[np.bool_] = run[places] == found
    return are_in


def _joined(
    arrays: Sequence[npt.NDArray[Any]], slices: Sequence[slice]
) -> npt.NDArray[Any]:
    return np.concatenate(
        [array[piece] for array, piece in zip(arrays, slices, strict=True)]
    )


def _picked(
    segments: Sequence[Segment],
    slices: Sequence[slice],
    kept: npt.NDArray[np.intp],
    dtype: npt.DTypeLike,
) -> Segment:
    """Return these states of the pieces of segments that slices cut out."""
    fields = zip(*(each.level for each in segments), strict=True)
    level = Level(*(_joined(arrays, slices)[kept] for arrays in fields))
    return Segment(
        level._replace(rows=level.rows.astype(dtype, copy=False)),
        _joined([each.parents for each in segments], slices)[kept],
        _joined([each.steps for each in segments], slices)[kept],
    )
