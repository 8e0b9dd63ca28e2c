"""Runs of bits: neighbours in the words of one row that are so again in another."""

from __future__ import annotations

import numpy as np

from replicheck.explorer.native.kernels.arrays import (
    WORD_BITS,
    Indices,
    Numbers,
    U64Array,
)


def bit_places(words: Indices, lows: Indices) -> Indices:
    """The place of each bit ``lows[i]`` of word ``words[i]`` among all bits."""
    return words * WORD_BITS + lows


def bit_runs(places: Indices | Numbers, to: Indices | Numbers) -> U64Array:
    """Runs of neighbours, in one word each, that are neighbours in one word again.

    Args:
        places: of some bits, in ascending order; see `bit_places`.
        to: the place that each has in other words.

    Returns:
        of each run: word, lowest bit, word and lowest bit among the others, as many
        ones as there are bits.
    """
    is_first = (np.diff(places, prepend=-2) != 1) | (np.diff(to, prepend=-2) != 1)
    begins = np.flatnonzero(
        is_first | (places % WORD_BITS == 0) | (to % WORD_BITS == 0)
    )
    lengths = np.diff(begins, append=len(places)).tolist()
    first, first_to = places[begins], to[begins]
    return np.stack(
        [
            (first // WORD_BITS).astype(np.uint64),
            (first % WORD_BITS).astype(np.uint64),
            (first_to // WORD_BITS).astype(np.uint64),
            (first_to % WORD_BITS).astype(np.uint64),
            np.array([(1 << length) - 1 for length in lengths], np.uint64),
        ],
        axis=1,
    )


def move_runs(rows: U64Array, runs: U64Array, width: int) -> U64Array:
    """Rows of so many words that have the runs of bits of others, and no more."""
    found = np.zeros((len(rows), width), np.uint64)
    for word, low, to, to_low, ones in runs:
        found[:, to] |= ((rows[:, word] >> low) & ones) << to_low
    return found
