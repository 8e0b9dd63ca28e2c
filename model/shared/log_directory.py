"""A log directory of a broker."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen


class Status(Enum):
    """What a directory is: good; failing with errors not handled yet; offline."""

    GOOD = "good"
    FAILING = "failing"
    OFFLINE = "offline"


@frozen
class LogDirectory:
    """One log directory. Only a new process finds an offline one good again.

    Rules: B-DIR-1.  Source: LogManager, LogDirFailureChannel.
    """

    status: Status = Status.GOOD

    def is_good(self) -> bool:
        """Tell whether every access succeeds."""
        return self.status is Status.GOOD

    def is_failing(self) -> bool:
        """Tell whether accesses can fail, and the broker has not dealt with it."""
        return self.status is Status.FAILING

    def is_offline(self) -> bool:
        """Tell whether the broker does not use it any more."""
        return self.status is Status.OFFLINE

    def fail(self) -> Self:
        """Let accesses fail from now on."""
        return evolve(self, status=Status.FAILING)

    def go_offline(self) -> Self:
        """Stop using it."""
        return evolve(self, status=Status.OFFLINE)

    def stop(self) -> Self:
        """The process ends: one that fails is found offline by the next process."""
        return self.go_offline() if self.is_failing() else self

    def replace(self) -> Self:
        """Put a good disk in its place."""
        return evolve(self, status=Status.GOOD)
