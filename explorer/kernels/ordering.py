"""New states in the order of their fingerprints."""

from __future__ import annotations

from typing import Any

from numba import uint64

from replicheck.explorer.arrays import PART_BITS, Found, Level
from replicheck.explorer.kernels.words import NONE, ONE, compiled

DIGIT_BITS = 11
"""Bits that a pass of counting sort looks at; `starts` has room for their values."""


@compiled
def order_of(
    prints: Any, first: Any, count: int, order: Any, spare: Any, starts: Any
) -> None:
    """Put the places of some fingerprints from ``first`` on in ascending order.

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
            starts[((prints[first + uint64(order[place])] >> shift) & mask) + ONE] += 1
        for digit in range(1 << half):
            starts[digit + 1] += starts[digit]
        for place in range(count):
            digit = (prints[first + uint64(order[place])] >> shift) & mask
            spare[uint64(starts[digit])] = order[place]
            starts[digit] += 1
        order, spare = spare, order
    for place in range(1, count):
        moved = order[place]
        printed = prints[first + uint64(moved)]
        to = place
        while to > 0 and prints[first + uint64(order[to - 1])] > printed:
            order[to] = order[to - 1]
            to -= 1
        order[to] = moved


@compiled
def gather(
    low_part: int,
    high_part: int,
    found: Found,
    level: Level,
    level_parents: Any,
    level_steps: Any,
    order: Any,
    spare: Any,
    starts: Any,
) -> None:
    """Copy parts of what was found to their places in a level, in ascending order."""
    counts, parents, steps = found.counts, found.parents, found.steps
    room = found.prints.shape[0] // counts.shape[0]
    to = NONE
    for part in range(low_part):
        to += uint64(counts[part])
    for part in range(low_part, high_part):
        first = uint64(part * room)
        count = counts[part]
        order_of(found.prints, first, count, order, spare, starts)
        for place in range(count):
            source = first + uint64(order[uint64(place)])
            for column in range(found.rows.shape[1]):
                level.rows[to, uint64(column)] = found.rows[source, uint64(column)]
            for word in range(found.disabled.shape[1]):
                level.disabled[to, uint64(word)] = found.disabled[source, uint64(word)]
            level.prints[to] = found.prints[source]
            level.cut[to] = 0
            level_parents[to] = parents[source]
            level_steps[to] = steps[source]
            to += ONE
