"""New states in the order of their fingerprints."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import (
    PART_BITS,
    Arrays,
    Found,
    Level,
    PackedRows,
)
from replicheck.explorer.native.kernels.numba_support import (
    NONE,
    ONE,
    compiled,
    inlined,
    prefetch,
)
from replicheck.explorer.native.kernels.row_fields import (
    PART,
    number_in,
    with_number,
    word_of,
)
from replicheck.explorer.native.kernels.trees.write_prefetch import LARGE, MANY_BITS

AHEAD = 16
"""States between asking the memory for where one came from and looking at it."""
SOON = 8
"""The same for the numbers that its step writes: where they are, the row tells."""
DIGIT_BITS = 11
"""Bits that a pass of counting sort looks at; `starts` has room for their values."""


@compiled
def order_of(
    fingerprints: Any, first: Any, count: int, order: Any, spare: Any, starts: Any
) -> None:
    """Put the places of some fingerprints from ``first`` on in ascending order.

    Two passes of counting sort on the bits below the part, which leave few neighbours
    out of order, then insertion.
    """
    bits = 1
    while (1 << bits) < count and bits < 2 * DIGIT_BITS:
        bits += 1
    half = (bits + 1) // 2
    mask = (ONE << uint64(half)) - ONE
    for place in range(count):
        order[place] = place
    for turn in range(2):
        shift = uint64(64 - PART_BITS - 2 * half + turn * half)
        starts[: (1 << half) + 1] = 0
        for place in range(count):
            starts[
                ((fingerprints[first + uint64(order[place])] >> shift) & mask) + ONE
            ] += 1
        for digit in range(1 << half):
            starts[digit + 1] += starts[digit]
        for place in range(count):
            digit = (fingerprints[first + uint64(order[place])] >> shift) & mask
            spare[uint64(starts[digit])] = order[place]
            starts[digit] += 1
        order, spare = spare, order
    for place in range(1, count):
        moved = order[place]
        fingerprint = fingerprints[first + uint64(moved)]
        to = place
        while to > 0 and fingerprints[first + uint64(order[to - 1])] > fingerprint:
            order[to] = order[to - 1]
            to -= 1
        order[to] = moved


@inlined
def _ask_for_numbers(tables: Arrays, rows: PackedRows, source: Any, leaf: Any) -> None:
    """Ask the memory for the numbers that a step writes to columns of many values.

    Args:
        source: the state of ``rows`` that it leads from.
        leaf: the place of the step in the leaves.
    """
    words, fields, leaves = rows.words, rows.fields, tables.leaves
    operations, lookups = tables.operations, tables.lookups
    for write in range(uint64(leaves[leaf + uint64(2)])):
        spot = leaf + uint64(3) + uint64(2) * write
        field, new = uint64(fields[uint64(leaves[spot])]), int64(leaves[spot + ONE])
        if new < 0 and (field & PART) >= MANY_BITS:
            old = int64(number_in(words[source, word_of(field)], field))
            prefetch(lookups, int64(operations[uint64(-1 - new)]) + old)


@inlined
def _move_bits(words: Any, source: Any, runs: Any, new_words: Any, to: Any) -> None:
    """Write a row of new words that has runs of bits of another row."""
    for word in range(uint64(new_words.shape[1])):
        new_words[to, word] = NONE
    for run in range(uint64(runs.shape[0])):
        bits = (words[source, runs[run, NONE]] >> runs[run, ONE]) & runs[run, uint64(4)]
        new_words[to, runs[run, uint64(2)]] |= bits << runs[run, uint64(3)]


@compiled
def gather(
    low_part: int,
    high_part: int,
    found: Found,
    tables: Arrays,
    before: Level,
    level: Level,
    moved_numbers: Any,
    moved_bits: Any,
    readers: Any,
    parents: Any,
    steps: Any,
    order: Any,
    spare: Any,
    starts: Any,
) -> None:
    """Write what was found in some parts to its places in a level, in ascending order.

    Args:
        before: the level that it was found from.
        moved_numbers: runs of bits that lead from rows of ``before`` to those of
            ``level``, and so does ``moved_bits`` for disabled bits.
        readers: for each column the instances that ever read it, as bits of ``level``.
        parents: of the states of ``level``, and so are ``steps``.
        order: room for all places of a part, and so is ``spare``.
        starts: as for `order_of`.
    """
    counts, sources = found.counts, found.sources
    leaves, operations, lookups = tables.leaves, tables.operations, tables.lookups
    words, fields, disabled = before.rows.words, before.rows.fields, before.disabled
    new_words, new_fields = level.rows.words, level.rows.fields
    new_disabled = level.disabled
    size, old_width = uint64(words.shape[1]), uint64(disabled.shape[1])
    width = uint64(new_disabled.shape[1])
    have_same_fields = True
    for column in range(fields.shape[0]):
        have_same_fields &= fields[column] == new_fields[column]
    room = found.fingerprints.shape[0] // counts.shape[0]
    is_large = lookups.shape[0] > LARGE
    to = NONE
    for part in range(low_part):
        to += uint64(counts[part])
    for part in range(low_part, high_part):
        first = uint64(part * room)
        count = counts[part]
        order_of(found.fingerprints, first, count, order, spare, starts)
        for place in range(count):
            if place + AHEAD < count:
                ahead = uint64(sources[first + uint64(order[uint64(place + AHEAD)])])
                prefetch(words, int64(ahead * size))
                prefetch(words, int64(ahead * size + size - ONE))
                if old_width != NONE:
                    prefetch(disabled, int64(ahead * old_width))
                    prefetch(disabled, int64(ahead * old_width + old_width - ONE))
            if is_large and place + SOON < count:
                at = first + uint64(order[uint64(place + SOON)])
                leaf, source = uint64(found.indices[at]), uint64(sources[at])
                _ask_for_numbers(tables, before.rows, source, leaf)
            at = first + uint64(order[uint64(place)])
            source = uint64(sources[at])
            if have_same_fields:
                for word in range(size):
                    new_words[to, word] = words[source, word]
            else:
                _move_bits(words, source, moved_numbers, new_words, to)
            _move_bits(disabled, source, moved_bits, new_disabled, to)
            leaf = uint64(found.indices[at])
            for write in range(uint64(leaves[leaf + uint64(2)])):
                spot = leaf + uint64(3) + uint64(2) * write
                column = uint64(leaves[spot])
                new = int64(leaves[spot + ONE])
                field = fields[column]
                old = number_in(words[source, word_of(field)], field)
                if new < 0:
                    start = uint64(operations[uint64(-1 - new)])
                    new = int64(lookups[start + uint64(old)])
                if new != int64(old):
                    field = new_fields[column]
                    word = word_of(field)
                    new_words[to, word] = with_number(new_words[to, word], field, new)
                    for word in range(width):
                        new_disabled[to, word] &= ~readers[column, word]
            level.fingerprints[to] = found.fingerprints[at]
            level.constrained[to] = 0
            parents[to] = source
            steps[to] = leaves[leaf]
            to += ONE
