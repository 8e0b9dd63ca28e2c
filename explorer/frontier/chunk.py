"""Chunks: the stretches of a level that threads work on, and the buffers they fill."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.native.kernels.arrays import (
    BLOCK,
    BLOCK_ROOM,
    BROKEN_STEP,
    CANDIDATES,
    COUNTERS,
    MISSED,
    NOTHING_NOTED,
    ChunkArrays,
    Scratch,
)
from replicheck.explorer.native.packing import pack
from replicheck.explorer.tables.tables import Tables

CHUNK = 16384
"""States of a chunk."""
CANDIDATES_PER_STATE = 6
"""Room for candidates to begin with."""
ALL = 1 << 62
"""More candidates than any chunk has."""


class Chunk:
    """One chunk at work: its states, how far it is, and its buffers.

    ``number`` is its place among the chunks of a round. ``arrays``, ``spare`` (what it
    found, sorted) and ``scratch`` are buffers, ``packed`` is the three as kernels get
    them.
    """

    def __init__(self, number: int, learner: LearnedModel) -> None:
        self.number = number
        self.low = self.high = self.at = 0
        self.late = ALL
        self._instances = len(learner.functions)
        self._kinds = BROKEN_STEP + len(learner.step_properties)
        room = CHUNK * CANDIDATES_PER_STATE
        self.arrays, self.spare = self._new_chunk(room), self._new_chunk(room)
        self.scratch = self._new_scratch(learner.tables)
        self._pack()

    @property
    def is_done(self) -> bool:
        """Tell whether every state is walked and nothing is missed."""
        return self.at == self.high and self.arrays.counters[MISSED] == 0

    @property
    def states(self) -> range:
        """The places of its states in the level."""
        return range(self.low, self.high)

    @property
    def candidates(self) -> int:
        """Number of its candidates."""
        return int(self.arrays.counters[CANDIDATES])

    def begin(self, low: int, high: int) -> None:
        """Begin with other states, the buffers empty."""
        self.low = self.at = low
        self.high = high
        self.late = ALL
        self.arrays.counters[:] = 0
        self.arrays.generated[:] = 0
        self.arrays.enabled[:] = 0
        self.arrays.disabled[:] = 0
        self.arrays.notes[:] = NOTHING_NOTED

    def retry_begins(self) -> None:
        """Note that candidates from now on may not be in the order of instances."""
        self.late = min(self.late, self.candidates)

    def grow(self) -> None:
        """Make twice the room for candidates."""
        room = 2 * len(self.arrays.fingerprints)
        count = self.candidates
        grown = {}
        for name in ("fingerprints", "sources", "indices"):
            old: npt.NDArray[Any] = getattr(self.arrays, name)
            grown[name] = np.empty(room, old.dtype)
            grown[name][:count] = old[:count]
        self.arrays = self.arrays._replace(**grown)
        self.spare = self._new_chunk(room)
        self._pack()

    def _pack(self) -> None:
        self.packed = pack(self.arrays), pack(self.spare), pack(self.scratch)

    def _new_scratch(self, tables: Tables) -> Scratch:
        instances = max(1, self._instances)
        return Scratch(
            transposed=np.empty((len(tables.dictionaries), BLOCK), np.uint64),
            values=np.empty((len(tables.dictionaries), BLOCK_ROOM), np.uint32),
            lists=np.empty((instances, BLOCK), np.uint16),
            filled=np.empty(instances, np.int64),
            bases=np.empty((BLOCK + 1, tables.permutations), np.uint64),
            results=np.empty(BLOCK, np.int32),
            walking=np.empty(BLOCK, np.uint16),
            spots=np.empty(BLOCK, np.int64),
            live=np.empty((tables.width, BLOCK), np.uint64),
            known=np.empty((tables.width, BLOCK), np.uint64),
            constant=np.empty(tables.width, np.uint64),
            starts=np.empty(CHUNK + 1, np.int64),
        )

    def _new_chunk(self, room: int) -> ChunkArrays:
        pairs = max(2 * BLOCK * self._instances, 1 << 14)
        return ChunkArrays(
            fingerprints=np.empty(room, np.uint64),
            sources=np.empty(room, np.uint32),
            indices=np.empty(room, np.int32),
            missed_states=np.empty(pairs, np.uint32),
            missed_instances=np.empty(pairs, np.int32),
            missed_leaves=np.empty(pairs, np.int32),
            learn_states=np.empty(pairs, np.uint32),
            learn_instances=np.empty(pairs, np.int32),
            answers=np.empty(pairs, np.int64),
            counters=np.zeros(COUNTERS, np.int64),
            generated=np.zeros(self._instances, np.int64),
            enabled=np.zeros(self._instances, np.int64),
            disabled=np.zeros(self._instances, np.int64),
            notes=np.full((self._kinds, self._instances), NOTHING_NOTED, np.uint64),
        )
