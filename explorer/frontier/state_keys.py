"""State keys: what tells states of the same fingerprint apart, if anything does.

A fingerprint of 64 bits is enough for most searches; each report says how many pairs of
states are expected to collide. Who wants more has each state's **key** kept
beside its fingerprint, some words that are compared too: 64 more bits, or the whole
state, as the numbers of its values. Then nothing is left to chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.native.kernels.arrays import Known, Level, U64Array
from replicheck.explorer.native.packed_rows import RowView

FIRST_MULTIPLIER = np.uint64(0xFF51AFD7ED558CCD)
SECOND_MULTIPLIER = np.uint64(0xC4CEB9FE1A85EC53)
SHIFT = np.uint64(33)
AT_ONCE = 1 << 16
"""Rows whose keys are worked out in one go."""


class KeyPrecision(Enum):
    """What two states must share to count as one."""

    BITS_64 = "64"
    BITS_128 = "128"
    EXACT = "exact"

    def collisions(self, states: int) -> float:
        """Pairs of so many states that are expected to collide."""
        if self is KeyPrecision.EXACT:
            return 0.0
        bits = 128 if self is KeyPrecision.BITS_128 else 64
        return states**2 / 2.0 ** (bits + 1)


class StateKeys:
    """The keys of one learner's states: ``count`` words each."""

    def __init__(self, fingerprints: KeyPrecision, learner: LearnedModel) -> None:
        self.fingerprints = fingerprints
        self._learner = learner
        columns = len(learner.layout.cells)
        self.count = {
            KeyPrecision.BITS_64: 0,
            KeyPrecision.BITS_128: 1,
            KeyPrecision.EXACT: (columns + 1) // 2,
        }[fingerprints]

    def of(self, rows: npt.NDArray[np.integer]) -> U64Array:
        """The key of each row; see `kernels.state_key`."""
        if self.fingerprints is KeyPrecision.EXACT:
            return _packed(rows)
        if self.fingerprints is KeyPrecision.BITS_64:
            return np.empty((len(rows), 0), np.uint64)
        tables = self._learner.tables.arrays()
        permutations = self._learner.tables.permutations
        words = tables.words.reshape(-1, permutations)[tables.first[:-1] + rows]
        firsts = np.bitwise_xor.reduce(words, axis=1)
        seconds = np.bitwise_xor.reduce(_mixed(words), axis=1)
        least = np.lexsort((seconds, firsts), axis=1)[:, :1]
        found: U64Array = np.take_along_axis(seconds, least, axis=1)
        return found

    def of_level(self, level: Level) -> U64Array:
        """The key of each state of a level."""
        return self.of(RowView(level.rows)[:])

    def each_of(self, rows: RowView) -> Iterator[U64Array]:
        """Yield the keys of so many rows that they need not all be in memory."""
        for first in range(0, len(rows), AT_ONCE):
            yield self.of(rows[first : first + AT_ONCE])

    def all_of(self, rows: npt.NDArray[np.integer] | RowView) -> U64Array:
        """The keys of all rows."""
        keys = np.empty((len(rows), self.count), np.uint64)
        if not self.count:
            return keys
        for first in range(0, len(rows), AT_ONCE):
            keys[first : first + AT_ONCE] = self.of(rows[first : first + AT_ONCE])
        return keys

    def known(self, addresses: npt.NDArray[np.int64]) -> Known:
        """Arguments of a kernel, with memory of its own to work in."""
        return Known(
            addresses,
            np.empty(len(self._learner.layout.cells), np.uint64),
            np.empty(self.count, np.uint64),
            np.empty(int(self.fingerprints is KeyPrecision.EXACT), np.uint8),
        )


def records(fingerprints: U64Array, keys: U64Array) -> npt.NDArray[Any]:
    """Fingerprints with their keys as records, which compare in order."""
    if not keys.shape[1]:
        return fingerprints
    pairs = np.column_stack([fingerprints, keys])
    kind = np.dtype([(f"word{word}", np.uint64) for word in range(pairs.shape[1])])
    records: npt.NDArray[Any] = np.ascontiguousarray(pairs).view(kind).reshape(-1)
    return records


def _mixed(words: U64Array) -> U64Array:
    """The words with their bits spread: the finaliser of MurmurHash3."""
    words = (words ^ (words >> SHIFT)) * FIRST_MULTIPLIER
    words = (words ^ (words >> SHIFT)) * SECOND_MULTIPLIER
    return words ^ (words >> SHIFT)


def _packed(rows: npt.NDArray[np.integer]) -> U64Array:
    """Two numbers of values in a word, the first in its lower half."""
    even = np.zeros((len(rows), rows.shape[1] + rows.shape[1] % 2), np.uint64)
    even[:, : rows.shape[1]] = rows
    packed: U64Array = even[:, ::2] | (even[:, 1::2] << np.uint64(32))
    return packed
