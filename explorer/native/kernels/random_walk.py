"""Random walks: how walkers choose and take their steps, and how states are counted.

The walkers stand in the states of a level; the candidates of a chunk, sorted by state,
are the steps that each can take. A ``pick_…`` chooses one for each walker, by its place
among the candidates, or NO_STEP; `move` takes them, in place.

Chance is a function of the seed, the number of the walk, its depth and a purpose, so
threads leave no mark on a walk.
"""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import (
    MOST_SEEN,
    NO_STEP,
    Arrays,
    ChunkArrays,
    Level,
)
from replicheck.explorer.native.kernels.numba_support import (
    NONE,
    ONE,
    compiled,
    inlined,
    prefetch_to_write,
)
from replicheck.explorer.native.kernels.row_fields import (
    number_in,
    with_number,
    word_of,
)

AHEAD = 12
"""States between asking the memory for a slot of the census and looking at it."""
CHOICE, PRIORITY, CHANGE, FAULT = range(4)
"""The purposes of chance."""


@inlined
def chance(seed: Any, walk: Any, purpose: Any, number: Any) -> Any:
    """A random word: the finaliser of splitmix64, twice."""
    word = uint64(seed) ^ (uint64(walk) * uint64(0x9E3779B97F4A7C15))
    word ^= uint64(purpose) << uint64(56)
    word ^= (uint64(purpose) >> uint64(8)) * uint64(0xA0761D6478BD642F)
    for _ in range(2):
        word += uint64(number) * uint64(0xD1B54A32D192ED03) + ONE
        word = (word ^ (word >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> uint64(27))) * uint64(0x94D049BB133111EB)
        word ^= word >> uint64(31)
    return word


@inlined
def below(word: Any, limit: Any) -> Any:
    """A number below a limit, by the upper half of a random word."""
    return ((word >> uint64(32)) * uint64(limit)) >> uint64(32)


@compiled
def pick_uniformly(
    chunk: ChunkArrays, count: int, low: int, high: int, seed: int, walkers: Any
) -> None:
    """Let every step that is enabled be as likely.

    Args:
        chunk: the candidates, of which there are ``count``.
        low: the first walker of the chunk; ``high`` is behind the last.
        seed: what chance depends on, beside walk and depth.
        walkers: ``picked`` gets the places of their choices.
    """
    walks, depths, picked = walkers.walks, walkers.depths, walkers.picked
    at = 0
    for walker in range(low, high):
        begin = at
        while at < count and chunk.sources[at] == walker:
            at += 1
        picked[walker] = NO_STEP
        if at > begin:
            word = chance(seed, walks[walker], CHOICE, depths[walker])
            picked[walker] = begin + int64(below(word, at - begin))


@compiled
def pick_by_priority(
    chunk: ChunkArrays,
    count: int,
    low: int,
    high: int,
    seed: int,
    walkers: Any,
    leaves: Any,
    group_of: Any,
) -> None:
    """Let the group of steps with the highest priority go on.

    Each walk gives every group a priority by chance. At each of its change points,
    depths by chance below its horizon, the group that would go on gets the lowest of
    all; its memory has these groups. Within a group all steps are as likely.
    (PCT: Burckhardt et al., ASPLOS 2010.)

    Args:
        chunk: as in `pick_uniformly`, and so are the next five.
        leaves: those of the tables.
        group_of: the group of each step, by its number.
    """
    walks, depths, picked = walkers.walks, walkers.depths, walkers.picked
    horizons, lowered = walkers.horizons, walkers.memory
    at = 0
    for walker in range(low, high):
        begin = at
        while at < count and chunk.sources[at] == walker:
            at += 1
        picked[walker] = NO_STEP
        if at == begin:
            continue
        walk, depth = walks[walker], depths[walker]
        for point in range(lowered.shape[1]):
            change = below(chance(seed, walk, CHANGE, point), horizons[walker])
            if lowered[walker, point] == NO_STEP and change <= uint64(depth):
                lowered[walker, point] = _highest(
                    chunk, begin, at, seed, walker, walkers, leaves, group_of
                )
        group = _highest(chunk, begin, at, seed, walker, walkers, leaves, group_of)
        ties = 0
        for place in range(begin, at):
            if group_of[leaves[chunk.indices[place]]] == group:
                ties += 1
                word = chance(seed, walk, CHOICE + 8 * ties, depth)
                if below(word, ties) == NONE:
                    picked[walker] = place


