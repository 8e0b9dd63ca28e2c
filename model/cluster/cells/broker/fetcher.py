"""What a broker process has in memory of one replica."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import BrokerId, Epoch


class Progress(Enum):
    """What a fetcher does with the partition."""

    IDLE = "no fetcher"
    TRUNCATING = "Truncating"
    FETCHING = "Fetching"


@frozen
class Fetcher:
    """The partition in a replica fetcher thread, if it is in one.

    Source: AbstractFetcherThread.PartitionFetchState.
    """

    progress: Progress = Progress.IDLE
    leader: BrokerId | None = None
    epoch: Epoch | None = None

    def is_idle(self) -> bool:
        """Tell whether no thread fetches the partition."""
        return self.progress is Progress.IDLE

    def truncates_to(self, leader: BrokerId) -> bool:
        """Tell whether the log is to be cut to agree with a leader's."""
        return self.progress is Progress.TRUNCATING and self.leader == leader

    def fetches_from(self, leader: BrokerId) -> bool:
        """Tell whether records are fetched from a leader."""
        return self.progress is Progress.FETCHING and self.leader == leader

    def is_of(self, leader: BrokerId | None, epoch: Epoch | None) -> bool:
        """Tell whether it is for a leader and its epoch."""
        return self.leader == leader and self.epoch == epoch

    def start(self, leader: BrokerId, epoch: Epoch) -> Self:
        """Fetch from a leader, which begins with cutting the log."""
        return type(self)(Progress.TRUNCATING, leader, epoch)

    def truncated(self) -> Self:
        """Go on with fetching."""
        return evolve(self, progress=Progress.FETCHING)

    def stop(self) -> Self:
        """Take the partition out of its thread."""
        return type(self)()
