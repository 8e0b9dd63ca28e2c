"""The inner loops of the search, compiled by numba; they run without Python's lock.

A **chunk** is a stretch of the level that is being expanded, worked on by one thread:
`expand` walks the trees of its states and writes **candidates**, one for each step:
the fingerprint it leads to, the state it comes from, and the place of the step in
`tables.Arrays.leaves`. Where the tables know no answer, the pair of state and instance
is *missed*, and what must be learned for it is asked for; `retry` takes the missed pairs
up again. `count_parts` and `scatter` then bring the candidates of several chunks in the
order (part, state, instance, step), a part being a range of fingerprints, so that
`insert` meets the least predecessor of each new state first. `gather` sorts the new
states of one part by fingerprint.

Everything is an array; nothing here knows what a cell means.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int64, njit, uint64

from replicheck.explorer.intrinsics import prefetch, trailing_zeros
from replicheck.explorer.tables import (
    ASKED,
    CUT,
    DISABLED,
    NOTED,
    RAISED,
    RAISES,
    SOUGHT,
    UNKNOWN,
    Arrays,
)

NONE = np.uint64(0)
ONE = np.uint64(1)
BLOCK = 512
"""States whose trees are walked instance by instance."""
AHEAD = 12
"""Candidates between asking the memory for a slot and looking at it."""
PART_BITS = 7
PARTS = 1 << PART_BITS
NOTE, FAILURE, BROKEN_STEP = 0, 1, 2
NOTHING_NOTED = np.uint64(2**64 - 1)
CANDIDATES, MISSED, TO_LEARN, TO_ANSWER, WALKS, NODES = range(6)
COUNTERS = 6

compiled = njit(nogil=True, cache=True)
inlined = njit(nogil=True, cache=True, inline="always")


class Level(NamedTuple):
    """The states of one level, in the order of their fingerprints.

    ``rows[i, column]``, ``prints[i]``; ``disabled[i, word]`` is the bit set of the
    instances that are known to be disabled in state ``i``; ``cut[i]`` tells that a
    constraint keeps the state from being expanded.
    """

    rows: npt.NDArray[Any]
    prints: npt.NDArray[np.uint64]
    disabled: npt.NDArray[np.uint64]
    cut: npt.NDArray[np.uint8]


class Chunk(NamedTuple):
    """What one thread writes while it expands; see the module's docstring.

    ``notes[kind, instance]`` is the least fingerprint of a state where a predicate is
    noted (NOTE), the function raises (FAILURE), or a step breaks the step property
    ``kind - BROKEN_STEP``.
    """

    prints: npt.NDArray[np.uint64]
    sources: npt.NDArray[np.uint32]
    places: npt.NDArray[np.int32]
    missed_states: npt.NDArray[np.uint32]
    missed_instances: npt.NDArray[np.int32]
    learn_states: npt.NDArray[np.uint32]
    learn_instances: npt.NDArray[np.int32]
    answer_starts: npt.NDArray[np.int32]
    answer_values: npt.NDArray[np.int32]
    counters: npt.NDArray[np.int64]
    generated: npt.NDArray[np.int64]
    enabled: npt.NDArray[np.int64]
    notes: npt.NDArray[np.uint64]


@inlined
def _walk(tables: Arrays, instance: int, row: Any, chunk: Chunk) -> Any:
    """Return (result, child): a leaf's code, 0 if not learned, ASKED, or RAISES * 2.

    ``child`` is the place in ``children`` where the missing answer goes, or -1.
    """
    result = int64(tables.roots[instance])
    child = int64(-1)
    while result > 0:
        node = uint64(result)
        chunk.counters[NODES] += 1
        value = uint64(row[uint64(tables.nodes[node, 0])])
        place = uint64(tables.nodes[node, 1]) + value
        answer = int64(tables.lookups[place])
        if answer < 0:
            child = int64(-1)
            if answer == RAISES:
                result = int64(2 * ASKED)
            else:
                result = int64(ASKED)
                if answer == UNKNOWN:
                    _ask(tables, chunk, tables.nodes[node, 1], value)
            break
        if answer >= tables.nodes[node, 3]:
            child = int64(-1)
            result = int64(ASKED)
            if tables.grown[node] == 0:
                tables.grown[node] = 1
                result = int64(0)
            break
        child = int64(tables.nodes[node, 2]) + answer
        result = int64(tables.children[uint64(child)])
    return result, child


@inlined
def _ask(tables: Arrays, chunk: Chunk, start: Any, value: Any) -> None:
    number = chunk.counters[TO_ANSWER]
    if number < chunk.answer_starts.shape[0]:
        tables.lookups[uint64(start) + uint64(value)] = SOUGHT
        chunk.answer_starts[number] = start
        chunk.answer_values[number] = value
        chunk.counters[TO_ANSWER] = number + 1


@inlined
def _miss(
    tables: Arrays, state: Any, instance: Any, result: Any, child: Any, chunk: Chunk
) -> None:
    number = chunk.counters[MISSED]
    chunk.missed_states[number] = state
    chunk.missed_instances[number] = instance
    chunk.counters[MISSED] = number + 1
    if result == 0:
        if child >= 0:
            tables.children[child] = ASKED
        number = chunk.counters[TO_LEARN]
        chunk.learn_states[number] = state
        chunk.learn_instances[number] = instance
        chunk.counters[TO_LEARN] = number + 1


@inlined
def _emit(
    tables: Arrays,
    offset: Any,
    state: Any,
    instance: Any,
    row: Any,
    bases: Any,
    chunk: Chunk,
) -> Any:
    """Write a candidate for each step of a leaf.

    Returns UNKNOWN, RAISES, or the bit set of the step properties that steps break.
    ``bases[p]`` is the state's fingerprint under renaming ``p``.
    """
    permutations = bases.shape[0]
    steps = tables.leaves[offset]
    at = uint64(offset + 1)
    number = chunk.counters[CANDIDATES]
    if number + steps > chunk.prints.shape[0]:
        return int64(UNKNOWN)
    outcome = int64(0)
    broken = int64(0)
    for _ in range(steps):
        writes = tables.leaves[at + uint64(2)]
        least = NOTHING_NOTED
        for p in range(permutations):
            printed = bases[p]
            for write in range(writes):
                column = uint64(tables.leaves[at + uint64(3 + 2 * write)])
                new = int64(tables.leaves[at + uint64(4 + 2 * write)])
                old = uint64(row[column])
                if new < 0:
                    start = tables.operations[uint64(-1 - new)]
                    place = uint64(start) + old
                    new = int64(tables.lookups[place])
                    if new < 0:
                        if new == RAISES:
                            outcome = int64(RAISES)
                        elif outcome == 0:
                            outcome = int64(UNKNOWN)
                        if new == UNKNOWN:
                            _ask(tables, chunk, start, old)
                        continue
                first = uint64(tables.first[column])
                printed ^= (
                    tables.words[(first + old) * uint64(permutations) + uint64(p)]
                    ^ tables.words[
                        (first + uint64(new)) * uint64(permutations) + uint64(p)
                    ]
                )
            least = min(least, printed)
        if least == NONE:
            least = ONE
        chunk.prints[uint64(number)] = least
        chunk.sources[uint64(number)] = state
        chunk.places[uint64(number)] = at
        broken |= tables.leaves[at + uint64(1)]
        number += 1
        at += uint64(3 + 2 * writes)
    if outcome == 0:
        chunk.counters[CANDIDATES] = number
        chunk.generated[instance] += steps
        chunk.enabled[instance] += 1
        outcome = broken
    return outcome


@inlined
def _note(chunk: Chunk, kind: Any, instance: Any, printed: Any) -> None:
    chunk.notes[kind, instance] = min(chunk.notes[kind, instance], printed)


@inlined
def _visit(
    tables: Arrays, level: Level, state: Any, instance: Any, bases: Any, chunk: Chunk
) -> None:
    """Find out what an instance does in a state and write it down."""
    row = level.rows[state]
    result, child = _walk(tables, instance, row, chunk)
    if result == DISABLED:
        bit = ONE << uint64(instance & 63)
        level.disabled[state, uint64(instance >> 6)] |= bit
    elif result == 0 or result == ASKED:
        _miss(tables, state, instance, result, child, chunk)
    elif result == 2 * ASKED:
        _note(chunk, FAILURE, instance, level.prints[state])
    else:
        offset = uint64(-result)
        kind = tables.leaves[offset]
        if kind >= 0:
            outcome = _emit(tables, offset, state, instance, row, bases, chunk)
            if outcome == UNKNOWN:
                _miss(tables, state, instance, int64(ASKED), int64(-1), chunk)
            elif outcome == RAISES:
                _note(chunk, FAILURE, instance, level.prints[state])
            elif outcome > 0:
                for claim in range(chunk.notes.shape[0] - BROKEN_STEP):
                    if outcome >> claim & 1:
                        _note(chunk, BROKEN_STEP + claim, instance, level.prints[state])
        elif kind == NOTED:
            _note(chunk, NOTE, instance, level.prints[state])
        elif kind == RAISED:
            _note(chunk, FAILURE, instance, level.prints[state])
        elif kind == CUT:
            level.cut[state] = 1


@inlined
def _base(tables: Arrays, level: Level, state: Any, bases: Any) -> None:
    """Write the state's fingerprint under each renaming."""
    permutations = bases.shape[0]
    if permutations == 1:
        bases[0] = level.prints[state]
        return
    bases[:] = NONE
    for column in range(level.rows.shape[1]):
        place = uint64(tables.first[column]) + uint64(level.rows[state, column])
        for p in range(permutations):
            bases[p] ^= tables.words[place * uint64(permutations) + uint64(p)]


