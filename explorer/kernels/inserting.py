"""The hash tables of the visited set, and the states that they do not have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, int64, uint64

from replicheck.explorer.arrays import Arrays, Candidates, Found, Known, Level, Slots
from replicheck.explorer.kernels.identifying import are_same, identify
from replicheck.explorer.kernels.intrinsics import pointer, prefetch_to_write
from replicheck.explorer.kernels.words import NONE, ONE, compiled, inlined

AHEAD = 12
"""Candidates between asking the memory for a slot and looking at it."""


@inlined
def slot_of(printed: Any, size: Any) -> Any:
    """Return the slot of a fingerprint in a table of any size below 2^32."""
    return ((printed & uint64(0xFFFFFFFF)) * size) >> uint64(32)


@compiled
def rehash(old: Any, new: Any) -> None:
    """Move every fingerprint of a table into an empty, larger one."""
    size = uint64(new.shape[0])
    for place in range(old.shape[0]):
        printed = old[place]
        if printed != NONE:
            slot = slot_of(printed, size)
            while new[slot] != NONE:
                slot += ONE
                if slot == size:
                    slot = NONE
            new[slot] = printed


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

    Where a part has no room left in ``found``, ``candidates.begins`` tells how far it
    is done.
    """
    addresses, sizes = slots.addresses, slots.sizes
    prints, sources, places = candidates.prints, candidates.sources, candidates.places
    begins, ends = candidates.begins, candidates.ends
    prints_found, sources_found = found.prints, found.sources
    places_found, counts = found.places, found.counts
    words = known.mine.shape[0]
    room = prints_found.shape[0] // counts.shape[0]
    for part in range(low_part, high_part):
        low = begins[part]
        high = ends[part]
        begins[part] = high
        table = carray(pointer(addresses[part]), (sizes[part],), np.uint64)
        size = uint64(sizes[part])
        identities = carray(
            pointer(known.addresses[part]), (sizes[part] * words,), np.uint64
        )
        first = uint64(part * room)
        count = uint64(counts[part])
        before = count
        for number in range(low, min(low + AHEAD, high)):
            prefetch_to_write(table, int64(slot_of(prints[uint64(number)], size)))
        for number in range(low, high):
            if number + AHEAD < high:
                ahead = slot_of(prints[uint64(number + AHEAD)], size)
                prefetch_to_write(table, int64(ahead))
            printed = prints[uint64(number)]
            source = sources[uint64(number)]
            place = places[uint64(number)]
            if words > 0:
                identify(
                    tables, level, permutations, uint64(source), uint64(place), known
                )
            slot = slot_of(printed, size)
            seen = table[slot]
            while seen != NONE and (
                seen != printed
                or (words > 0 and not are_same(identities, slot, known.mine))
            ):
                slot += ONE
                if slot == size:
                    slot = NONE
                seen = table[slot]
            if seen != NONE:
                continue
            if count == uint64(room):
                begins[part] = number
                break
            table[slot] = printed
            for word in range(words):
                identities[slot * uint64(words) + uint64(word)] = known.mine[word]
            to = first + count
            prints_found[to] = printed
            sources_found[to] = source
            places_found[to] = place
            count += ONE
        counts[part] = count
        slots.taken[part] += count - before
