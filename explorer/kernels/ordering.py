"""New states in the order of their fingerprints."""

from __future__ import annotations

from typing import Any

from numba import uint64

from replicheck.explorer.arrays import PART_BITS, Level
from replicheck.explorer.kernels.words import ONE, compiled

DIGIT_BITS = 11
"""Bits that a pass of counting sort looks at; `starts` has room for their values."""


@compiled
def order_of(prints: Any, count: int, order: Any, spare: Any, starts: Any) -> None:
    """Put the places of fingerprints of one part into ``order``, in ascending order.

    Two passes of counting sort on the bits below the part, which leave few neighbours
    out of order, then insertion.
    """
    bits = 1
    while (1 << bits) < count and bits < 2 * DIGIT_BITS:
        bits += 1
    half = (bits + 1) // 2
    mask = (ONE << uint64(half)) - ONE
    for place in range(count):
        order[place] = place
    for turn in range(2):
        shift = uint64(64 - PART_BITS - 2 * half + turn * half)
        starts[: (1 << half) + 1] = 0
        for place in range(count):
            starts[((prints[uint64(order[place])] >> shift) & mask) + ONE] += 1
        for digit in range(1 << half):
            starts[digit + 1] += starts[digit]
        for place in range(count):
            digit = (prints[uint64(order[place])] >> shift) & mask
            spare[uint64(starts[digit])] = order[place]
            starts[digit] += 1
        order, spare = spare, order
    for place in range(1, count):
        moved = order[place]
        printed = prints[uint64(moved)]
        to = place
        while to > 0 and prints[uint64(order[to - 1])] > printed:
            order[to] = order[to - 1]
            to -= 1
        order[to] = moved


@compiled
def gather(
    found: Level,
    parents: Any,
    steps: Any,
    count: int,
    level: Level,
    level_parents: Any,
    level_steps: Any,
    start: int,
    order: Any,
    spare: Any,
    starts: Any,
) -> None:
    """Copy a part's new states to ``start`` of the next level, in ascending order."""
    order_of(found.prints, count, order, spare, starts)
    for place in range(count):
        source = uint64(order[uint64(place)])
        to = uint64(start + place)
        for column in range(found.rows.shape[1]):
            level.rows[to, uint64(column)] = found.rows[source, uint64(column)]
        for word in range(found.disabled.shape[1]):
            level.disabled[to, uint64(word)] = found.disabled[source, uint64(word)]
        level.prints[to] = found.prints[source]
        level.cut[to] = 0
        level_parents[to] = parents[source]
        level_steps[to] = steps[source]
