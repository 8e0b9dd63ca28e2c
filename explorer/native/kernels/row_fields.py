"""Fields of packed rows: where in its word the number of a column is."""

from __future__ import annotations

from typing import Any

from numba import uint64

from replicheck.explorer.native.kernels.arrays import FIELD_BITS, PackedRows
from replicheck.explorer.native.kernels.numba_support import (
    ONE,
    compiled,
    inlined,
)

PART = uint64((1 << FIELD_BITS) - 1)


@inlined
def word_of(field: Any) -> Any:
    """The word of a row in which a field is."""
    return uint64(field) >> uint64(2 * FIELD_BITS)


@inlined
def number_in(word: Any, field: Any) -> Any:
    """The number in a field of a word."""
    mask = (ONE << (uint64(field) & PART)) - ONE
    return (word >> (uint64(field) >> uint64(FIELD_BITS) & PART)) & mask


@inlined
def with_number(word: Any, field: Any, number: Any) -> Any:
    """The word with another number in a field."""
    shift = uint64(field) >> uint64(FIELD_BITS) & PART
    mask = ((ONE << (uint64(field) & PART)) - ONE) << shift
    return (word & ~mask) | (uint64(number) << shift)


@compiled
def _unpack(words: Any, shift: Any, mask: Any, count: int, numbers: Any) -> None:
    """Write the numbers that some words have at one place."""
    for index in range(count):
        numbers[index] = (words[index] >> shift) & mask


@compiled
def unpack_block(
    rows: PackedRows, start: int, count: int, fixed: Any, transposed: Any, values: Any
) -> None:
    """Write the numbers of some states from ``start`` on, column by column.

    Args:
        fixed: tells of which columns the numbers are there already.
        transposed: room for the words of the rows, word by word: the compiler makes
            vector instructions of loops over neighbours.
    """
    words, fields = rows.words, rows.fields
    for index in range(count):
        for word in range(words.shape[1]):
            transposed[uint64(word), uint64(index)] = words[
                uint64(start) + uint64(index), uint64(word)
            ]
    for column in range(fields.shape[0]):
        if fixed[column] != 0:
            continue
        field = uint64(fields[column])
        mask = (ONE << (field & PART)) - ONE
        shift = field >> uint64(FIELD_BITS) & PART
        _unpack(transposed[word_of(field)], shift, mask, count, values[column])


@compiled
def unpack_fixed(rows: PackedRows, state: Any, fixed: Any, values: Any) -> None:
    """Write the numbers that a state has in fixed columns to all places of a block."""
    words, fields = rows.words, rows.fields
    for column in range(fields.shape[0]):
        if fixed[column] != 0:
            field = fields[column]
            values[column] = number_in(words[state, word_of(field)], field)


@compiled
def unpack_state(rows: PackedRows, state: Any, index: Any, values: Any) -> None:
    """Write the numbers of one state."""
    words, fields = rows.words, rows.fields
    for column in range(fields.shape[0]):
        field = fields[uint64(column)]
        packed = words[state, word_of(field)]
        values[uint64(column), index] = number_in(packed, field)
