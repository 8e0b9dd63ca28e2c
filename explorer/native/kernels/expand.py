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
from replicheck.explorer.native.kernels.row_fields import (
    unpack_block,
    unpack_fixed,
    unpack_state,
)
from replicheck.explorer.native.kernels.trees.leaf_steps import take_given
from replicheck.explorer.native.kernels.trees.renamed_steps import add_words
from replicheck.explorer.native.kernels.trees.tree_walk import visit


@compiled
def _base(values: Any, first: Any, words: Any, bases: Any, index: Any) -> None:
    """Write the fingerprint of a state of the block under each renaming."""
    bases[index, :] = NONE
    for column in range(values.shape[0]):
        place = uint64(first[column]) + uint64(values[column, index])
        add_words(words, place, bases, index)


@compiled
def _begin(
    tables: Arrays, level: Level, state: Any, index: Any, bases: Any, values: Any
) -> None:
    """Write the fingerprints from which the steps of a state of the block begin."""
    if bases.shape[1] == 1:
        bases[index, NONE] = level.fingerprints[state]
    else:
        _base(values, tables.first, tables.words, bases, index)


@compiled
def _find_constant(tables: Arrays, values: Any, constant: Any) -> None:
    """Write which instances are disabled in all states of a level.

    Args:
        values: a block of them; numbers of fixed columns are there.
        constant: gets the bit set.
    """
    guards, fixed = tables.guards, tables.shortcuts.fixed
    constant[:] = NONE
    for number in range(tables.roots.shape[0]):
        if tables.shortcuts.roots[number] == DISABLED:
            constant[number >> 6] |= ONE << uint64(number & 63)
    for guard in range(guards.columns.shape[0]):
        column = guards.columns[guard, 0]
        if fixed[column] == 0:
            continue
        known = guards.classes[guards.columns[guard, 1] + int64(values[column, 0])]
        for place in range(guards.columns[guard, 2], guards.columns[guard, 3]):
            mask = guards.masks[guards.words[place, 1] + int64(known)]
            constant[guards.words[place, 0]] |= ~mask


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
    disabled, constrained, runs = level.disabled, level.constrained, level.bits.runs
    guards, guarded = tables.guards.columns, tables.guards.words
    classes, masks = tables.guards.classes, tables.guards.masks
    lists, filled, bases = scratch.lists, scratch.filled, scratch.bases
    values, live, constant = scratch.values, scratch.live, scratch.constant
    known = scratch.known
    classified = scratch.spots
    room = chunk.missed_states.shape[0]
    fixed = tables.shortcuts.fixed
    unpack_fixed(level.rows, uint64(low), fixed, values)
    _find_constant(tables, values, constant)
    at = low
    while at < high and chunk.counters[MISSED] + BLOCK * instances <= room:
        count = min(high - at, BLOCK)
        filled[:] = 0
        unpack_block(level.rows, at, count, fixed, scratch.transposed, values)
        for index in range(count):
            state = uint64(at) + uint64(index)
            _begin(tables, level, state, uint64(index), bases, values)
            for word in range(width):
                live[uint64(word), uint64(index)] = ~constant[uint64(word)] & (
                    judged[uint64(word)] if constrained[state] else wanted[uint64(word)]
                )
            for word in range(disabled.shape[1]):
                known[uint64(word), uint64(index)] = disabled[state, uint64(word)]
        for run in range(runs.shape[0]):
            masked, left = runs[uint64(run), NONE], runs[uint64(run), ONE]
            kept, right = runs[uint64(run), uint64(2)], runs[uint64(run), uint64(3)]
            ones = runs[uint64(run), uint64(4)]
            for index in range(count):
                bits = (known[kept, uint64(index)] >> right) & ones
                live[masked, uint64(index)] &= ~(bits << left)
        for guard in range(guards.shape[0]):
            column = uint64(guards[uint64(guard), NONE])
            if fixed[column] != 0:
                continue
            begin = uint64(guards[uint64(guard), ONE])
            for index in range(count):
                value = uint64(values[column, uint64(index)])
                classified[uint64(index)] = classes[begin + value]
            last = guards[uint64(guard), uint64(3)]
            for place in range(guards[uint64(guard), uint64(2)], last):
                masked = uint64(guarded[uint64(place), NONE])
                begin = uint64(guarded[uint64(place), ONE])
                for index in range(count):
                    mask = masks[begin + uint64(classified[uint64(index)])]
                    live[masked, uint64(index)] &= mask
        for index in range(count):
            for word in range(width):
                bits = live[uint64(word), uint64(index)]
                while bits != NONE:
                    instance = uint64(trailing_zeros(bits) + 64 * word)
                    bits &= bits - ONE
                    lists[instance, uint64(filled[instance])] = index
                    filled[instance] += 1
        visit(tables, level, chunk, scratch, at)
        at += count
    return at


@compiled
def retry(
    tables: Arrays, level: Level, low: int, chunk: ChunkArrays, scratch: Scratch
) -> None:
    """Take up the missed pairs again; those that are still missed stay in the list.

    Args:
        low: the first state of the chunk, from which its blocks are counted.
    """
    missed = chunk.counters[MISSED]
    chunk.counters[MISSED] = 0
    chunk.counters[TO_LEARN] = 0
    chunk.counters[TO_ANSWER] = 0
    lists, filled, marks = scratch.lists, scratch.filled, scratch.results
    values, bases = scratch.values, scratch.bases
    number = 0
    while number < missed:
        start = low + (int64(chunk.missed_states[number]) - low) // BLOCK * BLOCK
        filled[:] = 0
        marks[:] = 0
        while number < missed:
            index = int64(chunk.missed_states[number]) - start
            if not 0 <= index < BLOCK:
                break
            instance = uint64(chunk.missed_instances[number])
            state, spot = uint64(start + index), uint64(index)
            if marks[spot] == 0:
                marks[spot] = 1
                unpack_state(level.rows, state, spot, values)
                _begin(tables, level, state, spot, bases, values)
            code = int64(chunk.missed_leaves[number])
            if code == 0:
                lists[instance, uint64(filled[instance])] = spot
                filled[instance] += 1
            else:
                take_given(tables, level, chunk, scratch, state, spot, instance, code)
            number += 1
        visit(tables, level, chunk, scratch, start)
