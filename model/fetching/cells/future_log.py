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

    ``stored_high_watermark`` is in the checkpoint of its own directory; without one, in
    that of the directory in which no log of the replica is. A log that was found on
    disk is not ``is_hosted`` until a request takes its move up.

    Source: Partition.futureLog, LogManager.futureLogs.
    """

    directory: DirectoryId | None = None
    log: PartitionLog = EMPTY_LOG
    high_watermark: Offset = Offset(0)
    stored_high_watermark: Offset = Offset(0)
    is_hosted: bool = True

    def exists(self) -> bool:
        """Tell whether the replica is being moved."""
        return self.directory is not None

    def is_in(self, directory: DirectoryId) -> bool:
        """Tell whether it is in a directory."""
        return self.directory == directory

    def is_hosted_in(self, directory: DirectoryId) -> bool:
        """Tell whether it is in a directory, and a request took its move up."""
        return self.is_hosted and self.is_in(directory)

    def with_log(self, log: PartitionLog) -> Self:
        """Set its records and epochs."""
        return evolve(self, log=log)

    def with_high_watermark(self, offset: Offset) -> Self:
        """Set its high watermark."""
        return evolve(self, high_watermark=offset)

    def host(self) -> Self:
        """Be the future log of a partition that the broker hosts.

        Rules: G-HW-1.  Source: Partition.createLog.
        """
        if self.is_hosted:
            return self
        offset = self.log.nearest_to(self.stored_high_watermark)
        return evolve(self, is_hosted=True, high_watermark=offset)

    def checkpoint(self, offset: Offset) -> Self:
        """Have a high watermark on disk."""
        return evolve(self, stored_high_watermark=offset)

    def load(self) -> Self:
        """Be read by a new process, with the high watermark on disk.

        Rules: G-LOAD, G-HW-1.  Source: Log.loadSegments, Partition.createLog.
        """
        log = self.log.load()
        offset = log.nearest_to(self.stored_high_watermark)
        return evolve(self, log=log, high_watermark=offset, is_hosted=False)


NO_FUTURE_LOG = FutureLog()
