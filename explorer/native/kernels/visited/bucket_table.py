"""Bucket tables: fingerprints in 6 to 7 bytes each, none of their bits lost.

A part's table is a row of **buckets**, a cache line each. The **home** of a fingerprint
is the bucket that its low half falls into. What the home does not tell is the
**remainder**, which a slot of a bucket holds. So home and remainder make the
fingerprint again, and no two fingerprints look the same. Where a bucket is full, a
fingerprint goes to the next; its **displacement** is how many it has passed over. It
takes the slot of one of a lesser displacement, which goes on in its place (Robin Hood
hashing). So a fingerprint is not there if a bucket that it would have passed over has a
slot to spare, or one of a lesser displacement.

A bucket begins with four bytes of counts: digit ``d`` says how many of its slots have a
displacement of at most ``d``, which come before the others. The low four bytes of each
remainder follow, which are compared at once, then the high bytes.

A slot of 40 bits needs 2^17 buckets, one of 48 bits 2^9; of fewer, the home would tell
too little. (J. G. Cleary, Compact Hash Tables Using Bidirectional Linear
Probing, 1984.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint32, uint64

from replicheck.explorer.native.kernels.arrays import BUCKET_BYTES, PART_BITS
from replicheck.explorer.native.kernels.numba_support import (
    NONE,
    ONE,
    compiled,
    equal_halves,
    inlined,
    trailing_zeros,
)

HALVES = BUCKET_BYTES // 4
"""Numbers of four bytes in a bucket."""
DISPLACEMENTS = 8
HALF = np.uint64(32)
LOW_HALF = np.uint64((1 << 32) - 1)
PART_SHIFT = np.uint64(64 - PART_BITS)
UPPER = np.uint64((1 << (32 - PART_BITS)) - 1)
"""The bits of a fingerprint's high half below those of its part."""
DIGIT, LAST_DIGIT, DIGIT_MASK = np.uint32(4), np.uint32(28), np.uint32(15)
EACH_DIGIT = np.uint32(0x11111111)
FOUND = np.uint64(1)
"""No fingerprint: one that was looked for is there."""


class Buckets(NamedTuple):
    """Functions of buckets whose slots have one width."""

    home: Callable[[Any, Any], Any]
    """The home of a fingerprint in a table of so many buckets."""
    add: Callable[[Any, Any, Any, Any], Any]
    """Add a fingerprint if it is not there; return `FOUND` if it is.

    Otherwise return NONE, or else a fingerprint for which there is no place any more.
    """
    fill: Callable[[Any, Any, Any, int, Any], int]
    unpack: Callable[[int, Any, Any, int, Any], int]


