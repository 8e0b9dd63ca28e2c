"""Steps of searches up to symmetry: each leads to the least of many fingerprints."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import (
    BLOCK,
    NOTHING_NOTED,
    Arrays,
    ChunkArrays,
    Scratch,
)
from replicheck.explorer.native.kernels.numba_support import NONE, ONE, compiled
from replicheck.explorer.native.kernels.trees.step_writes import (
    number_after,
    write_candidate,
)

ROOM = uint64(BLOCK)
"""The row of ``bases`` in which the fingerprints after a step are worked out."""


@compiled
def add_words(words: Any, place: Any, bases: Any, index: Any) -> None:
    """Add the words of a value to the fingerprints of a state; or take them away.

    What has no part adds nothing, such as an element that is not there.

    Args:
        place: the place of the value among those of all columns.
    """
    permutations = uint64(bases.shape[1])
    begin = place * permutations
    if words[begin] == NONE and words[begin + ONE] == NONE:
        return
    for p in range(permutations):
        bases[index, uint64(p)] ^= words[begin + uint64(p)]


@compiled
def write_renamed_steps(
    tables: Arrays,
    chunk: ChunkArrays,
    scratch: Scratch,
    state: Any,
    index: Any,
    leaf: Any,
    number: int,
) -> Any:
    """Write steps as `leaf_steps` does, under all renamings."""
    values, bases, leaves = scratch.values, scratch.bases, tables.leaves
    at = leaf + ONE
    outcome = int64(0)
    for step in range(int64(leaves[leaf])):
        writes = uint64(leaves[at + uint64(2)])
        bases[ROOM, :] = bases[index, :]
        for write in range(writes):
            spot = at + uint64(3) + uint64(2) * uint64(write)
            column = uint64(leaves[spot])
            old = uint64(values[column, index])
            new = number_after(tables, chunk, int64(leaves[spot + ONE]), old)
            if new < 0:
                return new
            base = uint64(tables.first[column])
            add_words(tables.words, base + old, bases, ROOM)
            add_words(tables.words, base + uint64(new), bases, ROOM)
        least = NOTHING_NOTED
        for p in range(bases.shape[1]):
            least = min(least, bases[ROOM, p])
        write_candidate(chunk, uint64(number + step), least, state, at)
        outcome |= int64(leaves[at + ONE])
        at += uint64(3) + uint64(2) * writes
    return outcome
