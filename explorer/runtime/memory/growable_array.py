"""Arrays that grow at their end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int32]


MOST = (1 << 31) - 1
"""Entries at most: a number of an array tells the place of one."""


class GrowableArray:
    """An array of numbers that grows at its end."""

    def __init__(self, size: int, *width: int) -> None:
        """Begin with nothing, and room for so many entries.

        Raises:
            MemoryError: if they have no place.
        """
        _require_places(size)
        self.array: Numbers = np.zeros((size, *width), np.int32)
        self.entries = self.array.reshape(-1).data
        """The same numbers, one after the other; Python is faster with one here."""
        self.used = 0

    def take(self, count: int) -> int:
        """The start of ``count`` new entries, which are zero.

        Raises:
            MemoryError: if they have no place.
        """
        _require_places(self.used + count)
        start = self.used
        size = self.size_with(count)
        self.used += count
        if size > len(self.array):
            larger = np.zeros((size, *self.array.shape[1:]), np.int32)
            larger[:start] = self.array[:start]
            self.array, self.entries = larger, larger.reshape(-1).data
        return start

    def extend(self, numbers: Sequence[int]) -> None:
        """Add entries of one number each."""
        start = self.take(len(numbers))
        self.array[start : self.used] = numbers

    def size_with(self, count: int) -> int:
        """The size of the array once it has ``count`` more entries."""
        size = len(self.array)
        while self.used + count > size:
            size *= 2
        return size


def _require_places(count: int) -> None:
    if count > MOST:
        raise MemoryError("there is no place for what is learned")
