"""Writes of steps: the numbers that cells get, and the candidates that come of them."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import RAISES, Arrays, ChunkArrays
from replicheck.explorer.native.kernels.numba_support import NONE, ONE, inlined
from replicheck.explorer.native.kernels.trees.long_walk import seek

NO_ANSWER, RAISING_ANSWER = -1, -2
"""Instead of a number: an operation's result is not known, or the model raised."""


@inlined
def number_after(tables: Arrays, chunk: ChunkArrays, written: Any, old: Any) -> Any:
    """The number that a cell gets; NO_ANSWER or RAISING_ANSWER if it has none.

    Args:
        written: that number, or below 0 the operation whose result it is.
        old: the number that the cell has.
    """
    if written >= 0:
        return written
    asked = uint64(tables.operations[uint64(-1 - written)]) + old
    new = int64(tables.lookups[asked])
    if new == RAISES:
        return int64(RAISING_ANSWER)
    if new < 0:
        seek(tables, chunk, asked)
        return int64(NO_ANSWER)
    return new


@inlined
def write_candidate(
    chunk: ChunkArrays, spot: Any, fingerprint: Any, state: Any, at: Any
) -> None:
    """Write the step at a place of the leaves as a candidate; 0 is no fingerprint."""
    chunk.fingerprints[spot] = fingerprint if fingerprint != NONE else ONE
    chunk.indices[spot] = at
    chunk.sources[spot] = state
