"""What producers wait for, and a ghost of what they were told."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import Offset


@frozen
class DelayedProduces:
    """The offsets of records whose producers wait until all in sync have them.

    Source: DelayedProduce.
    """

    offsets: tuple[Offset, ...] = ()

    def is_empty(self) -> bool:
        """Tell whether no producer waits."""
        return not self.offsets

    def is_due(self, high_watermark: Offset) -> bool:
        """Tell whether the first of them is below a high watermark."""
        return bool(self.offsets) and self.offsets[0] < high_watermark

    @property
    def next(self) -> Offset:
        """The first offset; there must be one."""
        return self.offsets[0]

    def append(self, offset: Offset) -> Self:
        """Let one more producer wait."""
        return evolve(self, offsets=(*self.offsets, offset))

    def pop(self) -> Self:
        """Answer the first."""
        return evolve(self, offsets=self.offsets[1:])

    def clear(self) -> Self:
        """Answer all, with an error, or none, as the process ends."""
        return type(self)()


@frozen
class Acknowledged:
    """A ghost: the records, with their offsets, that were acknowledged by all in sync.

    Properties read it; nothing else does.
    """

    records: frozenset[tuple[Offset, Record]] = frozenset()

    def has_any(self) -> bool:
        """Tell whether any record was ever acknowledged."""
        return len(self.records) > 0

    def are_in(self, log: tuple[Record, ...]) -> bool:
        """Tell whether a log has all of them, each at its offset."""
        return all(
            offset < len(log) and log[offset] == record
            for offset, record in self.records
        )

    def delete_below(self, end: Offset) -> Self:
        """Claim nothing any more of what was deleted."""
        kept = frozenset(record for record in self.records if record[0] >= end)
        return evolve(self, records=kept)

    def add(self, offset: Offset, record: Record) -> Self:
        """Remember a record."""
        return evolve(self, records=self.records | {(offset, record)})
