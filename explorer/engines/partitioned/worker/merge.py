"""Merge: of all that was found for a bucket, the states that are new."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replicheck.explorer.engines.partitioned.exchange.messages import (
    Bucket,
    Merge,
    Merged,
    SortedRun,
)
from replicheck.explorer.engines.partitioned.exchange.value_numbering import (
    Numbers,
    renumbered,
)
from replicheck.explorer.engines.partitioned.store.blocks import (
    Block,
    Marks,
    joined,
    packed,
    picked,
    unpacked,
)
from replicheck.explorer.engines.partitioned.store.store import (
    Piece,
    PieceFile,
    Store,
    folder_of,
)
from replicheck.explorer.native.kernels.arrays import PackedRows
from replicheck.explorer.native.library import drop_known, drop_repeated

GROWTH = 2
"""A run stays as it is while it is so many times as long as all later ones together."""
MOST_SMALL_RUNS = 4
"""So many later runs are merged into one."""


class Merger:
    """Merges buckets of one level. What it makes of them counts after `write`."""

    def __init__(self, store: Store, task: Merge, of_column: Numbers) -> None:
        self.store, self.task, self.of_column = store, task, of_column
        # Apart, since these are needed for different times.
        self._states, self._fingerprints, self._paths, self._runs = (
            PieceFile(folder_of(task.level), kind)
            for kind in ("states", "prints", "paths", "runs")
        )

    def write(self) -> None:
        """Write all that was made.

        Raises:
            OSError: if the store cannot be written.
        """
        for piece_file in (self._states, self._fingerprints, self._paths, self._runs):
            if piece_file.content:
                self.store.write(piece_file.name, piece_file.content)

    def merged(self, bucket: Bucket) -> tuple[Merged, Block | None]:
        """Make the bucket's part of the level; return its pieces and its states.

        Raises:
            CheckpointError: if a file is not as it was written.
        """
        runs = [self._run(run.piece) for run in bucket.runs]
        block = new_states(self._blocks(bucket), runs)
        count = len(block.fingerprints)
        if not count:
            return Merged(bucket.bucket, 0, None, None, None, bucket.runs), None
        form = self.task.fields, self.task.places
        states = self._states.add(packed((*form, block.rows, block.disabled)))
        marks = Marks(block.fingerprints, block.keys)
        fingerprints = self._fingerprints.add(packed(marks))
        path = self._paths.add(packed((block.parents, block.steps)))
        kept = [*bucket.runs, SortedRun(fingerprints, count)]
        compact = self._compact(kept, [*runs, marks])
        return Merged(bucket.bucket, count, states, fingerprints, path, compact), block

    def _blocks(self, bucket: Bucket) -> list[Block]:
        blocks = []
        for source in bucket.sources:
            content = self.store.read(source.piece)
            fields, *arrays = unpacked(content, source.piece.name)
            block = Block(*arrays)
            rows = renumbered(
                PackedRows(block.rows, fields),
                self.of_column,
                source.offsets,
                source.numbers,
                self.task.fields,
            )
            blocks.append(block._replace(rows=rows.words))
        return blocks

    def _compact(
        self, runs: Sequence[SortedRun], marks: Sequence[Marks]
    ) -> Sequence[SortedRun]:
        """Merge the last runs once there are many small ones."""
        first = len(runs) - 1
        while first and runs[first - 1].count < GROWTH * _count(runs[first:]):
            first -= 1
        if len(runs) - first < MOST_SMALL_RUNS:
            return runs
        merged = _merged(marks[first:])
        piece = self._runs.add(packed(merged))
        return [*runs[:first], SortedRun(piece, len(merged.fingerprints))]

    def _run(self, piece: Piece) -> Marks:
        return Marks(*unpacked(self.store.read(piece), piece.name))


def new_states(blocks: Sequence[Block], runs: Sequence[Marks]) -> Block:
    """The states that no run has, each as the first block found it.

    Args:
        blocks: in the order of the states that they come from, so that the first has
            the least predecessor.
    """
    block = joined(blocks)
    order = np.argsort(block.fingerprints, kind="stable")
    found = Marks(block.fingerprints[order], block.keys[order])
    is_new = np.ones(len(order), np.uint8)
    drop_repeated(*found, is_new)
    for run in runs:
        drop_known(*found, *run, is_new)
    return picked(block, order[is_new != 0])


def _merged(runs: Sequence[Marks]) -> Marks:
    """Several runs as one."""
    together = Marks(*(np.concatenate(parts) for parts in zip(*runs, strict=True)))
    order = np.argsort(together.fingerprints, kind="stable")
    return Marks(*(part[order] for part in together))


def _count(runs: Sequence[SortedRun]) -> int:
    return sum(run.count for run in runs)
