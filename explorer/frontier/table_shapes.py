"""Shapes of the visited set's tables: how wide a slot is, and how many there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from replicheck.explorer.native.kernels.arrays import (
    BUCKET_BYTES,
    NARROW_BITS,
    PARTS,
    SPARE_BUCKETS,
    WIDE_BITS,
    WORD_BITS,
    U64Array,
)
from replicheck.explorer.native.library import (
    add_all,
    fill_narrow,
    fill_wide,
    unpack_narrow,
    unpack_wide,
)

FIRST_SIZE = 64
FULLEST = 0.75
"""Share of an open table's slots that may be taken."""
NEARLY = 0.98
"""Tables that are nearly so full grow with the first: threads share the work."""
BUCKET_WORDS = BUCKET_BYTES // 8
NO_KEYS = np.empty(0, np.uint64)
PARTS_AT_ONCE = 8
"""Parts of the visited set that a call of a kernel takes, if there are many states."""
FEW = 1 << 14
"""States that one thread has placed before a second one is awake."""


class BucketKind(NamedTuple):
    """Buckets whose slots have one width."""

    width: int
    slots: int
    """Slots of a bucket."""
    fewest: int
    """Buckets that a table must have at least, for its slots to hold the rest."""
    worth: float
    """Room from which on such a table is worth it: an open one takes less time."""
    growth: float
    high_bytes: type[np.unsignedinteger[Any]]
    fill: Callable[..., int]
    unpack: Callable[..., int]


FULLEST_BUCKETS = 0.875
"""Share of the slots of buckets that may be taken."""
NARROW = BucketKind(
    width=NARROW_BITS,
    slots=12,
    fewest=1 << 17,
    worth=1_376_256,
    growth=1.125,
    high_bytes=np.uint8,
    fill=fill_narrow,
    unpack=unpack_narrow,
)
WIDE = BucketKind(
    width=WIDE_BITS,
    slots=10,
    fewest=1 << 9,
    worth=150_000,
    growth=1.5,
    high_bytes=np.uint16,
    fill=fill_wide,
    unpack=unpack_wide,
)
ORDER = (NARROW, WIDE)
KINDS = {kind.width: kind for kind in ORDER}
OPEN_GROWTH = 2
MOST_ROOM = 3
"""Fingerprints that have no place in buckets with so many times the room are alike:
these go to an open table."""


class Shape(NamedTuple):
    """The width of a table's slots, and its size: in slots if they are whole words."""

    width: int
    size: int

    @property
    def room(self) -> float:
        """How many fingerprints it may hold."""
        if self.width == WORD_BITS:
            return FULLEST * self.size
        return FULLEST_BUCKETS * KINDS[self.width].slots * self.size

    @property
    def words(self) -> int:
        """The words of memory that it takes."""
        if self.width == WORD_BITS:
            return self.size
        return (self.size + SPARE_BUCKETS) * BUCKET_WORDS

    @property
    def growth(self) -> float:
        """How many times as many fingerprints the table after it has room for."""
        return OPEN_GROWTH if self.width == WORD_BITS else KINDS[self.width].growth


def shape_for(count: float, *, bucketed: bool) -> Shape:
    """The shape of a table with room for so many fingerprints, of buckets or open."""
    for kind in ORDER if bucketed else ():
        if count >= kind.worth:
            buckets = int(count / (FULLEST_BUCKETS * kind.slots)) + 1
            return Shape(kind.width, max(kind.fewest, buckets))
    return Shape(WORD_BITS, int(count / FULLEST) + 1)


def grown(old: Shape, needed: int, *, bucketed: bool) -> Shape:
    """The shape after another one, with room for so many fingerprints."""
    room = max(needed, old.growth * old.room)
    shape = shape_for(room, bucketed=bucketed)
    if shape.width in {old.width, WORD_BITS}:
        return shape
    # A table whose slots become narrower grows as one of those does.
    least = min(room, KINDS[shape.width].worth)
    room = max(needed, shape.growth * old.room, least)
    return shape_for(room, bucketed=bucketed)


def unpacked(part: int, words: U64Array, shape: Shape, into: U64Array) -> int:
    """Write the fingerprints of a table to an array; return how many there are."""
    if shape.width == WORD_BITS:
        taken = words[words != 0]
        into[: len(taken)] = taken
        return len(taken)
    kind = KINDS[shape.width]
    halves, highs = words.view(np.uint32), words.view(kind.high_bytes)
    return kind.unpack(part, halves, highs, shape.size, into)


def filled(
    words: U64Array, shape: Shape, fingerprints: U64Array, homeless: U64Array
) -> int:
    """Add fingerprints that a table lacks, up to one that has no place.

    Args:
        homeless: gets that one in its first element, or 0.

    Returns:
        How many were added.
    """
    if shape.width == WORD_BITS:
        add_all(fingerprints, NO_KEYS, words, NO_KEYS, 0)
        homeless[0] = 0
        return len(fingerprints)
    kind = KINDS[shape.width]
    halves, highs = words.view(np.uint32), words.view(kind.high_bytes)
    return kind.fill(fingerprints, halves, highs, shape.size, homeless)


def parts_at_once(states: int) -> int:
    """Parts that one call takes, where all have so many states together."""
    return PARTS if states < FEW else PARTS_AT_ONCE
