"""The inner loops of the search, compiled by numba; they run without Python's lock.

A **chunk** is a stretch of the level that is being expanded, worked on by one thread:
`expand` walks the trees of its states and writes **candidates**, one for each step:
the fingerprint it leads to, the state it comes from, and the place of the step in
`tables.Arrays.leaves`. Where the tables know no answer, the pair of state and instance
is *missed*, and what it lacks is asked for; `retry` takes the missed pairs up again.
`count_parts` and `scatter` bring the candidates of several chunks in the order (part,
state, instance, step), a part being a range of fingerprints, so that `insert` meets the
least predecessor of each new state first. `gather` sorts the new states of one part by
fingerprint.

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
    COLUMN_BITS,
    CUT,
    DISABLED,
    NOTED,
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
CANDIDATES, MISSED, TO_LEARN, TO_ANSWER, WALKS = range(5)
COUNTERS = 5
RAISING = ASKED + 1
"""The end of a walk where the model raised in place of an answer."""
NO_ANSWER, RAISING_ANSWER = -1, -2
"""Instead of a candidate: an operation's result is not known, or the model raised."""

COLUMN_MASK = np.uint64((1 << COLUMN_BITS) - 1)

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
    answers: npt.NDArray[np.int64]
    counters: npt.NDArray[np.int64]
    generated: npt.NDArray[np.int64]
    enabled: npt.NDArray[np.int64]
    notes: npt.NDArray[np.uint64]


@compiled
def _note(notes: Any, kind: int, instance: int, printed: Any) -> None:
    notes[kind, instance] = min(notes[kind, instance], printed)


@compiled
def _note_broken(notes: Any, broken: int, instance: int, printed: Any) -> None:
    for claim in range(notes.shape[0] - BROKEN_STEP):
        if broken >> claim & 1:
            _note(notes, BROKEN_STEP + claim, instance, printed)


@compiled
def _put_off(chunk: Chunk, state: Any, instance: int) -> None:
    """Put a pair on the list of the missed."""
    number = chunk.counters[MISSED]
    chunk.missed_states[number] = state
    chunk.missed_instances[number] = instance
    chunk.counters[MISSED] = number + 1


@compiled
def _seek(tables: Arrays, chunk: Chunk, place: Any) -> None:
    """Ask for the answer at a place of the lookups, once."""
    number = chunk.counters[TO_ANSWER]
    if tables.lookups[place] == UNKNOWN and number < chunk.answers.shape[0]:
        tables.lookups[place] = SOUGHT
        chunk.answers[number] = place
        chunk.counters[TO_ANSWER] = number + 1


@compiled
def _go_the_long_way(
    tables: Arrays, rows: Any, chunk: Chunk, state: Any, instance: int
) -> Any:
    """Walk a tree question by question, and set the jumps on the way.

    Returns the leaf's code or RAISING. Without a leaf the pair is put off, what it
    lacks is asked for, once, and the answer is 0.
    """
    node = int64(tables.roots[instance])
    jump = int64(-1)
    child = int64(-1)
    while node > 0:
        column = tables.nodes[node, 0]
        value = int64(rows[state, column])
        shortcut = int64(tables.heads[node] >> uint64(COLUMN_BITS))
        if shortcut != 0:
            jump = shortcut + value
        place = int64(tables.nodes[node, 1]) + value
        answer = int64(tables.lookups[place])
        if answer == RAISES:
            return int64(RAISING)
        if answer < 0:
            _put_off(chunk, state, instance)
            _seek(tables, chunk, place)
            return int64(0)
        if answer >= tables.nodes[node, 3]:
            if tables.grown[node] == 0:
                tables.grown[node] = 1
                _ask_to_learn(chunk, state, instance)
            _put_off(chunk, state, instance)
            return int64(0)
        child = int64(tables.nodes[node, 2]) + answer
        node = int64(tables.children[child])
        is_end = node <= 0 or tables.nodes[node, 0] != column
        if is_end and jump >= 0 and node != 0 and node != ASKED:
            tables.jumps[jump] = node
            jump = int64(-1)
    if node == 0:
        _ask_to_learn(chunk, state, instance)
        if child >= 0:
            tables.children[child] = ASKED
    if node == 0 or node == ASKED:
        _put_off(chunk, state, instance)
        return int64(0)
    return node


