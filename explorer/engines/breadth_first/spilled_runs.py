"""Spilled runs: sorted parts of a level on the disk, and their external merge.

What a level finds is spilled as a sorted run whenever the memory is needed. A run knows
nothing of the others, nor of earlier levels. So when the level is complete, all its
runs are merged: of equal states the one of the earliest run stays, which has the least
parent, and those that an earlier level has are left out. States are equal if their
fingerprints and their state keys are.

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
from replicheck.explorer.frontier.state_keys import StateKeys, records
from replicheck.explorer.native.kernels.arrays import (
    PART_BITS,
    PARTS,
    Level,
    PackedRows,
    U64Array,
)
from replicheck.explorer.native.packed_rows import RowView, pack_rows
from replicheck.explorer.runtime.thread_pool import ParallelMap

STARTS = np.arange(PARTS, dtype=np.uint64) << np.uint64(64 - PART_BITS)
"""The least fingerprint of each part."""


class SpilledRun(NamedTuple):
    """Sorted states, with the parent and the step of each."""

    level: Level
    parents: npt.NDArray[np.uint32]
    steps: npt.NDArray[np.uint32]

    @property
    def size(self) -> int:
        """The bytes that it takes, wherever they are."""
        return sum(array.nbytes for array in self.arrays)

    @property
    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        """All arrays, those of the level first."""
        return (*self.level.arrays, self.parents, self.steps)


class SpilledRuns:
    """The spilled runs of the level that is being found, in a folder."""

    def __init__(self, folder: Path, state_keys: StateKeys) -> None:
        self.folder = folder
        self._state_keys = state_keys
        self._runs: list[SpilledRun] = []

    @property
    def size(self) -> int:
        """The bytes that the runs take on the disk."""
        return sum(run.size for run in self._runs)

    def put(self, found: NextLevel, parallel_map: ParallelMap) -> None:
        """Move what was found to the disk.

        Raises:
            OSError: if the disk is full.
        """
        run = SpilledRun(*found.finish(parallel_map))
        if len(run.parents):
            self._runs.append(self._write([run]))

    def merge(
        self,
        found: NextLevel,
        parallel_map: ParallelMap,
        earlier: Sequence[tuple[U64Array, U64Array]],
    ) -> SpilledRun:
        """External merge: one level on the disk of all runs and what was found last.

        Args:
            earlier: fingerprints of earlier levels, each in ascending order, and the
                keys that go with them.

        Raises:
            OSError: if the disk is full.
        """
        runs = [*self._runs, SpilledRun(*found.finish(parallel_map))]
        merged = self._write(self._merge(runs, earlier))
        self._runs = []
        return merged

    def store(self, level: Level) -> Level:
        """Write a level to the disk.

        Raises:
            OSError: if the disk is full.
        """
        nothing = np.zeros(len(level.fingerprints), np.uint32)
        return self._write([SpilledRun(level, nothing, nothing)]).level

    def _merge(
        self, runs: Sequence[SpilledRun], earlier: Sequence[tuple[U64Array, U64Array]]
    ) -> Iterator[SpilledRun]:
        """Yield the new states of each part of the fingerprints."""
        ends = [_ends(run.level.fingerprints) for run in runs]
        ends_of_earlier = [_ends(fingerprints) for fingerprints, _ in earlier]
        # The run that was found last knows of all values.
        fields = runs[-1].level.rows.fields
        for part in range(PARTS):
            slices = [slice(end[part], end[part + 1]) for end in ends]
            fingerprints = _concatenate(
                [run.level.fingerprints for run in runs], slices
            )
            rows = np.concatenate(
                [
                    RowView(run.level.rows)[piece]
                    for run, piece in zip(runs, slices, strict=True)
                ]
            )
            found = records(fingerprints, self._state_keys.of(rows))
            _, kept = np.unique(found, return_index=True)
            for level, ends_of_level in zip(earlier, ends_of_earlier, strict=True):
                low, high = ends_of_level[part], ends_of_level[part + 1]
                known = (array[low:high] for array in level)
                kept = kept[~_is_in(records(*known), found[kept])]
            # Of states with one fingerprint, the one that was found first is first.
            kept = kept[np.lexsort((kept, fingerprints[kept]))]
            yield _gather(runs, slices, kept, pack_rows(rows[kept], fields))

    def _write(self, pieces: Iterable[SpilledRun]) -> SpilledRun:
        """Write runs to the disk as one; hold one of them at a time."""
        with ExitStack() as files:
            columns: list[_Column] = []
            for piece in pieces:
                like = piece.level
                for number, array in enumerate(piece.arrays):
                    if number == len(columns):
                        file = files.enter_context(TemporaryFile(dir=self.folder))
                        columns.append(_Column(file, array[:0]))
                    columns[number].append(array)
            *level, parents, steps = (column.mapped() for column in columns)
            return SpilledRun(like.with_arrays(level), parents, steps)


class _Column:
    """One array of a spilled run, in a file without a name."""

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


def _ends(fingerprints: U64Array) -> list[int]:
    return [*np.searchsorted(fingerprints, STARTS).tolist(), len(fingerprints)]


def _is_in(run: npt.NDArray[Any], found: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Mark the states that are in a run, which is sorted by fingerprint."""
    if not len(run):
        return np.zeros(len(found), np.bool_)
    if run.dtype.names:
        run = np.sort(run)
    indices = np.minimum(np.searchsorted(run, found), len(run) - 1)
    is_in: npt.NDArray[np.bool_] = run[indices] == found
    return is_in


def _concatenate(
    arrays: Sequence[npt.NDArray[Any]], slices: Sequence[slice]
) -> npt.NDArray[Any]:
    return np.concatenate(
        [array[piece] for array, piece in zip(arrays, slices, strict=True)]
    )


def _gather(
    runs: Sequence[SpilledRun],
    slices: Sequence[slice],
    kept: npt.NDArray[np.intp],
    rows: PackedRows,
) -> SpilledRun:
    """The kept states of the slices of runs, which have these rows."""
    arrays = zip(*(run.arrays[1:] for run in runs), strict=True)
    *level, parents, steps = (_concatenate(of, slices)[kept] for of in arrays)
    like = runs[-1].level
    return SpilledRun(like.with_arrays((rows.words, *level)), parents, steps)
