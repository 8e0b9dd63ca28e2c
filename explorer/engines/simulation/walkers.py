"""Walkers side by side, and the walk of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from attrs import define

from replicheck.explorer.engines.simulation.strategies import Strategy
from replicheck.explorer.frontier.levels import fresh_level
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import (
    Indices,
    Level,
    U64Array,
    WalkerArrays,
)
from replicheck.explorer.native.packed_rows import pack_rows, room_of, with_room
from replicheck.explorer.report import Trace


@define
class Walkers:
    """The walkers at hand, and the states in which they stand.

    Walk ``n`` begins in the initial state ``n`` modulo their number; ``start_rows`` and
    ``start_fingerprints`` are those of the initial states. To a `PropertyStatus`, the
    walkers are a level: number 0, whatever the depth of each walker.
    """

    learner: Learner
    strategy: Strategy
    states: Level
    arrays: WalkerArrays
    begun: int
    start_rows: npt.NDArray[np.int64]
    start_fingerprints: U64Array
    level: int = 0

    @classmethod
    def of(cls, learner: Learner, strategy: Strategy, steps: int) -> Self:
        """No walkers yet, of at most some steps."""
        bits, columns = learner.tables.bits_of_all, len(learner.layout.cells)
        starts = np.array([learner.row(start) for start in learner.starts])
        zeros = np.zeros((0, columns), np.uint16)
        rows = pack_rows(zeros, room_of(learner.dictionaries))
        return cls(
            learner,
            strategy,
            fresh_level(rows, np.zeros(0, np.uint64), bits),
            WalkerArrays(
                walks=np.zeros(0, np.int64),
                depths=np.zeros(0, np.int64),
                horizons=np.zeros(0, np.int64),
                history=np.zeros((0, steps), np.int32),
                memory=strategy.memory(0),
                picked=np.zeros(0, np.int64),
            ),
            begun=0,
            start_rows=starts,
            start_fingerprints=np.array(learner.fingerprints(starts), np.uint64),
        )

    def __len__(self) -> int:
        """How many walkers there are."""
        return len(self.states.fingerprints)

    def add(self, count: int, horizon: int) -> None:
        """Let so many more walkers begin the next walks."""
        states, before = self.states, len(self)
        self.states = states.with_arrays(_longer(states.arrays, count))
        self.arrays = WalkerArrays._make(_longer(self.arrays, count))
        self.begin(np.arange(before, before + count), horizon)

    def begin(self, indices: Indices, horizon: int) -> None:
        """Let the walkers at some places begin the next walks."""
        states, arrays = self.states, self.arrays
        rows, fingerprints = self.start_rows, self.start_fingerprints
        walks = np.arange(self.begun, self.begun + len(indices))
        self.begun += len(indices)
        chosen = pack_rows(rows[walks % len(rows)], states.rows.fields)
        states.rows.words[indices] = chosen.words
        states.fingerprints[indices] = fingerprints[walks % len(rows)]
        states.disabled[indices] = 0
        states.constrained[indices] = 0
        arrays.walks[indices] = walks
        arrays.depths[indices] = 0
        arrays.horizons[indices] = horizon
        arrays.memory[indices] = self.strategy.memory(len(indices))

    def keep(self, indices: Indices) -> None:
        """Let only the walkers at some places go on."""
        states = self.states
        self.states = states.with_arrays(array[indices] for array in states.arrays)
        self.arrays = WalkerArrays._make(array[indices] for array in self.arrays)

    def widen(self) -> None:
        """Give the rows room for the values so far."""
        rows = with_room(self.states.rows, self.learner.dictionaries)
        self.states = self.states._replace(rows=rows)

    @property
    def path(self) -> Self:
        """Source of traces: the walkers' own histories."""
        return self

    def place_of(self, fingerprint: int) -> int:
        """The walker that is in a state, the one of the first walk."""
        there = np.flatnonzero(self.states.fingerprints == np.uint64(fingerprint))
        return int(there[np.argmin(self.arrays.walks[there])])

    def trace(self, learner: Learner, depth: int, place: int) -> Trace[Any]:
        """The walk of the walker at a place so far."""
        starts = learner.starts
        row = learner.row(starts[int(self.arrays.walks[place]) % len(starts)])
        taken = [learner.steps[number] for number in self.numbers(place)]
        return learner.trace(row, taken)

    def numbers(self, place: int) -> Sequence[int]:
        """The numbers of the steps that a walker took."""
        taken = self.arrays.history[place, : self.arrays.depths[place]]
        numbers: list[int] = taken.tolist()
        return numbers


def _longer(
    arrays: Iterable[npt.NDArray[Any]], count: int
) -> Iterator[npt.NDArray[Any]]:
    """Arrays with so many rows of zeros more."""
    for array in arrays:
        zeros = np.zeros((count, *array.shape[1:]), array.dtype)
        yield np.concatenate([array, zeros])
