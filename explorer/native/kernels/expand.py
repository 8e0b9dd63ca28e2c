"""Expanding: which trees to walk in which states, and writing down what comes of it."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import (
    BLOCK,
    DISABLED,
    MISSED,
    TO_ANSWER,
    TO_LEARN,
    Arrays,
    ChunkArrays,
    Level,
    Scratch,
)
from replicheck.explorer.native.kernels.numba_support import (
    NONE,
    ONE,
    compiled,
    trailing_zeros,
)
from replicheck.explorer.native.kernels.tree_walk import visit


@compiled
def _base(
    rows: Any, state: int, first: Any, words: Any, bases: Any, index: Any
) -> None:
    """Write the state's fingerprint under each renaming."""
    permutations = bases.shape[1]
    for p in range(permutations):
        bases[index, p] = NONE
    for column in range(rows.shape[1]):
        place = uint64(first[column]) + uint64(rows[state, column])
        for p in range(permutations):
            bases[index, p] ^= words[place * uint64(permutations) + uint64(p)]


@compiled
def expand(
    tables: Arrays,
    level: Level,
    wanted: Any,
    judged: Any,
    low: int,
    high: int,
    chunk: ChunkArrays,
    scratch: Scratch,
) -> int:
    """Walk the trees of the states from ``low`` to ``high``; return where it stopped.

    Args:
        wanted: bit set of the instances to walk for a state that is expanded.
        judged: the same for a state that a constraint cuts.
    """
    instances = tables.roots.shape[0]
    width = wanted.shape[0]
    rows, disabled, constrained = level.rows, level.disabled, level.constrained
    first, words = tables.first, tables.words
    fingerprints = level.fingerprints
    guards, guarded = tables.guards.columns, tables.guards.words
    classes, masks = tables.guards.classes, tables.guards.masks
    lists, filled, bases = scratch.lists, scratch.filled, scratch.bases
    live, constant = scratch.live, scratch.constant
    room = chunk.missed_states.shape[0]
    constant[:] = NONE
    for number in range(instances):
        if tables.roots[number] == DISABLED:
            constant[number >> 6] |= ONE << uint64(number & 63)
    at = low
    while at < high and chunk.counters[MISSED] + BLOCK * instances <= room:
        end = min(high, at + BLOCK)
        filled[:] = 0
        for state in range(at, end):
            index = uint64(state - at)
            if bases.shape[1] == 1:
                bases[index, NONE] = fingerprints[uint64(state)]
            else:
                _base(rows, state, first, words, bases, index)
            for word in range(width):
                live[word] = ~(disabled[state, word] | constant[word]) & (
                    judged[word] if constrained[state] else wanted[word]
                )
            for guard in range(guards.shape[0]):
                column = uint64(guards[uint64(guard), NONE])
                value = uint64(rows[uint64(state), column])
                known = uint64(classes[uint64(guards[uint64(guard), ONE]) + value])
                last = guards[uint64(guard), uint64(3)]
                for place in range(guards[uint64(guard), uint64(2)], last):
                    mask = uint64(guarded[uint64(place), ONE]) + known
                    live[uint64(guarded[uint64(place), NONE])] &= masks[mask]
            for word in range(width):
                bits = live[uint64(word)]
                while bits != NONE:
                    instance = uint64(trailing_zeros(bits) + 64 * word)
                    bits &= bits - ONE
                    lists[instance, uint64(filled[instance])] = index
                    filled[instance] += 1
        visit(tables, level, chunk, scratch, 0, instances, at)
        at = end
    return at


@compiled
def retry(tables: Arrays, level: Level, chunk: ChunkArrays, scratch: Scratch) -> None:
    """Take up the missed pairs again; those that are still missed stay in the list."""
    missed = chunk.counters[MISSED]
    chunk.counters[MISSED] = 0
    chunk.counters[TO_LEARN] = 0
    chunk.counters[TO_ANSWER] = 0
    bases = scratch.bases
    scratch.lists[0, 0] = 0
    scratch.filled[0] = 1
    for number in range(missed):
        state = int64(chunk.missed_states[number])
        instance = int64(chunk.missed_instances[number])
        if bases.shape[1] == 1:
            bases[0, 0] = level.fingerprints[state]
        else:
            _base(level.rows, state, tables.first, tables.words, bases, 0)
        visit(tables, level, chunk, scratch, instance, 1, state)
