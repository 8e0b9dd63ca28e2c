"""Bit choice: of which instances levels have bits, by what walks of a few states find.

An instance that a single value of a state disables is not walked in any case. So what
a state has to inherit is what walks alone find out: 44 of 356 instances in a large
level of a model with queues. Levels have bits of these, and no others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from replicheck.explorer.native.disabled_bits import NO_PLACE, bits_at
from replicheck.explorer.native.kernels.arrays import WORD_BITS, DisabledBits, Indices

LEAST_WALKS = 1 / 4
"""Walks that a word of bits has to spare in a state."""


def bits_of_walks(walks: npt.NDArray[np.float64]) -> DisabledBits:
    """Bits of the instances that walks find disabled most often.

    Args:
        walks: of each instance how many find it disabled in a state, on average.
    """
    by_walks = np.argsort(-walks, kind="stable")
    by_walks = by_walks[walks[by_walks] > 0]
    room = 0
    while walks[by_walks[room : room + WORD_BITS]].sum() > LEAST_WALKS:
        room += WORD_BITS
    kept = _with_small_gaps(np.sort(by_walks[:room]))
    places = np.full(len(walks), NO_PLACE, np.int32)
    places[kept] = np.arange(len(kept))
    return bits_at(places)


def _with_small_gaps(instances: Indices) -> Indices:
    """Instances, with those between them for which the last word has room.

    The kernels take neighbours together, so fewer gaps take less time.
    """
    room, kept = -len(instances) % WORD_BITS, [instances]
    gaps = np.diff(instances) - 1
    for gap in np.argsort(gaps, kind="stable").tolist():
        room -= int(gaps[gap])
        if room < 0:
            break
        kept.append(np.arange(instances[gap] + 1, instances[gap + 1]))
    return np.sort(np.concatenate(kept))
