"""What processes exchange: rows in other numbers, and states seen before."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import BLOCK, FIELD_BITS, PackedRows
from replicheck.explorer.native.kernels.numba_support import NONE, compiled, inlined
from replicheck.explorer.native.kernels.row_fields import PART, number_in, word_of

WINDOW = 8
"""Fingerprints of a run that are compared at once."""
LONG = 16
"""A run so many times as long as the fingerprints is searched, not walked through."""


@compiled
def renumber(
    rows: PackedRows, offsets: Any, first: Any, numbers: Any, into: PackedRows
) -> None:
    """Write rows in other numbers, as fields of other places and widths.

    Args:
        offsets: for each column, from where on numbers change. Those below are the
            same, and that of ``offset + n`` is ``numbers[first[column] + n]``.
    """
    fields, count = rows.fields, rows.words.shape[0]
    for start in range(0, count, BLOCK):
        end = min(start + BLOCK, count)
        into.words[start:end] = NONE
        for place in range(fields.shape[0]):
            column = uint64(place)
            field, new_field = fields[column], into.fields[column]
            base = uint64(first[column]) - uint64(offsets[column])
            change = uint64(offsets[column]), base
            _renumber_column(
                rows.words, field, change, numbers, into.words, new_field, start, end
            )


@compiled
def _renumber_column(
    words: Any,
    field: Any,
    change: Any,
    numbers: Any,
    new_words: Any,
    new_field: Any,
    start: int,
    end: int,
) -> None:
    """Add the new numbers of one column to the words of some states.

    Args:
        change: from where on numbers change, and where that of 0 would be.
    """
    offset, base = change
    word, new_word = word_of(field), word_of(new_field)
    new_shift = uint64(new_field) >> uint64(FIELD_BITS) & PART
    for index in range(start, end):
        state = uint64(index)
        number = number_in(words[state, word], field)
        if number >= offset:
            number = uint64(numbers[base + number])
        new_words[state, new_word] |= number << new_shift


@inlined
def _are_equal(keys: Any, place: Any, known_keys: Any, known: Any) -> Any:
    """Tell whether two keys are equal."""
    for word in range(keys.shape[1]):
        if keys[place, word] != known_keys[known, word]:
            return False
    return True


@compiled
def drop_repeated(fingerprints: Any, keys: Any, is_new: Any) -> None:
    """Mark the states that are there before as not new.

    Fingerprints are in ascending order; ``keys[i]`` is that of ``fingerprints[i]``.
    """
    for place in range(1, fingerprints.shape[0]):
        before = place - 1
        while before >= 0 and fingerprints[before] == fingerprints[place]:
            if _are_equal(keys, place, keys, before):
                is_new[place] = 0
                break
            before -= 1


@compiled
def drop_known(
    fingerprints: Any, keys: Any, run: Any, keys_of_run: Any, is_new: Any
) -> None:
    """Mark the states that a run has as not new.

    Fingerprints of both are in ascending order; keys as in `drop_repeated`. A short run
    is walked through by windows, of which all is compared: no branch depends on where
    a fingerprint is. In a long one the steps double until they pass the fingerprint.
    """
    size = run.shape[0]
    is_short = size < LONG * fingerprints.shape[0]
    at = 0
    for place in range(fingerprints.shape[0]):
        if is_new[place] == 0:
            continue
        fingerprint = fingerprints[place]
        less = WINDOW if is_short else 0
        while less == WINDOW and at + WINDOW <= size:
            less = 0
            for ahead in range(WINDOW):
                less += int64(run[at + ahead] < fingerprint)
            at += less
        step = 1
        while at + step < size and run[at + step] < fingerprint:
            at += step
            step *= 2
        high = min(at + step, size)
        while at < high:
            middle = (at + high) // 2
            if run[middle] < fingerprint:
                at = middle + 1
            else:
                high = middle
        if at == size:
            break
        alike = at
        while alike < size and run[alike] == fingerprint:
            if _are_equal(keys, place, keys_of_run, alike):
                is_new[place] = 0
                break
            alike += 1
