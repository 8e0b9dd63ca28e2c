"""Parent files: the run to a state, back through the files of all levels."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from replicheck.explorer.engines.partitioned.manifest import LevelManifests
from replicheck.explorer.engines.partitioned.store.blocks import (
    WHICH_BITS,
    bucket_of,
    unpacked,
)
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.report import Trace


class ParentFiles:
    """Parent pointers of every state, as the files of the levels hold them."""

    def __init__(self, levels: LevelManifests, starts: list[tuple[int, ...]]) -> None:
        self._levels, self._files = levels, levels.files
        self._starts = starts
        """The rows of the first level."""

    def trace(self, learner: Learner, depth: int, place: int) -> Trace[Any]:
        """The run to the state at a place of the level after ``depth`` steps."""
        numbers = []
        for number in reversed(range(1, depth + 1)):
            place, code = self._before(number, place)
            numbers.append(divmod(code, 1 << WHICH_BITS))
        return learner.trace(self._starts[place], reversed(numbers))

    def _before(self, number: int, place: int) -> tuple[int, int]:
        bucket, within = self._levels.levels[number].bucket_at(place)
        assert bucket.path is not None, "a bucket with states has a path"
        content = self._files.read(bucket.path)
        parents, steps = unpacked(content, bucket.path.name)
        return int(parents[within]), int(steps[within])


@frozen
class PartitionedLevel:
    """The level that is being judged, as `property_status` knows it."""

    path: ParentFiles
    level: int
    levels: LevelManifests
    buckets: int

    def place_of(self, fingerprint: int) -> int:
        """The place of a state by its fingerprint.

        Raises:
            CheckpointError: if the file of its bucket is not as it was written.
        """
        number = bucket_of(fingerprint, self.buckets)
        level = self.levels.levels[self.level]
        within = int(
            np.searchsorted(self._fingerprints(number), np.uint64(fingerprint))
        )
        return level.place_of(number, within)

    def has(self, fingerprint: int, place: int) -> bool:
        """Tell whether the state at a place has this fingerprint.

        Raises:
            CheckpointError: if the file of its bucket is not as it was written.
        """
        bucket, within = self.levels.levels[self.level].bucket_at(place)
        return int(self._fingerprints(bucket.bucket)[within]) == fingerprint

    def _fingerprints(self, number: int) -> U64Array:
        stored = self.levels.levels[self.level].buckets[number].fingerprints
        assert stored is not None, "a bucket with states has fingerprints"
        content = self.levels.files.read(stored)
        fingerprints: U64Array = unpacked(content, stored.name)[0]
        return fingerprints
