"""Checkpointer: when a search writes checkpoints, and what becomes of the last one.

A checkpoint has what the search had found when it began with a level.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from replicheck.explorer.engine import CheckpointSettings
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.frontier.visited_set import VisitedSet
from replicheck.explorer.native.kernels.arrays import PARTS, U64Array
from replicheck.explorer.runtime.folder_lock import FolderLock
from replicheck.explorer.runtime.private_files import NotPrivate
from replicheck.explorer.search.model_digest import model_digest
from replicheck.explorer.search.parent_pointers import ParentPointers

if TYPE_CHECKING:
    from replicheck.explorer.engines.breadth_first.checkpoint import Checkpoint
    from replicheck.explorer.engines.breadth_first.other_violations import (
        OthersSnapshot,
    )
    from replicheck.explorer.frontier.state_keys import KeyPrecision
    from replicheck.explorer.learning.learned_model import LearnedModel
    from replicheck.explorer.properties import Property
    from replicheck.explorer.search.bookkeeping import SearchSnapshot
    from replicheck.explorer.search.guard_coverage import SampleContent
    from replicheck.explorer.search.level_archive import LevelArchive

FoundPart = Callable[[int], tuple[U64Array, U64Array] | None]

PAUSE = 20
"""After a checkpoint comes none for so many times as long as it took."""


class LevelStart(NamedTuple):
    """What a search had found when it began with the level at work.

    ``sample`` has the rows and the fingerprints of the states in which guards are
    counted.
    """

    snapshot: SearchSnapshot
    sample: SampleContent
    others: OthersSnapshot


class Checkpointer:
    """Writes and removes the checkpoint of one search."""

    def __init__(
        self,
        keep: CheckpointSettings,
        learner: LearnedModel,
        properties: Sequence[Property],
        fingerprints: KeyPrecision,
    ) -> None:
        self.keep = keep
        self.model_digest = model_digest(learner, properties, fingerprints)
        self.archive: LevelArchive | None = None
        self._next = time.monotonic() + keep.every
        self._lock = FolderLock(keep.folder)

    @property
    def is_due(self) -> bool:
        """Tell whether it is time for a checkpoint."""
        return time.monotonic() >= self._next

    def acquire_folder(self) -> None:
        """Have the folder for this process alone, if there is one already.

        Raises:
            CheckpointError: if another process uses it, or can have written in it.
        """
        if not self.keep.folder.is_dir():
            return
        try:
            self._lock.acquire()
        except NotPrivate as error:
            raise CheckpointError(str(error)) from error
        except OSError:
            # It cannot be written, which the first checkpoint will find and report.
            return

    def make_folder(self) -> Path:
        """Make the folder, for this process alone, and return it.

        Raises:
            CheckpointError: if another process uses it.
            OSError: if it cannot be written.
        """
        self.keep.prepare()
        self._lock.acquire()
        return self.keep.folder

    def begin(
        self, visited: VisitedSet, path: ParentPointers, fresh: FoundPart
    ) -> LevelArchive:
        """Begin the archive with all complete levels, if there is none yet.

        Args:
            fresh: gives what the level at work has found of a part, and visited.

        Raises:
            CheckpointError: if another process uses the folder.
            OSError: if the disk is full, or the folder cannot be written.
        """
        if self.archive is not None:
            return self.archive
        # Imported only here, as below: a short search has no checkpoint.
        from replicheck.explorer.engines.breadth_first import checkpoint
        from replicheck.explorer.search.level_archive import LevelArchive

        folder = self.make_folder()
        checkpoint.remove(folder)
        archive = LevelArchive.begin(folder, visited.words)
        for part in range(PARTS):
            fingerprints, keys = visited.settled(part, fresh(part))
            archive.extend(fingerprints=fingerprints, keys=keys.reshape(-1))
        archive.end_run()
        path.move_to(archive)
        self.archive = archive
        return archive

    def write(self, content: Checkpoint) -> None:
        """Write a checkpoint of the search whose archive has begun.

        Raises:
            OSError: if the disk is full, or the folder cannot be written.
        """
        from replicheck.explorer.engines.breadth_first import checkpoint

        assert self.archive is not None, "the archive has not begun"
        started = time.monotonic()
        self.archive.roll_back()
        folder, recipe = self.keep.folder, self.keep.recipe
        checkpoint.write(folder, content, self.archive, self.model_digest, recipe)
        ended = time.monotonic()
        if self.keep.every:
            self._next = ended + max(self.keep.every, PAUSE * (ended - started))

    def remove(self) -> None:
        """Remove the checkpoint of a search that has ended, if there is one."""
        if self.archive is not None:
            self.archive.close()
        if self._lock.is_held:
            from replicheck.explorer.engines.breadth_first import checkpoint

            checkpoint.remove(self.keep.folder)
        self._lock.release()

    def close(self) -> None:
        """Leave the checkpoint to a later process."""
        if self.archive is not None:
            self.archive.close()
        self._lock.release()
