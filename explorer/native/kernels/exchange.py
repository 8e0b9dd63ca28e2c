"""What processes exchange: rows in other numbers, and states seen before."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import FIELD_BITS, PackedRows
from replicheck.explorer.native.kernels.numba_support import NONE, compiled, inlined
from replicheck.explorer.native.kernels.row_fields import PART, number_in, word_of

WINDOW = 8
"""Fingerprints of a run that are compared at once."""
LONG = 16
"""A run so many times as long as the fingerprints is searched, not walked through."""


@compiled
def unpack_renumbered(rows: PackedRows, first: Any, numbers: Any, into: Any) -> None:
    """Write packed rows as plain ones in other numbers.

    That of ``n`` is ``numbers[first[column] + n]``.
    """
    words, fields = rows.words, rows.fields
    for number in range(words.shape[0]):
        state = uint64(number)
        for place in range(fields.shape[0]):
            column = uint64(place)
            field = fields[column]
            old = number_in(words[state, word_of(field)], field)
            into[state, column] = numbers[uint64(first[column]) + old]


@compiled
def pack_renumbered(rows: Any, first: Any, numbers: Any, into: PackedRows) -> None:
    """Write plain rows as packed ones in other numbers, as `unpack_renumbered` does."""
    words, fields = into.words, into.fields
    for number in range(words.shape[0]):
        state = uint64(number)
        for word in range(words.shape[1]):
            words[state, uint64(word)] = NONE
        for place in range(fields.shape[0]):
            column = uint64(place)
            field = uint64(fields[column])
            new = uint64(numbers[uint64(first[column]) + uint64(rows[state, column])])
            shift = field >> uint64(FIELD_BITS) & PART
            words[state, word_of(field)] |= new << shift


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
