"""Memory that grows where it is: what was touched once is not given anew."""

from __future__ import annotations

import mmap

import numpy as np
import numpy.typing as npt

OWN = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
"""Memory that is not shared with other processes is faster to touch."""
HUGE_PAGE = 1 << 21
WORD = 8


class GrowableMemory:
    """Some words of memory, zeros at first, as many behind them as are asked for."""

    def __init__(self, count: int) -> None:
        self._memory = mmap.mmap(-1, count * WORD, flags=OWN)

    @property
    def words(self) -> npt.NDArray[np.uint64]:
        """The words; nothing may hold on to them when the memory grows."""
        return np.frombuffer(self._memory, np.uint64)

    @property
    def address(self) -> int:
        """Address of the words until the memory grows."""
        return int(self.words.__array_interface__["data"][0])

    @property
    def size(self) -> int:
        """The bytes of the memory."""
        return len(self._memory)

    def grow(self, count: int) -> None:
        """Have so many words; those that are new are zeros."""
        try:
            self._memory.resize(count * WORD)
        except SystemError:  # this system cannot have memory grow
            old, self._memory = self._memory, mmap.mmap(-1, count * WORD, flags=OWN)
            self._memory[: len(old)] = old[:]
        if self.size >= 2 * HUGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE"):
            self._memory.madvise(mmap.MADV_HUGEPAGE)
