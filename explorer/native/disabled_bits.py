"""Disabled bits: at which places a level has bits of which instances."""

from __future__ import annotations

import numpy as np

from replicheck.explorer.native.bit_runs import bit_runs, move_runs
from replicheck.explorer.native.kernels.arrays import (
    WORD_BITS,
    DisabledBits,
    Numbers,
    U64Array,
)

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
    return DisabledBits(places, bit_runs(kept, places[kept]))


def moved_bits(before: DisabledBits, after: DisabledBits) -> U64Array:
    """Runs, as `bit_runs` has them, from the bits of one level to those of another."""
    both = np.flatnonzero((before.places >= 0) & (after.places >= 0))
    both = both[np.argsort(before.places[both])]
    return bit_runs(before.places[both], after.places[both])


def width_of(bits: DisabledBits) -> int:
    """The words that a state has for its bits."""
    last = int(bits.places.max(initial=NO_PLACE))
    return last // WORD_BITS + 1


def sets_of_bits(bits: DisabledBits, sets: U64Array) -> U64Array:
    """Bit sets of all instances as sets of the bits that a level has.

    Args:
        sets: ``sets[i, word]``, one in each line.
    """
    return move_runs(sets, bits.runs, width_of(bits))