@compiled
def _highest(
    chunk: ChunkArrays,
    begin: int,
    end: int,
    seed: int,
    walker: int,
    walkers: Any,
    leaves: Any,
    group_of: Any,
) -> Any:
    """The group with the highest priority of those that have a step."""
    lowered, walk = walkers.memory, walkers.walks[walker]
    highest, best = int64(NO_STEP), NONE
    for place in range(begin, end):
        group = int64(group_of[leaves[chunk.indices[place]]])
        priority = chance(seed, walk, PRIORITY, group) | (ONE << uint64(63))
        for point in range(lowered.shape[1]):
            if lowered[walker, point] == group:
                priority = uint64(lowered.shape[1] - point)
        if priority > best:
            highest, best = group, priority
    return highest


@compiled
def pick_with_faults(
    chunk: ChunkArrays,
    count: int,
    low: int,
    high: int,
    seed: int,
    walkers: Any,
    leaves: Any,
    is_fault: Any,
) -> None:
    """Spread faults over the depth of the walk.

    Each fault of a walk waits for a depth by chance below the horizon. Then
    it is as likely as all other steps together; until then, it happens only where
    nothing else can.

    Args:
        chunk: as in `pick_uniformly`, and so are the next five.
        leaves: those of the tables.
        is_fault: tells of each step, by its number, whether it is a fault.
    """
    walks, depths, picked = walkers.walks, walkers.depths, walkers.picked
    horizons, faults = walkers.horizons, walkers.memory
    at = 0
    for walker in range(low, high):
        begin = at
        while at < count and chunk.sources[at] == walker:
            at += 1
        picked[walker] = NO_STEP
        if at == begin:
            continue
        walk, depth = walks[walker], depths[walker]
        due = below(chance(seed, walk, FAULT, faults[walker, 0]), horizons[walker])
        wanted = due <= uint64(depth) and (
            chance(seed, walk, FAULT + 4, depth) & ONE == NONE
        )
        ties = 0
        for turn in range(2):
            for place in range(begin, at):
                if (is_fault[leaves[chunk.indices[place]]] != 0) == (
                    wanted == (turn == 0)
                ):
                    ties += 1
                    word = chance(seed, walk, CHOICE + 8 * ties, depth)
                    if below(word, ties) == NONE:
                        picked[walker] = place
            if ties > 0:
                break
        faults[walker, 0] += is_fault[leaves[chunk.indices[picked[walker]]]]


@compiled
def move(
    tables: Arrays,
    level: Level,
    chunk: ChunkArrays,
    low: int,
    high: int,
    walkers: Any,
) -> None:
    """Take the chosen steps, and write the number of each into the history."""
    picked, depths, history = walkers.picked, walkers.depths, walkers.history
    leaves, lookups, readers = tables.leaves, tables.lookups, tables.readers
    words, fields = level.rows.words, level.rows.fields
    for walker in range(low, high):
        place = picked[walker]
        if place == NO_STEP:
            continue
        at = chunk.indices[place]
        history[walker, depths[walker]] = leaves[at]
        depths[walker] += 1
        for write in range(leaves[at + 2]):
            column = leaves[at + 3 + 2 * write]
            new = int64(leaves[at + 4 + 2 * write])
            field = fields[column]
            home = word_of(field)
            old = int64(number_in(words[walker, home], field))
            if new < 0:
                new = int64(lookups[int64(tables.operations[-1 - new]) + old])
            if new != old:
                words[walker, home] = with_number(words[walker, home], field, new)
                for word in range(level.disabled.shape[1]):
                    level.disabled[walker, word] &= ~readers[column, word]
        level.fingerprints[walker] = chunk.fingerprints[place]


@inlined
def _slot_of(fingerprint: Any, size: Any) -> Any:
    return uint64((fingerprint >> uint64(32)) * size) >> uint64(32)


@compiled
def count_states(fingerprints: Any, low_bits: Any, table: Any, seen: Any) -> int:
    """Count states whose fingerprints end in zeros; return how many are new.

    Args:
        prints: of the states.
        low_bits: a mask of the bits that must be zero.
        table: fingerprints, open addressing, 0 is empty; there must be room.
        seen: how often each was seen, up to MOST_SEEN.
    """
    size = uint64(table.shape[0])
    new = 0
    for number in range(fingerprints.shape[0]):
        if number + AHEAD < fingerprints.shape[0]:
            ahead = int64(_slot_of(fingerprints[number + AHEAD], size))
            prefetch_to_write(table, ahead)
            prefetch_to_write(seen, ahead)
        fingerprint = fingerprints[number]
        if fingerprint & uint64(low_bits) != NONE:
            continue
        slot = _slot_of(fingerprint, size)
        while table[slot] != NONE and table[slot] != fingerprint:
            slot += ONE
            if slot == size:
                slot = NONE
        if table[slot] == NONE:
            table[slot] = fingerprint
            new += 1
        if seen[slot] < MOST_SEEN:
            seen[slot] += 1
    return new
