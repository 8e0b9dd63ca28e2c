"""Journals: files of numbers that only grow, with a checksum of all that they hold."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.runtime.digest import new_digest

PIECE = 1 << 24
"""Bytes that are read at once."""


class Journal:
    """One file of numbers of one type. What follows the first ``count`` is no part."""

    def __init__(self, path: Path, dtype: npt.DTypeLike) -> None:
        self.path = path
        self.dtype = np.dtype(dtype)
        self.count = 0
        self._digest = new_digest()
        self._file = path.open("w+b")
        self.mark()

    @classmethod
    def reopen(
        cls, path: Path, dtype: npt.DTypeLike, count: int, checksum: str
    ) -> Self:
        """The journal in a file; its first numbers must be as they were.

        Raises:
            CheckpointError: if they are not.
        """
        journal = cls.__new__(cls)
        journal.path, journal.dtype, journal.count = path, np.dtype(dtype), count
        journal._digest = new_digest()
        try:
            journal._file = path.open("r+b")
        except OSError as error:
            raise CheckpointError(f"{path} cannot be opened: {error}") from error
        remaining = journal.bytes
        while remaining:
            piece = journal._file.read(min(PIECE, remaining))
            if not piece:
                raise CheckpointError(
                    f"{path} has {journal.bytes - remaining:,} bytes, expected"
                    f" {journal.bytes:,}: it was cut off after it was written"
                )
            journal._digest.update(piece)
            remaining -= len(piece)
        if journal.checksum != checksum:
            raise CheckpointError(
                f"{path} has the checksum {journal.checksum}, expected {checksum}: it"
                " was changed after it was written"
            )
        journal.mark()
        return journal

    @property
    def bytes(self) -> int:
        """The length of what it holds."""
        return self.count * self.dtype.itemsize

    @property
    def checksum(self) -> str:
        """The checksum of all that it holds."""
        return self._digest.hexdigest()

    def append(self, numbers: npt.NDArray[Any]) -> None:
        """Write numbers behind the last ones.

        Raises:
            OSError: if the disk is full; then it holds what it held before.
        """
        if not len(numbers):
            return
        content = np.ascontiguousarray(numbers, self.dtype).data.cast("B")
        self._file.seek(self.bytes)
        self._file.write(content)
        self._file.flush()
        self._digest.update(content)
        self.count += len(numbers)

    def mark(self) -> int:
        """Make this the place to go back to; return how many numbers there are."""
        self._marked = self.count, self._digest.copy()
        return self.count

    def roll_back(self) -> None:
        """Forget what was appended since the last mark."""
        self.count, self._digest = self._marked[0], self._marked[1].copy()

    def sync(self) -> None:
        """Wait until everything is on the disk."""
        os.fsync(self._file.fileno())

    def at(self, place: int) -> int:
        """One number."""
        size = self.dtype.itemsize
        content = os.pread(self._file.fileno(), size, place * size)
        return int(np.frombuffer(content, self.dtype)[0])

    def mapped(self) -> npt.NDArray[Any]:
        """All numbers so far, for reading, without taking memory for them."""
        if self.count == 0:
            return np.empty(0, self.dtype)
        # To write into a private copy is allowed, so that kernels take it as any array.
        return np.asarray(np.memmap(self.path, self.dtype, "c", shape=(self.count,)))

    def close(self) -> None:
        """Close the file, which stays.

        What a full disk did not take in `append` is no part of it, and must not cost
        the report of a search that ends.
        """
        with suppress(OSError):
            self._file.close()
