"""Insertion of candidates into the visited set: which of them it does not have yet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, int64, uint64

from replicheck.explorer.native.kernels.arrays import (
    SPARE_BUCKETS,
    WIDE_BITS,
    WORD_BITS,
    Arrays,
    Candidates,
    Found,
    Known,
    Level,
    Slots,
)
from replicheck.explorer.native.kernels.numba_support import (
    NONE,
    ONE,
    compiled,
    pointer,
    prefetch_to_write,
)
from replicheck.explorer.native.kernels.visited import open_table
from replicheck.explorer.native.kernels.visited.bucket_table import (
    FOUND,
    HALVES,
    NARROW,
    WIDE,
    Buckets,
)

AHEAD = 12
"""Candidates between asking the memory for a bucket and looking at it."""


def _into_buckets(of: Buckets, number_type: Any, numbers: int) -> Any:
    """Insertion into buckets; a bucket has so many numbers of the high bytes' type."""
    home, add = of.home, of.add

    @compiled
    def insert_part(
        part: int, slots: Slots, candidates: Candidates, found: Found
    ) -> None:
        address = pointer(slots.addresses[part])
        halves = carray(
            address, ((slots.sizes[part] + SPARE_BUCKETS) * HALVES,), np.uint32
        )
        highs = carray(
            address, ((slots.sizes[part] + SPARE_BUCKETS) * numbers,), number_type
        )
        buckets = uint64(slots.sizes[part])
        fingerprints = candidates.fingerprints
        low, high = candidates.begins[part], candidates.ends[part]
        candidates.begins[part] = high
        room = uint64(found.fingerprints.shape[0] // found.counts.shape[0])
        first, count = uint64(part) * room, uint64(found.counts[part])
        before = count
        for number in range(low, min(low + AHEAD, high)):
            ahead = home(fingerprints[uint64(number)], buckets)
            prefetch_to_write(halves, int64(ahead * uint64(HALVES)))
        for number in range(low, high):
            if number + AHEAD < high:
                ahead = home(fingerprints[uint64(number + AHEAD)], buckets)
                prefetch_to_write(halves, int64(ahead * uint64(HALVES)))
            if count == room or slots.homeless[part] != NONE:
                candidates.begins[part] = number
                break
            fingerprint = fingerprints[uint64(number)]
            homeless = add(halves, highs, buckets, fingerprint)
            if homeless == FOUND:
                continue
            slots.homeless[part] = homeless
            to = first + count
            found.fingerprints[to] = fingerprint
            found.sources[to] = candidates.sources[uint64(number)]
            found.indices[to] = candidates.indices[uint64(number)]
            count += ONE
        found.counts[part] = count
        slots.taken[part] += count - before

    return insert_part


_into_wide = _into_buckets(WIDE, np.uint16, 32)
_into_narrow = _into_buckets(NARROW, np.uint8, 64)


@compiled
def insert(
    low_part: int,
    high_part: int,
    slots: Slots,
    candidates: Candidates,
    tables: Arrays,
    level: Level,
    found: Found,
    known: Known,
    permutations: int,
) -> None:
    """Put candidates that no table has into it, and append them to ``found``.

    Where a part has no room left in ``found``, or its table has no place for a
    fingerprint, ``candidates.begins`` tells how far it is done.
    """
    for part in range(low_part, high_part):
        if slots.widths[part] == WORD_BITS:
            rest = tables, level, found, known, permutations
            open_table.insert_part(part, slots, candidates, *rest)
        elif slots.widths[part] == WIDE_BITS:
            _into_wide(part, slots, candidates, found)
        else:
            _into_narrow(part, slots, candidates, found)
