"""Walking the trees: what instances do in states; see `tables` for the trees."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import (
    CANDIDATES,
    COLUMN_BITS,
    DISABLED,
    REQUESTED,
    WALKS,
    Arrays,
    ChunkArrays,
    Level,
    Scratch,
)
from replicheck.explorer.native.kernels.numba_support import (
    NONE,
    ONE,
    compiled,
    inlined,
    prefetch,
)
from replicheck.explorer.native.kernels.trees.leaf_steps import take_leaf
from replicheck.explorer.native.kernels.trees.long_walk import go_the_long_way
from replicheck.explorer.native.kernels.trees.write_prefetch import (
    LARGE,
    ask_for_writes,
)

COLUMN_MASK = uint64((1 << COLUMN_BITS) - 1)


@inlined
def _leave_root(tables: Arrays, scratch: Scratch, instance: Any, filled: int) -> Any:
    """Take the first step down the tree of an instance, in the states of its list.

    All take it from one node, whose jumps are found once. Returns how many are not at
    an end, which are in ``walking``.
    """
    values, lists = scratch.values, scratch.lists
    results, walking = scratch.results, scratch.walking
    jumps = tables.shortcuts.jumps
    root = int64(tables.shortcuts.roots[instance])
    head = tables.heads[uint64(root)] if root > 0 else NONE
    column, shortcut = head & COLUMN_MASK, head >> uint64(COLUMN_BITS)
    if shortcut == NONE:
        for entry in range(filled):
            index = uint64(lists[instance, uint64(entry)])
            results[index] = root
            walking[uint64(entry)] = index
        return int64(filled) if root > 0 else int64(0)
    remaining = NONE
    for entry in range(filled):
        index = uint64(lists[instance, uint64(entry)])
        result = int64(jumps[shortcut + uint64(values[column, index])])
        results[index] = result
        walking[remaining] = index
        remaining += uint64(result > 0)
    return int64(remaining)


@inlined
def _descend(tables: Arrays, scratch: Scratch, instance: Any, filled: int) -> None:
    """Walk the tree of an instance down to its ends, in the states of its list.

    All states take one step down the tree, then those that are not at its end take the
    next: so the loads of one state do not wait for those of another. Each step but the
    first asks the memory for the jumps of all states before it looks at one.
    """
    values, results = scratch.values, scratch.results
    walking, spots = scratch.walking, scratch.spots
    nodes, lookups, heads = tables.nodes, tables.lookups, tables.heads
    jumps, children = tables.shortcuts.jumps, tables.shortcuts.children
    count = _leave_root(tables, scratch, instance, filled)
    while count > 0:
        for entry in range(count):
            index = uint64(walking[uint64(entry)])
            node = uint64(results[index])
            head = heads[node]
            value = uint64(values[head & COLUMN_MASK, index])
            shortcut = head >> uint64(COLUMN_BITS)
            if shortcut != NONE:
                spot = int64(shortcut + value)
                spots[uint64(entry)] = spot
                prefetch(jumps, spot)
            else:
                answer = int64(lookups[uint64(nodes[node, uint64(1)]) + value])
                is_known = answer >= 0 and answer < nodes[node, uint64(3)]
                slot = uint64(answer) if is_known else NONE
                child = int64(children[uint64(nodes[node, uint64(2)]) + slot])
                spots[uint64(entry)] = 0
                results[index] = child if is_known else int64(0)
        remaining = NONE
        for entry in range(count):
            index = uint64(walking[uint64(entry)])
            spot = int64(spots[uint64(entry)])
            if spot != 0:
                results[index] = jumps[uint64(spot)]
            result = int64(results[index])
            walking[remaining] = index
            remaining += uint64(result > 0)
        count = int64(remaining)


@compiled
def _disable(level: Level, state: Any, instance: Any) -> None:
    """Note that an instance is disabled in a state, if levels have a bit of it."""
    place = int64(level.bits.places[instance])
    if place >= 0:
        level.disabled[state, uint64(place >> 6)] |= ONE << uint64(place & 63)


@inlined
def _note_disabled(
    level: Level, scratch: Scratch, start: int, instance: Any, filled: int
) -> Any:
    """Note in which states of its list an instance is disabled; list the others.

    Returns how many others there are, which are in ``walking``.
    """
    disabled, results, walking = level.disabled, scratch.results, scratch.walking
    lists, place = scratch.lists, int64(level.bits.places[instance])
    word, shift = uint64(place >> 6), uint64(place & 63)
    others = NONE
    for entry in range(filled):
        index = uint64(lists[instance, uint64(entry)])
        is_disabled = uint64(int64(results[index]) == DISABLED)
        if place >= 0:
            disabled[uint64(start) + index, word] |= is_disabled << shift
        walking[others] = index
        others += ONE - is_disabled
    return int64(others)


@compiled
def visit(
    tables: Arrays,
    level: Level,
    chunk: ChunkArrays,
    scratch: Scratch,
    start: int,
) -> None:
    """Find out what instances do in the states of their lists, and write it down.

    Args:
        scratch: its states are counted from ``start``.
    """
    values, results, walking = scratch.values, scratch.results, scratch.walking
    is_large = tables.lookups.shape[0] > LARGE
    permutations = uint64(scratch.bases.shape[1])
    number = chunk.counters[CANDIDATES]
    for instance in range(scratch.filled.shape[0]):
        filled = scratch.filled[uint64(instance)]
        if filled == 0:
            continue
        _descend(tables, scratch, uint64(instance), filled)
        others = _note_disabled(level, scratch, start, uint64(instance), filled)
        chunk.disabled[uint64(instance)] += filled - others
        if is_large:
            ask_for_writes(tables, values, walking, others, results, permutations)
        generated = int64(0)
        enabled = int64(0)
        for entry in range(others):
            index = uint64(walking[uint64(entry)])
            state = uint64(start) + index
            result = int64(results[index])
            if result == 0 or result == REQUESTED:
                result = go_the_long_way(tables, values, index, chunk, state, instance)
                if result == DISABLED:
                    chunk.disabled[uint64(instance)] += 1
                    _disable(level, state, uint64(instance))
                    continue
                if result == 0:
                    continue
            leaf = uint64(-result)
            steps = take_leaf(
                tables, level, chunk, scratch, state, index, instance, leaf, number
            )
            if steps >= 0:
                number += steps
                generated += steps
                enabled += 1
        chunk.counters[WALKS] += filled
        chunk.generated[uint64(instance)] += generated
        chunk.enabled[uint64(instance)] += enabled
    chunk.counters[CANDIDATES] = number
