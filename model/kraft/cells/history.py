"""What was acknowledged: a ghost that only properties read."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.shared.records import Log, Record
from replicheck.model.vocabulary import Epoch


@frozen
class AcknowledgedRecords:
    """A ghost: the longest prefix that was below the high watermark of a leader.

    An unclean election may lose records; then only those of the new leader count, and
    leaders of an epoch before ``since`` acknowledge nothing any more.
    """

    records: tuple[Record, ...] = ()
    since: Epoch = Epoch(0)

    def has_any(self) -> bool:
        """Tell whether a record was acknowledged that must not be lost."""
        return len(self.records) > 0

    def count(self, epoch: Epoch | None, records: tuple[Record, ...]) -> Self:
        """The history after a leader of an epoch committed a prefix."""
        if epoch is None or epoch < self.since:
            return self
        if len(records) <= len(self.records):
            return self
        return evolve(self, records=records)

    def forget(self, epoch: Epoch) -> Self:
        """The history after the topic was deleted: nothing counts any more."""
        return evolve(self, records=(), since=epoch)

    def excuse(self, epoch: Epoch, log: Log) -> Self:
        """The history after an unclean election in an epoch."""
        kept = tuple(
            own
            for own, other in zip(self.records, log.records, strict=False)
            if own == other
        )
        return evolve(self, records=kept, since=epoch)
