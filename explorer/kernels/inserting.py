"""The hash tables of the visited set, and the states that they do not have."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.arrays import Arrays, Level
from replicheck.explorer.kernels.intrinsics import prefetch
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
    table: Any,
    prints: Any,
    sources: Any,
    places: Any,
    low: int,
    high: int,
    tables: Arrays,
    level: Level,
    found: Level,
    parents: Any,
    steps: Any,
    count: int,
) -> int:
    """Put the candidates that no table has into it and append them to ``found``.

    Returns the new number of states in ``found``.
    """
    size = uint64(table.shape[0])
    rows, disabled = level.rows, level.disabled
    rows_found, disabled_found = found.rows, found.disabled
    prints_found = found.prints
    leaves, operations, lookups = tables.leaves, tables.operations, tables.lookups
    readers = tables.readers
    columns = rows.shape[1]
    width = disabled.shape[1]
    for number in range(low, min(low + AHEAD, high)):
        prefetch(table, int64(slot_of(prints[uint64(number)], size)))
    for number in range(low, high):
        if number + AHEAD < high:
            prefetch(table, int64(slot_of(prints[uint64(number + AHEAD)], size)))
        printed = prints[uint64(number)]
        slot = slot_of(printed, size)
        seen = table[slot]
        while seen != printed and seen != NONE:
            slot += ONE
            if slot == size:
                slot = NONE
            seen = table[slot]
        if seen == printed:
            continue
        table[slot] = printed
        source = uint64(sources[uint64(number)])
        at = uint64(places[uint64(number)])
        to = uint64(count)
        for column in range(columns):
            rows_found[to, uint64(column)] = rows[source, uint64(column)]
        for word in range(width):
            disabled_found[to, uint64(word)] = disabled[source, uint64(word)]
        for write in range(leaves[at + uint64(2)]):
            column = uint64(leaves[at + uint64(3 + 2 * write)])
            new = int64(leaves[at + uint64(4 + 2 * write)])
            old = rows[source, column]
            if new < 0:
                start = uint64(operations[uint64(-1 - new)])
                new = int64(lookups[start + uint64(old)])
            if new != int64(old):
                rows_found[to, column] = new
                for word in range(width):
                    disabled_found[to, uint64(word)] &= ~readers[column, uint64(word)]
        prints_found[to] = printed
        parents[to] = source
        steps[to] = leaves[at]
        count += 1
    return count
