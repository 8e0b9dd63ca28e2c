"""Node hashes: the stable hashes of sequences, each from that of the one before it."""

from __future__ import annotations

import numpy as np

from replicheck.explorer.native.kernels.arrays import Numbers, U64Array
from replicheck.explorer.native.kernels.sequence_arrays import NODES, TreeArrays
from replicheck.explorer.states.fingerprint import (
    FIRST_MULTIPLIER,
    GOLDEN,
    SECOND_MULTIPLIER,
    Hasher,
)


class NodeHashes:
    """The hashes of the nodes of one tree, worked out once for each."""

    def __init__(self, hasher: Hasher) -> None:
        self._start = hasher.start_of("tuple")
        self._hashes: U64Array = np.zeros(0, np.uint64)
        self._count = 0

    def of(self, nodes: Numbers, arrays: TreeArrays, elements: U64Array) -> U64Array:
        """The hashes of the sequences of some nodes.

        Args:
            elements: the hash of each element, by its number.
        """
        low, high = self._count, int(arrays.counts[NODES])
        if high > len(self._hashes):
            self._hashes = np.resize(self._hashes, 2 * high)
        hashes = self._hashes
        parents, lasts = arrays.parents[low:high], arrays.lasts[low:high]
        depths = arrays.depths[low:high]
        for depth in np.unique(depths).tolist():
            places = np.flatnonzero(depths == depth)
            if depth == 0:
                hashes[low + places] = self._start
            else:
                above = hashes[parents[places]]
                hashes[low + places] = longer(above, elements[lasts[places]], depth)
        self._count = high
        return hashes[nodes]


def longer(total: U64Array, of_element: U64Array, length: int) -> U64Array:
    """The hashes of sequences that have got so long: `Hasher.longer` of many."""
    word = (total ^ of_element) + np.uint64(GOLDEN * length & (1 << 64) - 1)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(FIRST_MULTIPLIER)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(SECOND_MULTIPLIER)
    return word ^ (word >> np.uint64(31))