@compiled
def expand(
    tables: Arrays,
    level: Level,
    wanted: Any,
    judged: Any,
    low: int,
    high: int,
    permutations: int,
    chunk: Chunk,
) -> int:
    """Walk the trees of the states from ``low`` to ``high``; return where it stopped.

    Args:
        wanted: bit set of the instances to walk for a state that is expanded.
        judged: the same for a state that a constraint cuts.
    """
    instances = tables.roots.shape[0]
    width = wanted.shape[0]
    columns = level.rows.shape[1]
    lists = np.empty((instances, BLOCK), np.uint16)
    filled = np.zeros(instances, np.int64)
    bases = np.empty((BLOCK, permutations), np.uint64)
    live = np.empty(width, np.uint64)
    room = min(chunk.missed_states.shape[0], chunk.learn_states.shape[0])
    at = low
    while at < high:
        end = min(high, at + BLOCK)
        if chunk.counters[MISSED] + (end - at) * instances > room:
            if at > low or chunk.counters[MISSED] > 0:
                break
        filled[:] = 0
        for state in range(at, end):
            index = uint64(state - at)
            _base(tables, level, state, bases[index])
            for word in range(width):
                live[word] = ~level.disabled[state, word]
                if level.cut[state]:
                    live[word] &= judged[word]
                else:
                    live[word] &= wanted[word]
            for column in range(columns):
                place = uint64(tables.first[column]) + uint64(
                    level.rows[uint64(state), uint64(column)]
                )
                for word in range(width):
                    live[word] &= tables.masks[place * uint64(width) + uint64(word)]
            for word in range(width):
                bits = live[word]
                while bits != NONE:
                    instance = uint64(trailing_zeros(bits) + 64 * word)
                    bits &= bits - ONE
                    lists[instance, uint64(filled[instance])] = index
                    filled[instance] += 1
        for instance in range(instances):
            chunk.counters[WALKS] += filled[instance]
            for entry in range(filled[instance]):
                index = uint64(lists[uint64(instance), uint64(entry)])
                _visit(tables, level, uint64(at) + index, instance, bases[index], chunk)
        at = end
    return at


