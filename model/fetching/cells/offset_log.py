"""A replica's log with epochs, where offsets are asked for as of a plain log."""

from __future__ import annotations

from attrs import frozen

from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.vocabulary import Epoch, Offset


@frozen
class OffsetLog(PartitionLog):
    """A log with its cache of leader epochs, in the place of a log without one.

    Models that have plain logs ask it what they ask those.
    """

    def has(self, offset: Offset) -> bool:
        """Tell whether there is a record at an offset."""
        return offset < len(self.records)

    def reaches(self, end: Offset) -> bool:
        """Tell whether there is a record at every offset below an end offset."""
        return len(self.records) >= end

    @property
    def epochs_of_records(self) -> tuple[Epoch, ...]:
        """The leader epoch of each record, none of which was deleted."""
        return tuple(record.epoch for record in self.records if record is not None)

    def end_of_agreement(self, epochs: tuple[Epoch, ...]) -> Offset:
        """The offset above the last record whose epoch is the same in both logs."""
        pairs = zip(self.epochs_of_records, epochs, strict=False)
        shared = [
            end for end, (own, other) in enumerate(pairs, start=1) if own == other
        ]
        return Offset(max(shared, default=0))
