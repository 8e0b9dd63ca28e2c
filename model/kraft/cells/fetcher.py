"""Fetcher threads of a broker: the answer that is late, and the cut that follows."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import BrokerId, Epoch, Offset


@frozen
class FetchAnswer:
    """The answer to a fetch, with what was asked.

    ``diverging_end`` is where the log is to be cut, or None; then there may be a
    ``record``.

    Source: FetchResponse, PartitionFetchState.
    """

    leader: BrokerId
    epoch: Epoch
    offset: Offset
    diverging_end: Offset | None
    record: Record | None
    high_watermark: Offset


@frozen
class FollowerFetcher:
    """The thread of a broker that waits for an answer, or is about to cut the log.

    A thread fetches from one leader; for another leader there is another. It fetches
    from the end of the log, but for an ``offset`` that was noted too early.

    Source: AbstractFetcherThread.
    """

    answer: FetchAnswer | None = None
    cut: FetchAnswer | None = None
    offset: Offset | None = None

    def is_busy(self, leader: BrokerId) -> bool:
        """Tell whether the thread of a leader has not finished its last fetch."""
        return any(
            pending is not None and pending.leader == leader
            for pending in (self.answer, self.cut)
        )

    def is_idle(self) -> bool:
        """Tell whether no thread has anything to finish."""
        return self.answer is None and self.cut is None

    def fetches_from(self, end: Offset) -> bool:
        """Tell whether the next fetch asks for what follows the log."""
        return self.offset is None or self.offset == end

    def wait(self, answer: FetchAnswer) -> Self:
        """The thread, whose answer is on its way."""
        return evolve(self, answer=answer)

    def collect_cut(self) -> Self:
        """The thread, which has noted where the answer says to cut."""
        return evolve(self, answer=None, cut=self.answer)

    def finish(self) -> Self:
        """The thread, which can fetch again."""
        return evolve(self, answer=None, cut=None)

    def begin_at(self, offset: Offset | None) -> Self:
        """The thread, with an offset that was noted, or from the end of the log."""
        return evolve(self, offset=offset)