@compiled
def _ask_to_learn(chunk: Chunk, state: Any, instance: int) -> None:
    """Ask for a run of an instance in a state."""
    number = chunk.counters[TO_LEARN]
    chunk.learn_states[number] = state
    chunk.learn_instances[number] = instance
    chunk.counters[TO_LEARN] = number + 1


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
def visit(
    tables: Arrays,
    level: Level,
    chunk: Chunk,
    first_instance: int,
    start: int,
    lists: Any,
    filled_lists: Any,
    bases: Any,
    results: Any,
    walking: Any,
) -> None:
    """Find out what instances do in the states of their lists, and write it down.

    All states of a list take one step down the tree, then those that are not at its
    end take the next: so the loads of one state do not wait for those of another.

    One long loop: a helper function that is given arrays would count references to
    them at each call, which took three quarters of the time.

    Args:
        lists: for each instance from ``first_instance`` on the states, counted from
            ``start``; ``filled_lists`` tells how many. ``bases``, ``results`` and
            ``walking`` have room for each such state.
    """
    rows, prints = level.rows, level.prints
    nodes, lookups, children = tables.nodes, tables.lookups, tables.children
    heads, jumps = tables.heads, tables.jumps
    leaves, operations = tables.leaves, tables.operations
    first, words = tables.first, tables.words
    candidates, places, sources = chunk.prints, chunk.places, chunk.sources
    disabled, cut = level.disabled, level.cut
    permutations = uint64(bases.shape[1])
    room = candidates.shape[0]
    number = chunk.counters[CANDIDATES]
    for which in range(lists.shape[0]):
        filled = filled_lists[uint64(which)]
        if filled == 0:
            continue
        entry_of = uint64(which)
        instance = int64(first_instance + which)
        root = int64(tables.roots[instance])
        word = uint64(instance >> 6)
        bit = ONE << uint64(instance & 63)
        generated = int64(0)
        enabled = int64(0)
        count = filled if root > 0 else 0
        for entry in range(filled):
            results[uint64(lists[entry_of, uint64(entry)])] = root
            walking[uint64(entry)] = lists[entry_of, uint64(entry)]
        while count > 0:
            remaining = NONE
            for entry in range(count):
                index = uint64(walking[uint64(entry)])
                node = uint64(results[index])
                head = heads[node]
                value = uint64(rows[uint64(start) + index, head & COLUMN_MASK])
                shortcut = head >> uint64(COLUMN_BITS)
                if shortcut != NONE:
                    result = int64(jumps[shortcut + value])
                else:
                    answer = int64(lookups[uint64(nodes[node, uint64(1)]) + value])
                    is_known = answer >= 0 and answer < nodes[node, uint64(3)]
                    slot = uint64(answer) if is_known else NONE
                    child = int64(children[uint64(nodes[node, uint64(2)]) + slot])
                    result = child if is_known else int64(0)
                results[index] = result
                walking[remaining] = index
                remaining += uint64(result > 0)
            count = int64(remaining)
        for entry in range(filled):
            index = uint64(lists[entry_of, uint64(entry)])
            state = uint64(start) + index
            result = int64(results[index])
            if result == DISABLED:
                disabled[state, word] |= bit
                continue
            if result == 0 or result == ASKED:
                result = _go_the_long_way(tables, rows, chunk, state, instance)
                if result == DISABLED:
                    disabled[state, word] |= bit
                    continue
                if result == RAISING:
                    _note(chunk.notes, FAILURE, instance, prints[state])
                    continue
                if result == 0:
                    continue
            at = uint64(-result)
            steps = int64(leaves[at])
            if steps < 0:
                if steps == CUT:
                    cut[state] = 1
                else:
                    kind = NOTE if steps == NOTED else FAILURE
                    _note(chunk.notes, kind, instance, prints[state])
                continue
            if number + steps > room:
                _put_off(chunk, state, instance)
                continue
            at += ONE
            outcome = int64(0)
            for step in range(steps):
                writes = uint64(leaves[at + uint64(2)])
                least = NOTHING_NOTED
                for p in range(permutations):
                    printed = bases[index, uint64(p)]
                    for write in range(writes):
                        spot = at + uint64(3) + uint64(2) * uint64(write)
                        column = uint64(leaves[spot])
                        new = int64(leaves[spot + ONE])
                        old = uint64(rows[state, column])
                        if new < 0:
                            place = uint64(operations[uint64(-1 - new)]) + old
                            new = int64(lookups[place])
                            if new < 0:
                                outcome = int64(
                                    RAISING_ANSWER if new == RAISES else NO_ANSWER
                                )
                                new = int64(0)
                        base = uint64(first[column])
                        printed ^= (
                            words[(base + old) * permutations + uint64(p)]
                            ^ words[(base + uint64(new)) * permutations + uint64(p)]
                        )
                        if outcome < 0:
                            break
                    least = min(least, printed)
                    if outcome < 0:
                        break
                if outcome < 0:
                    break
                spot = uint64(number + step)
                candidates[spot] = least if least != NONE else ONE
                places[spot] = at
                sources[spot] = state
                outcome |= int64(leaves[at + ONE])
                at += uint64(3) + uint64(2) * writes
            if outcome < 0:
                if outcome == RAISING_ANSWER:
                    _note(chunk.notes, FAILURE, instance, prints[state])
                else:
                    _put_off(chunk, state, instance)
                    _seek(tables, chunk, place)
                continue
            if outcome > 0:
                _note_broken(chunk.notes, outcome, instance, prints[state])
            number += steps
            generated += steps
            enabled += 1
        chunk.counters[WALKS] += filled
        chunk.generated[instance] += generated
        chunk.enabled[instance] += enabled
    chunk.counters[CANDIDATES] = number


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
    rows, disabled, cut = level.rows, level.disabled, level.cut
    first, masks, words = tables.first, tables.masks, tables.words
    prints = level.prints
    columns = rows.shape[1]
    lists = np.empty((instances, BLOCK), np.uint16)
    filled = np.zeros(instances, np.int64)
    bases = np.empty((BLOCK, permutations), np.uint64)
    live = np.empty(width, np.uint64)
    results = np.empty(BLOCK, np.int32)
    walking = np.empty(BLOCK, np.uint16)
    room = chunk.missed_states.shape[0]
    constant = np.zeros(width, np.uint64)
    for number in range(instances):
        if tables.roots[number] == DISABLED:
            constant[number >> 6] |= ONE << uint64(number & 63)
    at = low
    while at < high and chunk.counters[MISSED] + BLOCK * instances <= room:
        end = min(high, at + BLOCK)
        filled[:] = 0
        for state in range(at, end):
            index = uint64(state - at)
            if permutations == 1:
                bases[index, NONE] = prints[uint64(state)]
            else:
                _base(rows, state, first, words, bases, index)
            for word in range(width):
                live[word] = ~(disabled[state, word] | constant[word]) & (
                    judged[word] if cut[state] else wanted[word]
                )
            for column in range(columns):
                place = uint64(first[uint64(column)]) + uint64(
                    rows[uint64(state), uint64(column)]
                )
                for word in range(width):
                    live[uint64(word)] &= masks[place * uint64(width) + uint64(word)]
            for word in range(width):
                bits = live[uint64(word)]
                while bits != NONE:
                    instance = uint64(trailing_zeros(bits) + 64 * word)
                    bits &= bits - ONE
                    lists[instance, uint64(filled[instance])] = index
                    filled[instance] += 1
        visit(tables, level, chunk, 0, at, lists, filled, bases, results, walking)
        at = end
    return at


