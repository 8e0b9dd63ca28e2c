"""Memory that grows where it is: what was touched once is not given anew."""

from __future__ import annotations

import errno
import mmap
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

OWN = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
"""Memory that is not shared with other processes is faster to touch."""
HUGE_PAGE = 1 << 21
WORD = 8


def own_memory(size: int) -> mmap.mmap:
    """So many bytes from the system, zeros at first.

    Raises:
        MemoryError: if the system has none.
    """
    with _as_memory_error():
        return mmap.mmap(-1, size, flags=OWN)


@contextmanager
def _as_memory_error() -> Iterator[None]:
    """Raise `MemoryError` where the system says that it has no memory."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        raise MemoryError from error


class GrowableMemory:
    """Some words of memory, zeros at first, as many behind them as are asked for."""

    def __init__(self, count: int) -> None:
        self._memory = own_memory(count * WORD)

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
        """Have so many words; those that are new are zeros.

        Raises:
            MemoryError: if the system has none.
        """
        try:
            with _as_memory_error():
                self._memory.resize(count * WORD)
        except SystemError:  # this system cannot have memory grow
            old, self._memory = self._memory, own_memory(count * WORD)
            self._memory[: len(old)] = old[:]
        if self.size >= 2 * HUGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE"):
            self._memory.madvise(mmap.MADV_HUGEPAGE)