@compiled
def retry(tables: Arrays, level: Level, permutations: int, chunk: Chunk) -> None:
    """Take up the missed pairs again; those that are still missed stay in the list."""
    missed = chunk.counters[MISSED]
    chunk.counters[MISSED] = 0
    chunk.counters[TO_LEARN] = 0
    chunk.counters[TO_ANSWER] = 0
    bases = np.empty(permutations, np.uint64)
    for number in range(missed):
        state = uint64(chunk.missed_states[number])
        instance = int64(chunk.missed_instances[number])
        _base(tables, level, state, bases)
        _visit(tables, level, state, instance, bases, chunk)


@compiled
def sort_by_source(chunk: Chunk, low: int, high: int, spare: Chunk) -> None:
    """Bring candidates in the order of their states, stably, by way of ``spare``."""
    count = chunk.counters[CANDIDATES]
    starts = np.zeros(high - low + 1, np.int64)
    for number in range(count):
        starts[uint64(chunk.sources[uint64(number)]) - uint64(low) + ONE] += 1
    for state in range(high - low):
        starts[state + 1] += starts[state]
    for number in range(count):
        source = uint64(chunk.sources[uint64(number)])
        place = uint64(starts[source - uint64(low)])
        starts[source - uint64(low)] += 1
        spare.prints[place] = chunk.prints[uint64(number)]
        spare.sources[place] = source
        spare.places[place] = chunk.places[uint64(number)]


