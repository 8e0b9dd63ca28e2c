"""Records, and a log of them: what a replica stores."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import Epoch, Offset, RecordId


@frozen
class Record:
    """A record: an id unique to one append, and the epoch of its leader."""

    id: RecordId
    epoch: Epoch

    def __str__(self) -> str:
        """The record in short: record 0 of epoch 2 is ``r0@e2``."""
        return f"r{self.id}@e{self.epoch}"


@frozen
class Log:
    """One replica's log; the offset of a record is its position."""

    records: tuple[Record, ...] = ()

    @property
    def end_offset(self) -> Offset:
        """The offset that the next record gets."""
        return Offset(len(self.records))

    @property
    def latest_epoch(self) -> Epoch | None:
        """The leader epoch of the last record, or None if the log is empty."""
        return self.records[-1].epoch if self.records else None

    def has(self, offset: Offset) -> bool:
        """Tell whether there is a record at an offset."""
        return offset < len(self.records)

    def reaches(self, end: Offset) -> bool:
        """Tell whether there is a record at every offset below an end offset."""
        return len(self.records) >= end

    def has_epoch_at(self, offset: Offset, epoch: Epoch | None) -> bool:
        """Tell whether there is a record at an offset, and it has this epoch."""
        return self.has(offset) and self.records[offset].epoch == epoch

    def epoch_at(self, offset: Offset) -> Epoch | None:
        """The leader epoch of the record at an offset, or None at the end."""
        return self.records[offset].epoch if self.has(offset) else None

    def record_at(self, offset: Offset) -> Record:
        """The record at an offset, which must be there."""
        return self.records[offset]

    def first_offset_after(self, epoch: Epoch) -> Offset | None:
        """The least offset whose record has a larger epoch, or None."""
        larger = [i for i, record in enumerate(self.records) if record.epoch > epoch]
        return Offset(larger[0]) if larger else None

    def start_of(self, epoch: Epoch) -> Offset:
        """The offset where an epoch starts that no record's is above."""
        return Offset(sum(record.epoch < epoch for record in self.records))

    @property
    def epochs(self) -> tuple[Epoch, ...]:
        """The leader epoch of each record."""
        return tuple(record.epoch for record in self.records)

    @property
    def epochs_of_records(self) -> tuple[Epoch, ...]:
        """The leader epoch of each record, which is all that this log has of epochs."""
        return self.epochs

    def end_of_agreement(self, epochs: tuple[Epoch, ...]) -> Offset:
        """The offset above the last record whose epoch is the same in both logs.

        Two records of one epoch at one offset are the same record: an epoch has one
        leader, and it cuts nothing while it leads.
        """
        shared = [
            offset
            for offset, (own, other_epoch) in enumerate(
                zip(self.epochs, epochs, strict=False)
            )
            if own == other_epoch
        ]
        return Offset(shared[-1] + 1) if shared else Offset(0)

    def starts_with(self, records: tuple[Record | None, ...]) -> bool:
        """Tell whether the log begins with these records."""
        return self.records[: len(records)] == records

    def holds(self, record: RecordId) -> bool:
        """Tell whether the record with this id is in the log."""
        return any(kept.id == record for kept in self.records)

    def up_to(self, end: Offset) -> tuple[Record, ...]:
        """The records below an end offset."""
        return self.records[:end]

    def append(self, record: Record) -> Self:
        """Put a record at the end."""
        return evolve(self, records=(*self.records, record))

    def truncate_to(self, offset: Offset) -> Self:
        """Cut the records at an offset and above."""
        return evolve(self, records=self.records[:offset])
