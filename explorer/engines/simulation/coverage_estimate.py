"""Coverage estimate: how many states walks saw, and how many of them only once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.native.kernels.arrays import MOST_SEEN
from replicheck.explorer.native.library import count_states

FIRST_SIZE = 1 << 16
PIECE = FIRST_SIZE // 4
FULLEST = 0.7
"""Share of the slots that may be taken."""
MOST_SLOTS = 1 << 26
"""Nine bytes each; beyond, only every second state is counted, then every fourth."""


@frozen
class Seen:
    """Counts of distinct states that were seen, exactly or about.

    ``visits`` are all, each state as often as it was seen. ``once`` and ``twice`` are
    the numbers of states that were seen so often.
    """

    visits: int
    distinct: int
    once: int
    twice: int
    is_exact: bool

    @property
    def covered(self) -> float:
        """The share of further visits that would meet no new state.

        It is Good and Turing's estimate, for visits by such walks as these: one minus
        the share of the visits that met a state for the first and only time.
        """
        return 1 - self.once / self.visits if self.visits else 0.0

    @property
    def at_least(self) -> int:
        """Chao's estimate of a lower bound on the number of states."""
        unseen = self.once * (self.once - 1) // (2 * (self.twice + 1))
        return self.distinct + unseen


class CoverageEstimate:
    """Counts the states at hand, by their fingerprints."""

    def __init__(self, most_slots: int = MOST_SLOTS) -> None:
        self.most_slots = most_slots
        self.visits = 0
        self._shift = 0
        self._count = 0
        self._table = np.zeros(FIRST_SIZE, np.uint64)
        self._seen = np.zeros(FIRST_SIZE, np.uint8)

    def add(self, fingerprints: npt.NDArray[np.uint64]) -> None:
        """Count a visit of each state."""
        self.visits += len(fingerprints)
        for start in range(0, len(fingerprints), PIECE):
            self._add(fingerprints[start : start + PIECE])

    def _add(self, fingerprints: npt.NDArray[np.uint64]) -> None:
        while self._count + len(fingerprints) > FULLEST * len(self._table):
            if 2 * len(self._table) > self.most_slots:
                self._shift += 1
            self._rebuild(min(2 * len(self._table), self.most_slots))
        self._count += count_states(fingerprints, self._mask, self._table, self._seen)

    @property
    def distinct(self) -> int:
        """Number of distinct states that were seen, exactly or about."""
        return self._count << self._shift

    @property
    def seen(self) -> Seen:
        """The counts so far."""
        often = np.bincount(self._seen, minlength=MOST_SEEN + 1) << self._shift
        once, twice = int(often[1]), int(often[2])
        return Seen(self.visits, self.distinct, once, twice, self._shift == 0)

    @property
    def _mask(self) -> int:
        return (1 << self._shift) - 1

    def _rebuild(self, size: int) -> None:
        """Move what still counts to a table of this size."""
        table, seen = self._table, self._seen
        self._table = np.zeros(size, np.uint64)
        self._seen = np.zeros(size, np.uint8)
        self._count = 0
        for times in range(MOST_SEEN, 0, -1):
            fingerprints = table[(table != 0) & (seen >= times)]
            self._count += count_states(
                fingerprints, self._mask, self._table, self._seen
            )