@compiled
def retry(tables: Arrays, level: Level, permutations: int, chunk: Chunk) -> None:
    """Take up the missed pairs again; those that are still missed stay in the list."""
    missed = chunk.counters[MISSED]
    chunk.counters[MISSED] = 0
    chunk.counters[TO_LEARN] = 0
    chunk.counters[TO_ANSWER] = 0
    bases = np.empty((1, permutations), np.uint64)
    lists = np.zeros((1, 1), np.uint16)
    filled = np.ones(1, np.int64)
    results = np.empty(1, np.int32)
    walking = np.empty(1, np.uint16)
    for number in range(missed):
        state = int64(chunk.missed_states[number])
        instance = int64(chunk.missed_instances[number])
        if permutations == 1:
            bases[0, 0] = level.prints[state]
        else:
            _base(level.rows, state, tables.first, tables.words, bases, 0)
        visit(
            tables,
            level,
            chunk,
            instance,
            state,
            lists,
            filled,
            bases,
            results,
            walking,
        )


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
def settle(spare: Chunk, count: int, leaves: Any, instances: Any) -> None:
    """Bring candidates of the same state in the order of their instances, stably.

    Those that were missed at first stand behind the others of their state. By
    insertion, since almost all stand right. ``instances`` tells that of each step.
    """
    for number in range(1, count):
        source = spare.sources[number]
        if source != spare.sources[number - 1]:
            continue
        place, printed = spare.places[number], spare.prints[number]
        instance = instances[leaves[place]]
        to = number
        while (
            to > 0
            and spare.sources[to - 1] == source
            and instances[leaves[spare.places[to - 1]]] > instance
        ):
            spare.places[to] = spare.places[to - 1]
            spare.prints[to] = spare.prints[to - 1]
            to -= 1
        spare.places[to] = place
        spare.prints[to] = printed


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
    rows, disabled = level.rows, level.disabled
    rows_found, disabled_found = found.rows, found.disabled
    prints_found = found.prints
    leaves, operations, lookups = tables.leaves, tables.operations, tables.lookups
    readers = tables.readers
    columns = rows.shape[1]
    width = disabled.shape[1]
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
            rows_found[to, uint64(column)] = rows[source, uint64(column)]
        for word in range(width):
            disabled_found[to, uint64(word)] = disabled[source, uint64(word)]
        for write in range(leaves[at + uint64(2)]):
            column = uint64(leaves[at + uint64(3 + 2 * write)])
            new = int64(leaves[at + uint64(4 + 2 * write)])
            old = rows[source, column]
            if new < 0:
                start = uint64(operations[uint64(-1 - new)])
                new = int64(lookups[start + uint64(old)])
            if new != int64(old):
                rows_found[to, column] = new
                for word in range(width):
                    disabled_found[to, uint64(word)] &= ~readers[column, uint64(word)]
        prints_found[to] = printed
        parents[to] = source
        steps[to] = leaves[at]
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
