"""Following: one walk through the states of a model, as a list of choices says.

Each choice is a byte: 0 lets a step out, any other ranks whatever could happen. The
ranking does not depend on the depth, nor on what else is enabled, so a walk from which
choices are taken out goes on with much the same steps.
"""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import (
    CANDIDATES,
    CONSTRAINED_HERE,
    DEADLOCKED,
    ENDED,
    FORBIDDEN,
    LACKING,
    MISSED,
    NO_STEP,
    NOTHING_NOTED,
    REPORTED_HERE,
    Arrays,
    ChunkArrays,
    Footsteps,
    Leanings,
    Level,
    Scratch,
)
from replicheck.explorer.native.kernels.expand import expand
from replicheck.explorer.native.kernels.numba_support import (
    NONE,
    ONE,
    compiled,
    inlined,
    trailing_zeros,
)
from replicheck.explorer.native.kernels.random_walk import chance
from replicheck.explorer.native.kernels.row_fields import (
    number_in,
    with_number,
    word_of,
)

FRACTION = 40
"""Bits of a waiting time behind the point."""
RIGHT = uint64((1 << 20) - 1)
LEFT = uint64(2**64 - (1 << 20))


@inlined
def waiting(word: Any) -> Any:
    """Waiting time: about the negative logarithm of a random word.

    Of several that wait, each divided by its weight, the first is by chance the one
    with so much weight. In whole numbers, so it is the same on every machine.
    """
    low = word | ONE
    lowest = uint64(trailing_zeros(low))
    rest = uint64(word >> uint64(64 - FRACTION))
    return (lowest << uint64(FRACTION)) + ((ONE << uint64(FRACTION)) - rest)


@compiled
def _choose(
    chunk: ChunkArrays,
    leaves: Any,
    before: Any,
    choice: int,
    leanings: Leanings,
    faults: int,
) -> Any:
    """The place of the candidate that a choice ranks first, or NO_STEP.

    Faults are out of the question if there may be no more of them.

    Args:
        before: the fingerprint of the state. That of the next one differs from it by
            what changes, in any state alike.
    """
    best, least = int64(NO_STEP), NOTHING_NOTED
    salt = uint64(leanings.numbers[0])
    by_kind = leanings.numbers[1] != 0
    for place in range(chunk.counters[CANDIDATES]):
        step = leaves[chunk.indices[place]]
        if leanings.is_fault[step] != 0 and faults <= 0:
            continue
        kind = leanings.kinds[step]
        shift = uint64(leanings.shifts[step])
        key = uint64(leanings.keys[step])
        if leanings.is_by_change[step] != 0:
            key ^= chunk.fingerprints[place] ^ before
        within = waiting(chance(salt, choice, 1, key))
        if by_kind:
            # The kind decides, and among equals the step.
            first = waiting(chance(salt, choice, 2, kind)) >> shift
            wait = (first & LEFT) | (within >> uint64(27) & RIGHT)
        else:
            wait = within >> shift
        if wait < least:
            best, least = int64(place), wait
    return best


@compiled
def follow(
    tables: Arrays,
    level: Level,
    wanted: Any,
    judged: Any,
    bounding: Any,
    chunk: ChunkArrays,
    scratch: Scratch,
    leanings: Leanings,
    footsteps: Footsteps,
) -> int:
    """Go on with a walk; return why it stopped.

    Args:
        level: the one state in which the walk stands, moved in place.
        wanted: bit set of the instances that are walked.
        judged: the same in a state that a constraint cuts.
        bounding: the same of the constraints.
        chunk: gets what is missed or noted where the walk stands.
        leanings: what each step weighs.
        footsteps: the choices and how many were used; gets what was taken.
    """
    leaves, lookups, readers = tables.leaves, tables.lookups, tables.readers
    words, fields = level.rows.words, level.rows.fields
    choices, counts = footsteps.choices, footsteps.counts
    is_bounded = False
    for word in range(bounding.shape[0]):
        is_bounded |= bounding[word] != NONE
    while True:
        if is_bounded:
            level.constrained[0] = 0
            chunk.counters[:] = 0
            expand(tables, level, bounding, bounding, 0, 1, chunk, scratch)
            if chunk.counters[MISSED] != 0:
                return LACKING
        chunk.counters[:] = 0
        expand(tables, level, wanted, judged, 0, 1, chunk, scratch)
        if chunk.counters[MISSED] != 0:
            return LACKING
        is_noted = False
        for kind in range(chunk.notes.shape[0]):
            for instance in range(chunk.notes.shape[1]):
                is_noted |= chunk.notes[kind, instance] != NOTHING_NOTED
        if is_noted:
            return REPORTED_HERE
        if level.constrained[0] != 0:
            return CONSTRAINED_HERE
        if chunk.counters[CANDIDATES] == 0:
            return DEADLOCKED
        at, taken = counts[0], counts[1]
        while at < choices.shape[0] and choices[at] == 0:
            at += 1
        if at == choices.shape[0]:
            return ENDED
        before, choice = level.fingerprints[0], int64(choices[at])
        place = _choose(chunk, leaves, before, choice, leanings, counts[2])
        counts[0] = at + 1
        if place == NO_STEP:
            return FORBIDDEN
        spot = chunk.indices[place]
        step = leaves[spot]
        counts[2] -= leanings.is_fault[step]
        footsteps.steps[taken] = step
        for write in range(leaves[spot + 2]):
            column = leaves[spot + 3 + 2 * write]
            new = int64(leaves[spot + 4 + 2 * write])
            field = fields[column]
            home = word_of(field)
            old = int64(number_in(words[0, home], field))
            if new < 0:
                new = int64(lookups[int64(tables.operations[-1 - new]) + old])
            if new != old:
                words[0, home] = with_number(words[0, home], field, new)
                for word in range(level.disabled.shape[1]):
                    level.disabled[0, word] &= ~readers[column, word]
        level.fingerprints[0] = chunk.fingerprints[place]
        footsteps.fingerprints[taken] = chunk.fingerprints[place]
        counts[1] = taken + 1
