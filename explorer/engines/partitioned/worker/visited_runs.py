"""Visited runs: the fingerprints of all levels up to that at work, bucket by bucket."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from replicheck.explorer.engines.partitioned.store.blocks import (
    Marks,
    bucket_slices,
    unpacked,
)
from replicheck.explorer.engines.partitioned.store.store import Piece, Store
from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.reduction.visited_levels import absent


class VisitedRuns:
    """The runs of all buckets; a process reads each of them once.

    So it holds 8 bytes, or with longer fingerprints 16, for each state of the pass.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._fingerprints: dict[Piece, U64Array] = {}
        self._runs: Sequence[Sequence[Piece]] = ()

    def read(self, runs: Sequence[Sequence[Piece]]) -> None:
        """Read those of these runs that were not read yet, and forget all others.

        Raises:
            CheckpointError: if a file is not as it was written.
        """
        known = self._fingerprints
        self._fingerprints = {
            piece: known[piece] if piece in known else self._read(piece)
            for bucket in runs
            for piece in bucket
        }
        self._runs = runs

    def begin_level(self, fingerprints: U64Array) -> None:
        """Nothing is added: the runs have the level at work, too."""

    def lack(self, fingerprints: U64Array) -> npt.NDArray[np.uint8]:
        """Mark those that no run has. See `VisitedFingerprints.lack`."""
        order = np.argsort(fingerprints)
        ascending = fingerprints[order]
        are_new = np.ones(len(order), np.bool_)
        for bucket, low, high in bucket_slices(ascending, len(self._runs)):
            for piece in self._runs[bucket]:
                among = self._fingerprints[piece]
                are_new[low:high] &= absent(ascending[low:high], among)
        marked = np.zeros(len(order), np.uint8)
        marked[order] = are_new
        return marked

    def _read(self, piece: Piece) -> U64Array:
        return Marks(*unpacked(self._store.read(piece), piece.name)).fingerprints
