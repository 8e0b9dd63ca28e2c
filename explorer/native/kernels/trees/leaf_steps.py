"""Taking leaves: what a leaf says of a state is written down."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import (
    BROKEN_STEP,
    CANDIDATES,
    CONSTRAINED,
    DISABLED,
    FAILURE,
    MISSED,
    NOTE,
    REPORTED,
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
)
from replicheck.explorer.native.kernels.trees.long_walk import put_off
from replicheck.explorer.native.kernels.trees.renamed_steps import write_renamed_steps
from replicheck.explorer.native.kernels.trees.step_writes import (
    NO_ANSWER,
    RAISING_ANSWER,
    number_after,
    write_candidate,
)

NO_STEPS = -1


@compiled
def _note(notes: Any, kind: int, instance: int, fingerprint: Any) -> None:
    notes[kind, instance] = min(notes[kind, instance], fingerprint)


@compiled
def _note_broken(notes: Any, broken: int, instance: int, fingerprint: Any) -> None:
    for claim in range(notes.shape[0] - BROKEN_STEP):
        if broken >> claim & 1:
            _note(notes, BROKEN_STEP + claim, instance, fingerprint)


@inlined
def _write_steps(
    tables: Arrays,
    chunk: ChunkArrays,
    scratch: Scratch,
    state: Any,
    index: Any,
    leaf: Any,
    number: int,
) -> Any:
    """Write the steps of a leaf in a state as candidates from ``number`` on.

    Returns bits of the step properties that they break; NO_ANSWER or RAISING_ANSWER if
    the steps are not to be taken.
    """
    values, bases = scratch.values, scratch.bases
    first, words, leaves = tables.first, tables.words, tables.leaves
    at = leaf + ONE
    outcome = int64(0)
    for step in range(int64(leaves[leaf])):
        writes = uint64(leaves[at + uint64(2)])
        fingerprint = bases[index, NONE]
        for write in range(writes):
            spot = at + uint64(3) + uint64(2) * uint64(write)
            column = uint64(leaves[spot])
            old = uint64(values[column, index])
            new = number_after(tables, chunk, int64(leaves[spot + ONE]), old)
            if new < 0:
                return new
            base = uint64(first[column])
            fingerprint ^= words[base + old] ^ words[base + uint64(new)]
        write_candidate(chunk, uint64(number + step), fingerprint, state, at)
        outcome |= int64(leaves[at + ONE])
        at += uint64(3) + uint64(2) * writes
    return outcome


@inlined
def take_leaf(
    tables: Arrays,
    level: Level,
    chunk: ChunkArrays,
    scratch: Scratch,
    state: Any,
    index: Any,
    instance: Any,
    leaf: Any,
    number: int,
) -> Any:
    """Write down what a leaf says of a state, its steps as candidates from ``number``.

    Returns how many steps it has, or NO_STEPS if they are not to be taken.
    """
    fingerprints = level.fingerprints
    steps = int64(tables.leaves[leaf])
    if steps < 0:
        if steps == CONSTRAINED:
            level.constrained[state] = 1
        else:
            kind = NOTE if steps == REPORTED else FAILURE
            _note(chunk.notes, kind, instance, fingerprints[state])
        return int64(NO_STEPS)
    if number + steps > chunk.fingerprints.shape[0]:
        put_off(chunk, state, instance)
        return int64(NO_STEPS)
    if scratch.bases.shape[1] == 1:
        outcome = _write_steps(tables, chunk, scratch, state, index, leaf, number)
    else:
        outcome = write_renamed_steps(
            tables, chunk, scratch, state, index, leaf, number
        )
    if outcome == RAISING_ANSWER:
        _note(chunk.notes, FAILURE, instance, fingerprints[state])
        return int64(NO_STEPS)
    if outcome == NO_ANSWER:
        put_off(chunk, state, instance)
        return int64(NO_STEPS)
    if outcome > 0:
        _note_broken(chunk.notes, outcome, instance, fingerprints[state])
    return steps


@compiled
def take_given(
    tables: Arrays,
    level: Level,
    chunk: ChunkArrays,
    scratch: Scratch,
    state: Any,
    index: Any,
    instance: Any,
    code: int,
) -> None:
    """Write down what an instance does in a state, where its leaf's code is given.

    If it is disabled, that is noted of no level: it is not known what it read.
    """
    if code == DISABLED:
        chunk.disabled[instance] += 1
        return
    number, missed = chunk.counters[CANDIDATES], chunk.counters[MISSED]
    steps = take_leaf(
        tables, level, chunk, scratch, state, index, instance, uint64(-code), number
    )
    if steps >= 0:
        chunk.counters[CANDIDATES] = number + steps
        chunk.generated[instance] += steps
        chunk.enabled[instance] += 1
    elif chunk.counters[MISSED] > missed:
        chunk.missed_leaves[missed] = code
