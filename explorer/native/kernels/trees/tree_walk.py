"""Walking the trees: what instances do in states; see `tables` for the trees."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import (
    BROKEN_STEP,
    CANDIDATES,
    COLUMN_BITS,
    CONSTRAINED,
    DISABLED,
    FAILURE,
    NOTE,
    NOTHING_NOTED,
    RAISES,
    REPORTED,
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
    prefetch,
)
from replicheck.explorer.native.kernels.trees.long_walk import (
    go_the_long_way,
    put_off,
    seek,
)
from replicheck.explorer.native.kernels.trees.write_prefetch import (
    LARGE,
    ask_for_writes,
)

NO_ANSWER, RAISING_ANSWER = -1, -2
"""Instead of a candidate: an operation's result is not known, or the model raised."""
COLUMN_MASK = uint64((1 << COLUMN_BITS) - 1)


@compiled
def _note(notes: Any, kind: int, instance: int, fingerprint: Any) -> None:
    notes[kind, instance] = min(notes[kind, instance], fingerprint)


@compiled
def _note_broken(notes: Any, broken: int, instance: int, fingerprint: Any) -> None:
    for claim in range(notes.shape[0] - BROKEN_STEP):
        if broken >> claim & 1:
            _note(notes, BROKEN_STEP + claim, instance, fingerprint)


@compiled
def visit(
    tables: Arrays,
    level: Level,
    chunk: ChunkArrays,
    scratch: Scratch,
    start: int,
) -> None:
    """Find out what instances do in the states of their lists, and write it down.

    All states of a list take one step down the tree, then those that are not at its
    end take the next: so the loads of one state do not wait for those of another. Each
    step asks the memory for the jumps of all states before it looks at the first.

    One long loop: a helper function that is given arrays would count references to
    them at each call, which took three quarters of the time.

    Args:
        scratch: its states are counted from ``start``.
    """
    values, fingerprints = scratch.values, level.fingerprints
    nodes, lookups, heads = tables.nodes, tables.lookups, tables.heads
    roots, jumps = tables.shortcuts.roots, tables.shortcuts.jumps
    children = tables.shortcuts.children
    leaves, operations = tables.leaves, tables.operations
    first, words = tables.first, tables.words
    candidates, indices, sources = chunk.fingerprints, chunk.indices, chunk.sources
    disabled, constrained = level.disabled, level.constrained
    places = level.bits.places
    lists, filled_lists, bases = scratch.lists, scratch.filled, scratch.bases
    results, walking, spots = scratch.results, scratch.walking, scratch.spots
    permutations = uint64(bases.shape[1])
    is_large = lookups.shape[0] > LARGE
    room = candidates.shape[0]
    number = chunk.counters[CANDIDATES]
    for instance in range(filled_lists.shape[0]):
        filled = filled_lists[uint64(instance)]
        if filled == 0:
            continue
        entry_of = uint64(instance)
        root = int64(roots[instance])
        place = int64(places[entry_of])
        has_bit = place >= 0
        word = uint64(place >> 6)
        shift = uint64(place & 63)
        generated = int64(0)
        enabled = int64(0)
        count = filled if root > 0 else 0
        for entry in range(filled):
            results[uint64(lists[entry_of, uint64(entry)])] = root
            walking[uint64(entry)] = lists[entry_of, uint64(entry)]
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
        others = NONE
        for entry in range(filled):
            index = uint64(lists[entry_of, uint64(entry)])
            is_disabled = uint64(int64(results[index]) == DISABLED)
            if has_bit:
                disabled[uint64(start) + index, word] |= is_disabled << shift
            walking[others] = index
            others += ONE - is_disabled
        chunk.disabled[entry_of] += filled - int64(others)
        if is_large:
            ask_for_writes(
                tables, values, walking, int64(others), results, bases.shape[1]
            )
        for entry in range(others):
            index = uint64(walking[entry])
            state = uint64(start) + index
            result = int64(results[index])
            if result == 0 or result == REQUESTED:
                result = go_the_long_way(tables, values, index, chunk, state, instance)
                if result == DISABLED:
                    chunk.disabled[entry_of] += 1
                    if has_bit:
                        disabled[state, word] |= ONE << shift
                    continue
                if result == 0:
                    continue
            at = uint64(-result)
            steps = int64(leaves[at])
            if steps < 0:
                if steps == CONSTRAINED:
                    constrained[state] = 1
                else:
                    kind = NOTE if steps == REPORTED else FAILURE
                    _note(chunk.notes, kind, instance, fingerprints[state])
                continue
            if number + steps > room:
                put_off(chunk, state, instance)
                continue
            at += ONE
            outcome = int64(0)
            for step in range(steps):
                writes = uint64(leaves[at + uint64(2)])
                least = NOTHING_NOTED
                for p in range(permutations):
                    fingerprint = bases[index, uint64(p)]
                    for write in range(writes):
                        spot = at + uint64(3) + uint64(2) * uint64(write)
                        column = uint64(leaves[spot])
                        new = int64(leaves[spot + ONE])
                        old = uint64(values[column, index])
                        if new < 0:
                            asked = uint64(operations[uint64(-1 - new)]) + old
                            new = int64(lookups[asked])
                            if new < 0:
                                outcome = int64(
                                    RAISING_ANSWER if new == RAISES else NO_ANSWER
                                )
                                new = int64(0)
                        base = uint64(first[column])
                        fingerprint ^= (
                            words[(base + old) * permutations + uint64(p)]
                            ^ words[(base + uint64(new)) * permutations + uint64(p)]
                        )
                        if outcome < 0:
                            break
                    least = min(least, fingerprint)
                    if outcome < 0:
                        break
                if outcome < 0:
                    break
                spot = uint64(number + step)
                candidates[spot] = least if least != NONE else ONE
                indices[spot] = at
                sources[spot] = state
                outcome |= int64(leaves[at + ONE])
                at += uint64(3) + uint64(2) * writes
            if outcome < 0:
                if outcome == RAISING_ANSWER:
                    _note(chunk.notes, FAILURE, instance, fingerprints[state])
                else:
                    put_off(chunk, state, instance)
                    seek(tables, chunk, asked)
                continue
            if outcome > 0:
                _note_broken(chunk.notes, outcome, instance, fingerprints[state])
            number += steps
            generated += steps
            enabled += 1
        chunk.counters[WALKS] += filled
        chunk.generated[instance] += generated
        chunk.enabled[instance] += enabled
    chunk.counters[CANDIDATES] = number
