"""A replica's log with epochs, where offsets are asked for as of a plain log."""

from __future__ import annotations

from attrs import frozen

from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.vocabulary import Offset


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
