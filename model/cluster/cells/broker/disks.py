"""A broker's log directories, the thread that handles their failure, and the logs."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.shared.records import Log, Record
from replicheck.model.vocabulary import DirectoryId


@frozen
class PreferredDirectory:
    """Where a log is to be created, if an operator said so before it existed.

    Source: LogManager.preferredLogDirs.
    """

    directory: DirectoryId | None = None

    def allows(self, directory: DirectoryId) -> bool:
        """Tell whether the log may be created in a directory."""
        return self.directory is None or self.directory == directory

    def set(self, directory: DirectoryId) -> Self:
        """Remember what an operator said."""
        return evolve(self, directory=directory)

    def forget(self) -> Self:
        """Forget it, as the creation of the log and the end of the process do."""
        return type(self)()


class Phase(Enum):
    """How far the handler of a failed directory is."""

    REPLICAS_MARKED = "replicas are marked"
    CLOSED = "the directory is closed"
    DEAD = "the thread has ended"


@frozen
class LogDirFailureHandler:
    """The one thread of a broker that handles failed directories.

    Source: ReplicaManager.LogDirFailureHandler.
    """

    directory: DirectoryId | None = None
    phase: Phase | None = None

    def is_idle(self) -> bool:
        """Tell whether the thread can take the next directory."""
        return self.phase is None

    def has_marked_none(self) -> bool:
        """Tell whether it is not between marking and closing a directory."""
        return self.phase is not Phase.REPLICAS_MARKED

    def has_marked(self, directory: DirectoryId) -> bool:
        """Tell whether the directory's replicas are marked, and it is not closed."""
        return self.directory == directory and self.phase is Phase.REPLICAS_MARKED

    def has_closed(self) -> bool:
        """Tell whether a directory is closed, and the controller not notified."""
        return self.phase is Phase.CLOSED

    def mark(self, directory: DirectoryId) -> Self:
        """Remember the directory whose replicas are marked."""
        return evolve(self, directory=directory, phase=Phase.REPLICAS_MARKED)

    def close(self) -> Self:
        """Remember that a directory is closed."""
        return evolve(self, directory=None, phase=Phase.CLOSED)

    def is_dead(self) -> bool:
        """Tell whether no failure is handled any more."""
        return self.phase is Phase.DEAD

    def die(self) -> Self:
        """End the thread, for as long as the process lives."""
        return evolve(self, directory=None, phase=Phase.DEAD)

    def finish(self) -> Self:
        """Be ready for the next directory."""
        return type(self)()


@frozen
class StoredLog(Log):
    """The partition's log in one directory of one broker, if there is one."""

    exists: bool = False

    def has_records(self) -> bool:
        """Tell whether there is any record."""
        return len(self.records) > 0

    def matches(self, records: tuple[Record, ...]) -> bool:
        """Tell whether both are alike below every offset with one epoch in both."""
        common = zip(self.records, records, strict=False)
        agreed = [
            offset
            for offset, (own, other_record) in enumerate(common, start=1)
            if own.epoch == other_record.epoch
        ]
        end = max(agreed, default=0)
        return self.records[:end] == records[:end]

    def create(self) -> Self:
        """Create an empty log."""
        return evolve(self, exists=True, records=())

    def delete(self) -> Self:
        """Lose the log."""
        return type(self)()
