"""A broker's disks: its log directories, which outlive its processes."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import DirectoryId


@frozen
class BrokerDisks:
    """The log directories of a broker, and the one in which its replica lies.

    ``configured`` are those of log.dirs. A disk that has ``failed`` never comes back.

    Source: LogManager.
    """

    configured: frozenset[DirectoryId]
    failed: frozenset[DirectoryId] = frozenset()
    used: DirectoryId = DirectoryId(0)

    @property
    def live(self) -> frozenset[DirectoryId]:
        """The directories that can be opened."""
        return self.configured - self.failed

    @property
    def has_live(self) -> bool:
        """Tell whether any directory can be opened."""
        return not self.configured <= self.failed

    @property
    def has_offline(self) -> bool:
        """Tell whether a directory is configured that cannot be opened."""
        return not self.configured.isdisjoint(self.failed)

    def emptiest(self, occupied: DirectoryId | None) -> DirectoryId:
        """The live directory with the fewest logs, the first one of several.

        The ``occupied`` one has a log, and no other has.

        Source: LogManager.nextLogDirs.
        """
        return min(self.live, key=lambda directory: (directory == occupied, directory))

    def has_log(self) -> bool:
        """Tell whether the log of the replica can be opened."""
        return self.used in self.configured and self.used not in self.failed

    def has_lost_log(self) -> bool:
        """Tell whether the replica lies on a disk that is configured, and dead."""
        return self.used in self.configured and self.used in self.failed

    def is_usable(self, directory: DirectoryId) -> bool:
        """Tell whether a directory can be opened."""
        return directory in self.configured and directory not in self.failed

    def can_be_removed(self, directory: DirectoryId) -> bool:
        """Tell whether a directory is configured, and dead."""
        return directory in self.configured and directory in self.failed

    def fail(self, directory: DirectoryId) -> Self:
        """The disks, of which one more is dead."""
        return evolve(self, failed=self.failed | {directory})

    def remove(self, directory: DirectoryId) -> Self:
        """The disks without one, which is not in log.dirs any more."""
        return evolve(self, configured=self.configured - {directory})

    def use(self, directory: DirectoryId) -> Self:
        """The disks, the replica lying in another directory."""
        return evolve(self, used=directory)
