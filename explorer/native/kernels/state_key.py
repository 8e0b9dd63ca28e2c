"""State keys in the kernels; `frontier.state_keys` says what they are."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import Arrays, Known, Level
from replicheck.explorer.native.kernels.numba_support import NONE, compiled
from replicheck.explorer.native.kernels.row_fields import number_in, word_of

HALF = uint64(32)


@compiled
def identify(
    tables: Arrays, level: Level, permutations: int, source: Any, at: Any, known: Known
) -> None:
    """Work out the key of the state to which a step leads, into ``known.mine``.

    Args:
        source: the place of the state that the step leads from.
        at: the place of the step in the leaves.
    """
    row, mine = known.row, known.mine
    words, fields, leaves = level.rows.words, level.rows.fields, tables.leaves
    for column in range(row.shape[0]):
        field = fields[column]
        row[column] = number_in(words[source, word_of(field)], field)
    for write in range(leaves[at + uint64(2)]):
        column = leaves[at + uint64(3 + 2 * write)]
        new = int64(leaves[at + uint64(4 + 2 * write)])
        if new < 0:
            start = int64(tables.operations[-1 - new])
            new = int64(tables.lookups[start + int64(row[column])])
        row[column] = new
    if known.is_exact.shape[0] == 1:
        _pack(row, mine)
    else:
        mine[0] = _second(tables, permutations, row)


@compiled
def _pack(row: Any, mine: Any) -> None:
    for word in range(mine.shape[0]):
        mine[word] = row[2 * word]
        if 2 * word + 1 < row.shape[0]:
            mine[word] |= row[2 * word + 1] << HALF


@compiled
def _second(tables: Arrays, permutations: int, row: Any) -> Any:
    """The second word: 64 bits of the renaming that makes all 128 the least."""
    least, chosen = NONE, NONE
    for p in range(permutations):
        first, second = NONE, NONE
        for column in range(row.shape[0]):
            place = uint64(tables.first[column]) + row[column]
            word = tables.words[place * uint64(permutations) + uint64(p)]
            first ^= word
            word = (word ^ (word >> uint64(33))) * uint64(0xFF51AFD7ED558CCD)
            word = (word ^ (word >> uint64(33))) * uint64(0xC4CEB9FE1A85EC53)
            second ^= word ^ (word >> uint64(33))
        if p == 0 or first < least or (first == least and second < chosen):
            least, chosen = first, second
    return chosen


@compiled
def are_same(keys: Any, slot: Any, mine: Any) -> bool:
    """Tell whether the key in a slot is this one."""
    words = uint64(mine.shape[0])
    for word in range(mine.shape[0]):
        if keys[slot * words + uint64(word)] != mine[word]:
            return False
    return True
