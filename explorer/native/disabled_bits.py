"""Disabled bits: at which places a level has bits of which instances."""

from __future__ import annotations

import numpy as np

from replicheck.explorer.native.kernels.arrays import (
    DisabledBits,
    Indices,
    Numbers,
    U64Array,
)

WORD_BITS = 64
NO_PLACE = -1


def bits_of_all(instances: int) -> DisabledBits:
    """A bit of each instance, as in a bit set of all instances."""
    return bits_at(np.arange(instances, dtype=np.int32))


def bits_at(places: Numbers) -> DisabledBits:
    """Bits at the places of instances that have one.

    Args:
        places: of each instance, negative where it has none; no two are the same.
    """
    kept = np.flatnonzero(places >= 0)
    return DisabledBits(places, _runs(kept, places[kept]))


def moved_bits(before: DisabledBits, after: DisabledBits) -> U64Array:
    """Runs, as in `DisabledBits`, from the bits of one level to those of another."""
    both = np.flatnonzero((before.places >= 0) & (after.places >= 0))
    both = both[np.argsort(before.places[both])]
    return _runs(before.places[both], after.places[both])


def width_of(bits: DisabledBits) -> int:
    """The words that a state has for its bits."""
    last = int(bits.places.max(initial=NO_PLACE))
    return last // WORD_BITS + 1


def sets_of_bits(bits: DisabledBits, sets: U64Array) -> U64Array:
    """Bit sets of all instances as sets of the bits that a level has.

    Args:
        sets: ``sets[i, word]``, one in each line.
    """
    found = np.zeros((len(sets), width_of(bits)), np.uint64)
    for word, low, to, to_low, ones in bits.runs:
        found[:, to] |= ((sets[:, word] >> low) & ones) << to_low
    return found


def _runs(places: Indices | Numbers, to: Indices | Numbers) -> U64Array:
    """Runs of neighbours, in one word each, that are neighbours in one word again."""
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
