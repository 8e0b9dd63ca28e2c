"""Volumes: many pieces in one file, so that many buckets do not need many files."""

from __future__ import annotations

from typing import Any

from replicheck.explorer.engines.partitioned.store.store import (
    Buffers,
    Piece,
    checksum,
    fresh_name,
)


class Volume:
    """A file that is being put together; what it is made of must not change."""

    def __init__(self, folder: str, kind: str) -> None:
        """Begin a file in a folder under a name that no other attempt uses."""
        self.name = fresh_name(folder, kind)
        self.content: list[Any] = []
        self._size = 0

    def add(self, content: Buffers) -> Piece:
        """Append a piece; it counts once the file is written."""
        size = sum(memoryview(each).nbytes for each in content)
        piece = Piece(self.name, self._size, size, checksum(content))
        self.content += content
        self._size += size
        return piece
