"""Requests to the memory for what steps write, before the steps are worked out."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import REQUESTED, Arrays
from replicheck.explorer.native.kernels.numba_support import ONE, inlined, prefetch

LARGE = 1 << 20
"""Entries of lookups from which on the caches do not hold them."""
MANY_BITS = 12
MANY_VALUES = 1 << MANY_BITS
"""Values of a column from which on requests are made."""


@inlined
def ask_for_writes(
    tables: Arrays,
    values: Any,
    walking: Any,
    count: int,
    results: Any,
    permutations: int,
) -> None:
    """Ask the memory for what the steps of some states need of columns of many values.

    Args:
        walking: these states of the block, so many as ``count``.
        results: at which leaf each of them is.
    """
    first, words, leaves = tables.first, tables.words, tables.leaves
    operations, lookups = tables.operations, tables.lookups
    for number in range(2 * count):
        # First for numbers of values after a step, then for the words of these.
        is_second = number >= count
        index = uint64(walking[uint64(number - count if is_second else number)])
        result = int64(results[index])
        if result >= 0 or result == REQUESTED:
            continue
        at = uint64(-result)
        steps = int64(leaves[at])
        at += ONE
        for _ in range(steps):
            writes = uint64(leaves[at + uint64(2)])
            for write in range(writes):
                spot = at + uint64(3) + uint64(2) * uint64(write)
                column, new = uint64(leaves[spot]), int64(leaves[spot + ONE])
                base = int64(first[column])
                if new >= 0 or int64(first[column + ONE]) - base < MANY_VALUES:
                    continue
                old = int64(values[column, index])
                place = int64(operations[uint64(-1 - new)]) + old
                if is_second:
                    new = max(int64(0), int64(lookups[place]))
                    prefetch(words, (base + new) * permutations)
                else:
                    prefetch(lookups, place)
                    prefetch(words, (base + old) * permutations)
            at += uint64(3) + uint64(2) * writes
