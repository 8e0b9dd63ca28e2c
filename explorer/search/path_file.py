"""Path files: levels of the path, moved out of memory one after the other.

A file has no name: whatever ends the process, the system takes it back. What is read of
it is mapped, so a trace reads a page or two of each level.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt

PathLevel = tuple[npt.NDArray[np.uint32], npt.NDArray[Any]]
"""The parents of a level's states, and the steps."""


def moved_to_file(levels: Sequence[PathLevel], folder: Path) -> list[PathLevel]:
    """Write levels to a file in a folder, in sequence; return them as it has them.

    Raises:
        OSError: if the disk is full, or the folder cannot be written.
    """
    arrays = [array for level in levels for array in level]
    if not any(len(array) for array in arrays):
        return list(levels)
    ends = np.cumsum([_aligned(array.nbytes) for array in arrays]).tolist()
    with TemporaryFile(dir=folder) as file:
        for array in arrays:
            array.tofile(file)
            np.zeros(_aligned(array.nbytes) - array.nbytes, np.uint8).tofile(file)
        file.flush()
        whole = np.asarray(np.memmap(file, np.uint8, "r"))
    mapped = [
        whole[end - _aligned(array.nbytes) :][: array.nbytes].view(array.dtype)
        for array, end in zip(arrays, ends, strict=True)
    ]
    return list(zip(mapped[::2], mapped[1::2], strict=True))


def _aligned(count: int) -> int:
    """So many bytes, and those up to the next word."""
    return -(-count // 8) * 8