@compiled
def count_parts(prints: Any, count: int, counts: Any) -> None:
    """Count the candidates of each part."""
    counts[:] = 0
    for number in range(count):
        counts[prints[uint64(number)] >> uint64(64 - PART_BITS)] += 1


@compiled
def scatter(
    chunk: Chunk, count: int, starts: Any, prints: Any, sources: Any, places: Any
) -> None:
    """Move candidates to their parts, stably; ``starts`` is where each part goes on."""
    for number in range(count):
        printed = chunk.prints[uint64(number)]
        part = printed >> uint64(64 - PART_BITS)
        to = uint64(starts[part])
        starts[part] += 1
        prints[to] = printed
        sources[to] = chunk.sources[uint64(number)]
        places[to] = chunk.places[uint64(number)]


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
    columns = level.rows.shape[1]
    width = level.disabled.shape[1]
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
            found.rows[to, uint64(column)] = level.rows[source, uint64(column)]
        for word in range(width):
            found.disabled[to, uint64(word)] = level.disabled[source, uint64(word)]
        for write in range(tables.leaves[at + uint64(2)]):
            column = uint64(tables.leaves[at + uint64(3 + 2 * write)])
            new = int64(tables.leaves[at + uint64(4 + 2 * write)])
            old = level.rows[source, column]
            if new < 0:
                start = tables.operations[uint64(-1 - new)]
                new = int64(tables.lookups[uint64(start) + uint64(old)])
            if new != int64(old):
                found.rows[to, column] = new
                for word in range(width):
                    found.disabled[to, uint64(word)] &= ~tables.readers[
                        column, uint64(word)
                    ]
        found.prints[to] = printed
        parents[to] = source
        steps[to] = tables.leaves[at]
        count += 1
    return count


@compiled
def order_of(prints: Any, count: int) -> Any:
    """Return the places of fingerprints of one part in ascending order.

    Two passes of counting sort on the bits below the part, which leave few neighbours
    out of order, then insertion.
    """
    bits = 1
    while (1 << bits) < count and bits < 22:
        bits += 1
    half = (bits + 1) // 2
    mask = (ONE << uint64(half)) - ONE
    order = np.arange(count).astype(np.uint32)
    spare = np.empty(count, np.uint32)
    for turn in range(2):
        shift = uint64(64 - PART_BITS - 2 * half + turn * half)
        starts = np.zeros((1 << half) + 1, np.int64)
        for place in range(count):
            starts[((prints[uint64(order[place])] >> shift) & mask) + ONE] += 1
        for digit in range(1 << half):
            starts[digit + 1] += starts[digit]
        for place in range(count):
            digit = (prints[uint64(order[place])] >> shift) & mask
            spare[uint64(starts[digit])] = order[place]
            starts[digit] += 1
        order, spare = spare, order
    for place in range(1, count):
        moved = order[place]
        printed = prints[uint64(moved)]
        to = place
        while to > 0 and prints[uint64(order[to - 1])] > printed:
            order[to] = order[to - 1]
            to -= 1
        order[to] = moved
    return order


@compiled
def gather(
    found: Level,
    parents: Any,
    steps: Any,
    count: int,
    level: Level,
    level_parents: Any,
    level_steps: Any,
    start: int,
) -> None:
    """Copy a part's new states to ``start`` of the next level, in ascending order."""
    order = order_of(found.prints, count)
    for place in range(count):
        source = uint64(order[uint64(place)])
        to = uint64(start + place)
        for column in range(found.rows.shape[1]):
            level.rows[to, uint64(column)] = found.rows[source, uint64(column)]
        for word in range(found.disabled.shape[1]):
            level.disabled[to, uint64(word)] = found.disabled[source, uint64(word)]
        level.prints[to] = found.prints[source]
        level.cut[to] = 0
        level_parents[to] = parents[source]
        level_steps[to] = steps[source]
