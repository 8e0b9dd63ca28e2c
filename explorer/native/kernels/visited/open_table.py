"""Open tables: slots of whole fingerprints, 0 where one is empty.

Beside each is the table of the keys, if states have keys.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, int64, uint64

from replicheck.explorer.native.kernels.arrays import (
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
    inlined,
    pointer,
    prefetch_to_write,
)
from replicheck.explorer.native.kernels.state_key import are_same, identify

AHEAD = 12
"""Candidates between asking the memory for a slot and looking at it."""
PAGE = 512
"""Words of a page of memory."""


@inlined
def slot_of(fingerprint: Any, size: Any) -> Any:
    """The slot of a fingerprint in a table of any size below 2^32."""
    return ((fingerprint & uint64(0xFFFFFFFF)) * size) >> uint64(32)


@inlined
def touch(words: Any, start: Any) -> None:
    """Write to every page of new memory.

    Memory that is read first is given twice: a page of zeros that all share, then one
    of its own, which every core has to be told of.
    """
    for word in range(start, uint64(words.shape[0]), uint64(PAGE)):
        words[word] = NONE


@inlined
def add(
    fingerprint: Any, source: Any, number: Any, table: Any, keys: Any, words: Any
) -> None:
    """Add a fingerprint that a table lacks, with the key of that number."""
    size = uint64(table.shape[0])
    slot = slot_of(fingerprint, size)
    while table[slot] != NONE:
        slot += ONE
        if slot == size:
            slot = NONE
    table[slot] = fingerprint
    for word in range(words):
        keys[slot * words + word] = source[number * words + word]


@compiled
def add_all(
    fingerprints: Any, keys: Any, table: Any, table_keys: Any, words: int
) -> None:
    """Add fingerprints that a table lacks, with their keys; 0 is none."""
    for number in range(uint64(fingerprints.shape[0])):
        fingerprint = fingerprints[number]
        if fingerprint != NONE:
            add(fingerprint, keys, number, table, table_keys, uint64(words))


@compiled
def _spread(
    part: int,
    slots: Slots,
    before: Any,
    addresses: Any,
    words: int,
    aside: Any,
    aside_keys: Any,
) -> None:
    """Bring the fingerprints of a table that has grown to their new slots.

    A slot never comes before the one that it was. So the last fingerprint is moved
    first, and finds only such behind it that have been moved; the few that come to lie
    among the others, or at the end of the table, are put aside and added when all is
    done.
    """
    each = uint64(words)
    size, old = uint64(slots.sizes[part]), uint64(before[part])
    table = carray(pointer(slots.addresses[part]), (slots.sizes[part],), np.uint64)
    keys = carray(pointer(addresses[part]), (slots.sizes[part] * words,), np.uint64)
    touch(table, old)
    touch(keys, old * each)
    count = NONE
    for number in range(old):
        place = old - ONE - number
        fingerprint = table[place]
        if fingerprint == NONE:
            continue
        table[place] = NONE
        slot = slot_of(fingerprint, size)
        while slot > place and slot < size and table[slot] != NONE:
            slot += ONE
        if slot > place and slot < size:
            table[slot] = fingerprint
            for word in range(each):
                keys[slot * each + word] = keys[place * each + word]
        else:
            aside[count] = fingerprint
            for word in range(each):
                kept = keys[place * each + word]
                aside_keys[count * each + word] = kept
            count += ONE
    for number in range(count):
        fingerprint = aside[number]
        add(fingerprint, aside_keys, number, table, keys, each)


@compiled
def spread(
    parts: Any,
    slots: Slots,
    before: Any,
    addresses: Any,
    words: int,
    aside: Any,
    aside_keys: Any,
) -> None:
    """Bring the fingerprints of some parts, whose tables have grown, to new slots.

    Args:
        before: the size of each table until now.
        addresses: those of the keys.
        aside: room for all fingerprints of a part.
        aside_keys: room for their keys.
    """
    rest = before, addresses, words, aside, aside_keys
    for number in range(parts.shape[0]):
        _spread(parts[number], slots, *rest)


@compiled
def insert_part(
    part: int,
    slots: Slots,
    candidates: Candidates,
    tables: Arrays,
    level: Level,
    found: Found,
    known: Known,
    permutations: int,
) -> None:
    """Put the candidates of a part into its table, as `insert.insert` does."""
    addresses, sizes = slots.addresses, slots.sizes
    fingerprints, sources, indices = (
        candidates.fingerprints,
        candidates.sources,
        candidates.indices,
    )
    begins, ends = candidates.begins, candidates.ends
    fingerprints_found, sources_found = found.fingerprints, found.sources
    places_found, counts = found.indices, found.counts
    words = known.mine.shape[0]
    room = fingerprints_found.shape[0] // counts.shape[0]
    low = begins[part]
    high = ends[part]
    begins[part] = high
    table = carray(pointer(addresses[part]), (sizes[part],), np.uint64)
    size = uint64(sizes[part])
    keys = carray(pointer(known.addresses[part]), (sizes[part] * words,), np.uint64)
    first = uint64(part * room)
    count = uint64(counts[part])
    before = count
    for number in range(low, min(low + AHEAD, high)):
        prefetch_to_write(table, int64(slot_of(fingerprints[uint64(number)], size)))
    for number in range(low, high):
        if number + AHEAD < high:
            ahead = slot_of(fingerprints[uint64(number + AHEAD)], size)
            prefetch_to_write(table, int64(ahead))
        fingerprint = fingerprints[uint64(number)]
        source = sources[uint64(number)]
        place = indices[uint64(number)]
        if words > 0:
            identify(tables, level, permutations, uint64(source), uint64(place), known)
        slot = slot_of(fingerprint, size)
        seen = table[slot]
        while seen != NONE and (
            seen != fingerprint or (words > 0 and not are_same(keys, slot, known.mine))
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
        table[slot] = fingerprint
        for word in range(words):
            keys[slot * uint64(words) + uint64(word)] = known.mine[word]
        to = first + count
        fingerprints_found[to] = fingerprint
        sources_found[to] = source
        places_found[to] = place
        count += ONE
    counts[part] = count
    slots.taken[part] += count - before
