"""Visited levels: the fingerprints by which a reduced search tells new states."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from replicheck.explorer.native.kernels.arrays import U64Array


class VisitedFingerprints(Protocol):
    """The fingerprints of the states of all levels up to that at work."""

    def begin_level(self, fingerprints: U64Array) -> None:
        """Take note of states of the level that is to be expanded."""

    def lack(self, fingerprints: U64Array) -> npt.NDArray[np.uint8]:
        """Mark with 1 the fingerprints of states that are on none of the levels."""


class VisitedLevels:
    """Visited fingerprints of a search in one process, in ascending order."""

    def __init__(self) -> None:
        self._fingerprints: U64Array = np.zeros(0, np.uint64)

    def begin_level(self, fingerprints: U64Array) -> None:
        """Add the states of a level. See `VisitedFingerprints.begin_level`."""
        both = np.concatenate([self._fingerprints, fingerprints])
        both.sort(kind="stable")
        self._fingerprints = both

    def lack(self, fingerprints: U64Array) -> npt.NDArray[np.uint8]:
        """Mark those that no level has. See `VisitedFingerprints.lack`."""
        return absent(fingerprints, self._fingerprints).astype(np.uint8)


def absent(fingerprints: U64Array, among: U64Array) -> npt.NDArray[np.bool_]:
    """Mark the fingerprints that are not among some in ascending order."""
    if not len(among):
        return np.ones(len(fingerprints), np.bool_)
    places = np.searchsorted(among, fingerprints)
    places[places == len(among)] = 0
    marked: npt.NDArray[np.bool_] = among[places] != fingerprints
    return marked
