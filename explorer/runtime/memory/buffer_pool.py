"""Buffers that are used again: memory that the system gives anew is slow to touch."""

from __future__ import annotations

import mmap
from math import prod
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from replicheck.explorer.runtime.memory.growable_memory import HUGE_PAGE, own_memory

Buffer = npt.NDArray[np.uint8]
Kind = tuple[str, tuple[int, ...]]

SLACK = 2
"""A new buffer has room for so many times as much; untouched, it costs nothing."""
LEAST = 1 << 16
"""Bytes of a buffer."""


class BufferPool:
    """Memory of arrays that were given back, for arrays of the same kind."""

    def __init__(self) -> None:
        self._free: dict[Kind, list[Buffer]] = {}
        self._own: WeakValueDictionary[int, Buffer] = WeakValueDictionary()

    def take(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """An array, its content undefined.

        Raises:
            MemoryError: if the system has none.
        """
        size = prod(shape) * np.dtype(dtype).itemsize
        free = self._free.setdefault(_kind(shape, dtype), [])
        fitting = [candidate for candidate in free if size <= candidate.nbytes]
        if fitting:
            buffer = min(fitting, key=len)
            free[:] = [candidate for candidate in free if candidate is not buffer]
        else:
            free.clear()
            # From the system itself: NumPy would have huge pages for the slack, too.
            memory = own_memory(max(LEAST, SLACK * size))
            buffer = np.frombuffer(memory, np.uint8)
            self._own[id(buffer)] = buffer
        _touch_only(buffer, size)
        return buffer[:size].view(dtype).reshape(shape)

    def give(self, *arrays: npt.NDArray[Any]) -> None:
        """Take arrays back that nothing uses any more; leave alone what is no buffer's.

        A buffer whose arrays are never given back is freed with them.
        """
        for array in arrays:
            buffer = self._own.get(id(array.base))
            if buffer is not None:
                free = self._free.setdefault(_kind(array.shape, array.dtype), [])
                free.append(buffer)

    def forget(self) -> None:
        """Give the memory of what was given back to the system."""
        self._free.clear()


def _touch_only(buffer: Buffer, size: int) -> None:
    """Have huge pages for so many bytes, and give the pages behind them back."""
    view: Any = buffer.base
    memory: mmap.mmap = view.obj
    whole = size - size % HUGE_PAGE
    if whole and hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE, 0, whole)
    behind = whole + HUGE_PAGE
    if behind < len(memory) and hasattr(mmap, "MADV_DONTNEED"):
        memory.madvise(mmap.MADV_DONTNEED, behind)


def _kind(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Kind:
    return np.dtype(dtype).str, shape[1:]
