"""The move of a replica to another log directory of its broker (KIP-113, KIP-858)."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, field, frozen

from replicheck.model.shared.records import Log
from replicheck.model.vocabulary import DirectoryId, Offset


class Promotion(Enum):
    """How far a future log is from taking the place of the log.

    Source: ReplicaAlterLogDirsThread.ReassignmentState.
    """

    NONE = "NONE"
    QUEUED = "QUEUED"
    ACCEPTED = "ACCEPTED"


@frozen
class LogMove:
    """The future log of a replica, which outlives the process, and its thread.

    The future log lies in ``directory``, which is None if there is no future log.
    ``promotion`` is None while no thread copies to it; ``origin`` is the directory
    from which the thread copies.

    Source: ReplicaAlterLogDirsThread.PromotionState.
    """

    directory: DirectoryId | None = None
    log: Log = field(factory=Log)
    promotion: Promotion | None = None
    origin: DirectoryId | None = None

    @property
    def exists(self) -> bool:
        """Tell whether there is a future log."""
        return self.directory is not None

    @property
    def is_copied(self) -> bool:
        """Tell whether a thread copies to the future log."""
        return self.promotion is not None

    def goes_to(self, directory: DirectoryId) -> bool:
        """Tell whether the future log lies in a directory."""
        return self.directory == directory

    def has_caught_up(self, log: Log) -> bool:
        """Tell whether a thread copies to the future log, which has all of a log."""
        return self.is_copied and self.log.records == log.records

    def copy(self, log: Log) -> Self:
        """The move with one record more of a log, or cut to where the two agree."""
        end = self.log.end_offset
        if not log.starts_with(self.log.records):
            agreed = log.end_of_agreement(self.log.epochs_of_records)
            return evolve(self, log=self.log.truncate_to(agreed))
        return evolve(self, log=self.log.append(log.record_at(Offset(end))))

    def begin(self, directory: DirectoryId, origin: DirectoryId, log: Log) -> Self:
        """The move to a directory, with a future log to which nothing is copied yet."""
        return type(self)(directory, log, Promotion.NONE, origin)

    def resume(self, origin: DirectoryId) -> Self:
        """The move, taken up by a thread that has told the controller nothing."""
        return evolve(self, promotion=Promotion.NONE, origin=origin)

    def reach(self, promotion: Promotion) -> Self:
        """The move, one round nearer to its end."""
        return evolve(self, promotion=promotion)

    def stop(self) -> Self:
        """The move without a thread."""
        return evolve(self, promotion=None, origin=None)
