"""What processes exchange: rows in other numbers, and fingerprints seen before."""

from __future__ import annotations

from typing import Any

from numba import int64

from replicheck.explorer.native.kernels.numba_support import compiled


@compiled
def renumber(rows: Any, first: Any, numbers: Any, into: Any) -> None:
    """Write rows in other numbers: that of ``n`` is ``numbers[first[column] + n]``."""
    for state in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            into[state, column] = numbers[first[column] + int64(rows[state, column])]


@compiled
def drop_known(fingerprints: Any, run: Any, is_new: Any) -> None:
    """Mark the fingerprints that a run has as not new; both are in ascending order.

    The steps through the run double until they pass the fingerprint: a run may be as
    long as the fingerprints, or many times so long.
    """
    size = run.shape[0]
    at = 0
    for place in range(fingerprints.shape[0]):
        if is_new[place] == 0:
            continue
        fingerprint = fingerprints[place]
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
        if run[at] == fingerprint:
            is_new[place] = 0
