"""Keeping: when a search writes checkpoints, and what becomes of the last one."""

from __future__ import annotations

import time
from collections.abc import Mapping

from replicheck.explorer import checkpoint
from replicheck.explorer.archive import Archive
from replicheck.explorer.arrays import PARTS
from replicheck.explorer.checkpoint import Checkpoint
from replicheck.explorer.keep import Keep
from replicheck.explorer.levels import NextLevel
from replicheck.explorer.path import Path
from replicheck.explorer.visited import Visited

PAUSE = 20
"""After a checkpoint comes none for so many times as long as it took."""


class Keeper:
    """Keeps the checkpoint of one search."""

    def __init__(
        self, keep: Keep, identity: Mapping[str, str], archive: Archive | None = None
    ) -> None:
        self.keep, self.identity, self.archive = keep, identity, archive
        self._next = time.monotonic() + keep.every

    @property
    def is_due(self) -> bool:
        """Tell whether it is time for a checkpoint."""
        return time.monotonic() >= self._next

    def begin(self, visited: Visited, path: Path, found: NextLevel | None) -> Archive:
        """Begin the archive with all complete levels, if there is none yet.

        Args:
            found: what the level at work has found, which is in the visited set too.

        Raises:
            OSError: if the disk is full, or the folder cannot be written.
        """
        if self.archive is not None:
            return self.archive
        self.keep.prepare()
        checkpoint.remove(self.keep.folder)
        archive = Archive.begin(self.keep.folder)
        for part in range(PARTS):
            fresh = None if found is None else found.prints(part)
            archive.extend(prints=visited.settled(part, fresh))
        archive.end_run()
        path.move_to(archive)
        self.archive = archive
        return archive

    def write(self, content: Checkpoint) -> None:
        """Write a checkpoint of the search whose archive has begun.

        Raises:
            OSError: if the disk is full, or the folder cannot be written.
        """
        assert self.archive is not None, "the archive has not begun"
        started = time.monotonic()
        self.archive.roll_back()
        folder, recipe = self.keep.folder, self.keep.recipe
        checkpoint.write(folder, content, self.archive, self.identity, recipe)
        ended = time.monotonic()
        if self.keep.every:
            self._next = ended + max(self.keep.every, PAUSE * (ended - started))

    def remove(self) -> None:
        """Remove the checkpoint of a search that has ended."""
        if self.archive is not None:
            self.archive.close()
        checkpoint.remove(self.keep.folder)

    def close(self) -> None:
        """Leave the checkpoint to a later process."""
        if self.archive is not None:
            self.archive.close()
