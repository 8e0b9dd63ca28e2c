"""The long way down a tree: question by question, with jumps set for later walks."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import (
    COLUMN_BITS,
    MISSED,
    REQUESTED,
    SOUGHT,
    TO_ANSWER,
    TO_LEARN,
    UNKNOWN,
    Arrays,
    ChunkArrays,
)
from replicheck.explorer.native.kernels.numba_support import compiled


@compiled
def put_off(chunk: ChunkArrays, state: Any, instance: int) -> None:
    """Put a pair on the list of the missed."""
    number = chunk.counters[MISSED]
    chunk.missed_states[number] = state
    chunk.missed_instances[number] = instance
    chunk.missed_leaves[number] = 0
    chunk.counters[MISSED] = number + 1


@compiled
def seek(tables: Arrays, chunk: ChunkArrays, place: Any) -> None:
    """Ask for the answer at a place of the lookups, once."""
    number = chunk.counters[TO_ANSWER]
    if tables.lookups[place] == UNKNOWN and number < chunk.answers.shape[0]:
        tables.lookups[place] = SOUGHT
        chunk.answers[number] = place
        chunk.counters[TO_ANSWER] = number + 1


@compiled
def go_the_long_way(
    tables: Arrays,
    values: Any,
    index: Any,
    chunk: ChunkArrays,
    state: Any,
    instance: int,
) -> Any:
    """Walk a tree question by question, and set the jumps on the way.

    The state is the one of the block at ``index``.

    Returns the leaf's code. Without a leaf the pair is put off, what it lacks is asked
    for, once, and the answer is 0.
    """
    node = int64(tables.roots[instance])
    jump = int64(-1)
    child = int64(-1)
    while node > 0:
        column = tables.nodes[node, 0]
        value = int64(values[column, index])
        shortcut = int64(tables.heads[node] >> uint64(COLUMN_BITS))
        if shortcut != 0:
            jump = shortcut + value
        place = int64(tables.nodes[node, 1]) + value
        answer = int64(tables.lookups[place])
        if answer < 0:
            put_off(chunk, state, instance)
            seek(tables, chunk, place)
            return int64(0)
        if answer >= tables.nodes[node, 3]:
            if tables.grown[node] == 0:
                tables.grown[node] = 1
                _ask_to_learn(chunk, state, instance)
            put_off(chunk, state, instance)
            return int64(0)
        child = int64(tables.nodes[node, 2]) + answer
        node = int64(tables.children[child])
        is_end = node <= 0 or tables.nodes[node, 0] != column
        if is_end and jump >= 0 and node != 0 and node != REQUESTED:
            tables.jumps[jump] = node
            tables.shortcuts.jumps[jump] = node
            jump = int64(-1)
    if node == 0:
        _ask_to_learn(chunk, state, instance)
        if child >= 0:
            tables.children[child] = REQUESTED
        else:
            tables.roots[instance] = REQUESTED
    if node == 0 or node == REQUESTED:
        put_off(chunk, state, instance)
        return int64(0)
    return node


@compiled
def _ask_to_learn(chunk: ChunkArrays, state: Any, instance: int) -> None:
    """Ask for a run of an instance in a state."""
    number = chunk.counters[TO_LEARN]
    chunk.learn_states[number] = state
    chunk.learn_instances[number] = instance
    chunk.counters[TO_LEARN] = number + 1
