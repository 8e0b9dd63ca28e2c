"""A second log of a replica, in another directory, that is to replace it."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.vocabulary import DirectoryId, Offset

EMPTY_LOG = PartitionLog()


@frozen
class FutureLog:
    """Where a log moves to, and what is there; without directory there is none.

    Source: Partition.futureLog.
    """

    directory: DirectoryId | None = None
    log: PartitionLog = EMPTY_LOG
    high_watermark: Offset = Offset(0)

    def exists(self) -> bool:
        """Tell whether the replica is being moved."""
        return self.directory is not None

    def is_in(self, directory: DirectoryId) -> bool:
        """Tell whether it is in a directory."""
        return self.directory == directory

    def with_log(self, log: PartitionLog) -> Self:
        """Set its records and epochs."""
        return evolve(self, log=log)

    def with_high_watermark(self, offset: Offset) -> Self:
        """Set its high watermark."""
        return evolve(self, high_watermark=offset)

    def load(self) -> Self:
        """Be read by a new process, which finds no checkpoint.

        Rules: G-LOAD.  Source: Log.loadSegments.
        """
        log = self.log.load()
        return evolve(self, log=log, high_watermark=log.start_offset)


NO_FUTURE_LOG = FutureLog()