def _buckets(slots: int, low_bits: int, of_highs: int, first_high: int) -> Buckets:
    """Functions of buckets with so many slots.

    Args:
        low_bits: of a remainder, those that tell fingerprints of one home apart.
        of_highs: how many numbers a bucket has, counted in those of the high bytes.
        first_high: which of these is the first that holds high bytes.
    """
    shift, dropped = np.uint64(low_bits), np.uint64(32 - low_bits)
    low_mask = np.uint64((1 << low_bits) - 1)
    line, highs_line = np.uint64(HALVES), np.uint64(of_highs)
    highs_start, full = np.uint64(first_high), np.uint32(slots)

    @inlined
    def home(fingerprint: Any, buckets: Any) -> Any:
        return ((fingerprint & LOW_HALF) * buckets) >> HALF

    @inlined
    def remainder(fingerprint: Any, buckets: Any) -> Any:
        product = ((fingerprint & LOW_HALF) * buckets) & LOW_HALF
        upper = (fingerprint >> HALF) & UPPER
        return (upper << shift) | (product >> dropped)

    @inlined
    def fingerprint_of(of_part: Any, home: Any, rest: Any, buckets: Any) -> Any:
        least = (home << HALF) | ((rest & low_mask) << dropped)
        lower = (least + buckets - ONE) // buckets
        return of_part | ((rest >> shift) << HALF) | lower

    @inlined
    def put(halves: Any, highs: Any, bucket: Any, digit: Any, rest: Any) -> None:
        """Put a remainder into a bucket that is not full, behind its equals."""
        start, highs_at = bucket * line + ONE, bucket * highs_line + highs_start
        counts = halves[start - ONE]
        place = uint64(counts >> LAST_DIGIT)
        end = uint64((counts >> (DIGIT * digit)) & DIGIT_MASK)
        larger = uint32(DISPLACEMENTS - 1)
        while place > end:
            larger -= uint32(1)
            first = uint64((counts >> (DIGIT * larger)) & DIGIT_MASK)
            if first < place:
                halves[start + place] = halves[start + first]
                highs[highs_at + place] = highs[highs_at + first]
                place = first
        halves[start + place] = uint32(rest & LOW_HALF)
        highs[highs_at + place] = rest >> HALF
        halves[start - ONE] = counts + uint32(EACH_DIGIT << (DIGIT * digit))

    @inlined
    def swap(halves: Any, highs: Any, bucket: Any, digit: Any, rest: Any) -> Any:
        """Put a remainder in the place of one of the least displacement."""
        start, highs_at = bucket * line + ONE, bucket * highs_line + highs_start
        counts = halves[start - ONE]
        least, hole = digit, NONE
        taken = (uint64(highs[highs_at]) << HALF) | uint64(halves[start])
        for lesser in range(digit):
            end = uint64((counts >> (DIGIT * uint32(lesser))) & DIGIT_MASK)
            if end > NONE:
                least = min(least, uint32(lesser))
                halves[start + hole] = halves[start + end - ONE]
                highs[highs_at + hole] = highs[highs_at + end - ONE]
                hole = end - ONE
                counts -= uint32(1) << (DIGIT * uint32(lesser))
        halves[start + hole] = uint32(rest & LOW_HALF)
        highs[highs_at + hole] = rest >> HALF
        halves[start - ONE] = counts
        return least, taken

    @inlined
    def has(
        halves: Any, highs: Any, bucket: Any, begin: Any, end: Any, rest: Any
    ) -> Any:
        """Tell whether a remainder is in slots of a bucket."""
        highs_at = bucket * highs_line + highs_start
        low = uint32(rest & LOW_HALF)
        hits = equal_halves(halves, int64(bucket * line), low) >> ONE
        hits = (hits & ((ONE << uint64(end)) - ONE)) >> uint64(begin)
        is_there = False
        while hits != NONE and not is_there:
            place = uint64(trailing_zeros(hits)) + uint64(begin)
            is_there = uint64(highs[highs_at + place]) == rest >> HALF
            hits &= hits - ONE
        return is_there

    @inlined
    def settle(
        halves: Any,
        highs: Any,
        buckets: Any,
        bucket: Any,
        digit: Any,
        rest: Any,
        fingerprint: Any,
    ) -> Any:
        """Give a remainder that is not there a slot, from a bucket on."""
        while digit < uint32(DISPLACEMENTS):
            counts = halves[bucket * line]
            if (counts >> LAST_DIGIT) < full:
                put(halves, highs, bucket, digit, rest)
                return NONE
            if counts & ((ONE << uint64(DIGIT * digit)) - ONE) != NONE:
                digit, rest = swap(halves, highs, bucket, digit, rest)
            digit += uint32(1)
            bucket += ONE
        of_part = (fingerprint >> PART_SHIFT) << PART_SHIFT
        return fingerprint_of(of_part, bucket - uint64(digit), rest, buckets)

    @compiled
    def add(halves: Any, highs: Any, buckets: Any, fingerprint: Any) -> Any:
        rest = remainder(fingerprint, buckets)
        bucket = home(fingerprint, buckets)
        digit, begin, is_absent = uint32(0), uint32(0), False
        while not is_absent and digit < uint32(DISPLACEMENTS):
            counts = halves[bucket * line]
            end = (counts >> (DIGIT * digit)) & DIGIT_MASK
            if has(halves, highs, bucket, begin, end, rest):
                return FOUND
            is_absent = (counts >> LAST_DIGIT) < full or begin > uint32(0)
            if not is_absent:
                digit += uint32(1)
                bucket += ONE
                begin = (
                    halves[bucket * line] >> (DIGIT * (digit - uint32(1)))
                ) & DIGIT_MASK
        return settle(halves, highs, buckets, bucket, digit, rest, fingerprint)

    @compiled
    def fill(
        fingerprints: Any, halves: Any, highs: Any, buckets: int, homeless: Any
    ) -> int:
        """Add fingerprints that are not there until one is homeless; count them."""
        each = uint64(buckets)
        for number in range(fingerprints.shape[0]):
            fingerprint = fingerprints[uint64(number)]
            rest, bucket = remainder(fingerprint, each), home(fingerprint, each)
            homeless[0] = settle(
                halves, highs, each, bucket, uint32(0), rest, fingerprint
            )
            if homeless[0] != NONE:
                return number + 1
        return int(fingerprints.shape[0])

    @compiled
    def unpack(
        part: int, halves: Any, highs: Any, buckets: int, fingerprints: Any
    ) -> int:
        """Write all fingerprints of a part's table; return how many there are."""
        of_part = uint64(part) << PART_SHIFT
        count = NONE
        for number in range(halves.shape[0] // HALVES):
            bucket = uint64(number)
            start = bucket * line
            highs_at = bucket * highs_line + highs_start
            counts = halves[start]
            digit = NONE
            for slot in range(uint64(counts >> LAST_DIGIT)):
                while slot >= ((counts >> uint32(uint64(DIGIT) * digit)) & DIGIT_MASK):
                    digit += ONE
                low = uint64(halves[start + ONE + uint64(slot)])
                rest = (uint64(highs[highs_at + uint64(slot)]) << HALF) | low
                fingerprints[count] = fingerprint_of(
                    of_part, bucket - digit, rest, uint64(buckets)
                )
                count += ONE
        return int(count)

    return Buckets(home, add, fill, unpack)


WIDE = _buckets(slots=10, low_bits=23, of_highs=32, first_high=22)
"""Slots of 48 bits, whose high bytes are numbers of two bytes."""
NARROW = _buckets(slots=12, low_bits=15, of_highs=64, first_high=52)
"""Slots of 40 bits, whose high bytes are numbers of one byte."""
fill_wide, unpack_wide = WIDE.fill, WIDE.unpack
fill_narrow, unpack_narrow = NARROW.fill, NARROW.unpack
