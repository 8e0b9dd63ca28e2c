"""Merging: of all that was found for a bucket, the states that are new."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from replicheck.explorer.durable import Stored
from replicheck.explorer.partitioned.agreement import renumbered
from replicheck.explorer.partitioned.blocks import (
    Array,
    Block,
    Words,
    joined,
    packed,
    picked,
    unpacked,
)
from replicheck.explorer.partitioned.store import Store, folder_of, fresh_name, whole
from replicheck.explorer.partitioned.tasks import Bucket, Merge, Merged, Run

GROWTH = 2
"""A run stays as it is while it is so many times as long as all later ones together."""
MOST_SMALL_RUNS = 4
"""So many later runs are merged into one."""


class Merger:
    """Merges buckets of one level."""

    def __init__(self, store: Store, task: Merge, of_column: Sequence[int]) -> None:
        self.store, self.task, self.of_column = store, task, of_column

    def merged(self, bucket: Bucket) -> tuple[Merged, Block | None]:
        """Write the bucket's part of the level; return its files and its states.

        Raises:
            CheckpointError: if a file is not as it was written.
        """
        runs = [self._prints(run.file) for run in bucket.runs]
        block = new_states(self._blocks(bucket), runs)
        count = len(block.prints)
        if not count:
            return Merged(bucket.bucket, 0, None, None, None, bucket.runs), None
        number = bucket.bucket
        states = self._write(f"states-{number:05d}", (block.rows, block.disabled))
        prints = self._write(f"prints-{number:05d}", (block.prints,))
        path = self._write(f"path-{number:05d}", (block.parents, block.steps))
        kept = [*bucket.runs, Run(prints, count)]
        compact = self._compact(number, kept, [*runs, block.prints])
        return Merged(number, count, states, prints, path, compact), block

    def _blocks(self, bucket: Bucket) -> list[Block]:
        blocks = []
        for source in bucket.sources:
            content = self.store.read(source.piece)
            block = Block(*unpacked(content, source.piece.name))
            numbers = (self.of_column, source.bases, source.numbers)
            rows = renumbered(block.rows, *numbers, np.dtype(self.task.dtype))
            blocks.append(block._replace(rows=rows))
        return blocks

    def _compact(
        self, bucket: int, runs: Sequence[Run], prints: Sequence[Words]
    ) -> Sequence[Run]:
        """Merge the last runs once there are many small ones."""
        first = len(runs) - 1
        while first and runs[first - 1].count < GROWTH * _count(runs[first:]):
            first -= 1
        if len(runs) - first < MOST_SMALL_RUNS:
            return runs
        merged = np.sort(np.concatenate(prints[first:]), kind="stable")
        file = self._write(f"run-{bucket:05d}", [merged])
        return [*runs[:first], Run(file, len(merged))]

    def _prints(self, stored: Stored) -> Words:
        return unpacked(self.store.read(whole(stored)), stored.name)[0]

    def _write(self, kind: str, arrays: Sequence[Array]) -> Stored:
        name = fresh_name(folder_of(self.task.level), kind)
        return self.store.write(name, packed(arrays))


def new_states(blocks: Sequence[Block], runs: Sequence[Words]) -> Block:
    """Return the states that no run has, each as the first block found it.

    Args:
        blocks: in the order of the states that they come from, so that the first has
            the least predecessor.
        runs: fingerprints in ascending order.
    """
    block = joined(blocks)
    _, kept = np.unique(block.prints, return_index=True)
    for run in runs:
        kept = kept[~_are_in(run, block.prints[kept])]
    return picked(block, kept)


def _count(runs: Sequence[Run]) -> int:
    return sum(run.count for run in runs)


def _are_in(run: Words, prints: Words) -> npt.NDArray[np.bool_]:
    """Tell of each fingerprint whether it is in a sorted run."""
    places = np.minimum(np.searchsorted(run, prints), len(run) - 1)
    found: npt.NDArray[np.bool_] = run[places] == prints
    return found
