"""A replica's log with its cache of leader epochs."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import Epoch, Offset


@frozen
class EpochEntry:
    """Where a leader epoch starts.  Source: LeaderEpochFileCache.EpochEntry."""

    epoch: Epoch
    start: Offset


@frozen
class EpochEnd:
    """An epoch and the offset where it ends; None is undefined.

    Source: EpochEndOffset.
    """

    epoch: Epoch | None = None
    end: Offset | None = None


@frozen
class PartitionLog:
    """A log. The offset of a record is its position; what was deleted is None.

    ``epochs`` is the cache of leader epochs, strictly growing in epoch and start. If it
    is broken, the next write to it raises an error that is neither of the disk nor of
    the records. ``deleted`` are records right below the start that are in segments
    still; nothing is remembered of them unless the bounds ask for it. That the log
    itself ``is_gone`` is remembered only where its creation may fail.

    Source: Log, LeaderEpochFileCache.
    """

    records: tuple[Record | None, ...] = ()
    epochs: tuple[EpochEntry, ...] = ()
    is_broken: bool = False
    deleted: tuple[Record, ...] = ()
    is_gone: bool = False

    @property
    def end_offset(self) -> Offset:
        """The offset that the next record gets (LEO)."""
        return Offset(len(self.records))

    @property
    def start_offset(self) -> Offset:
        """The offset of the first record that was not deleted."""
        return Offset(sum(record is None for record in self.records))

    @property
    def latest_epoch(self) -> Epoch | None:
        """The last epoch of the cache; it need not have a record.

        Rules: E-2, E-4.  Source: LeaderEpochFileCache.latestEpoch.
        """
        return self.epochs[-1].epoch if self.epochs else None

    def ends_at(self, offset: Offset) -> bool:
        """Tell whether the next record gets an offset."""
        return len(self.records) == offset

    def is_empty(self) -> bool:
        """Tell whether there is no record."""
        return self.start_offset == len(self.records)

    def record_at(self, offset: Offset) -> Record | None:
        """The record at an offset, or None at the end."""
        return self.records[offset] if offset < len(self.records) else None

    def has_at(self, offset: Offset, record: Record) -> bool:
        """Tell whether a record is at an offset, or was there and is deleted."""
        if offset >= len(self.records):
            return False
        return self.records[offset] in (None, record)

    def has_range(self, offset: Offset) -> bool:
        """Tell whether a read may begin at an offset; the end is one.

        Rules: L-VAL-2.  Source: Log.read.
        """
        return self.start_offset <= offset <= len(self.records)

    def end_offset_for(self, epoch: Epoch) -> EpochEnd:
        """The largest epoch up to the given one, and where it ends.

        An epoch older than all is answered with itself and the first start.

        Rules: E-5.  Source: LeaderEpochFileCache.endOffsetFor.
        """
        if epoch == self.latest_epoch:
            return EpochEnd(epoch, self.end_offset)
        above = [entry for entry in self.epochs if entry.epoch > epoch]
        if not above:
            return EpochEnd()
        below = [entry for entry in self.epochs if entry.epoch <= epoch]
        return EpochEnd(below[-1].epoch if below else epoch, above[0].start)

    def nearest_to(self, offset: Offset) -> Offset:
        """The offset of the log that is nearest to another.

        Rules: G-HW-1.  Source: Log.updateHighWatermark.
        """
        return max(self.start_offset, min(offset, self.end_offset))

    def is_within(self, high_watermark: Offset) -> bool:
        """Tell whether a high watermark is between start and end (I-HWRANGE)."""
        return self.start_offset <= high_watermark <= len(self.records)

    def has_growing_epochs(self) -> bool:
        """Tell whether the cache grows strictly in epoch and in start."""
        pairs = zip(self.epochs, self.epochs[1:], strict=False)
        return all(a.epoch < b.epoch and a.start < b.start for a, b in pairs)

    def has_epochs_within(self) -> bool:
        """Tell whether no cached epoch starts above the end of the log."""
        return all(entry.start <= len(self.records) for entry in self.epochs)

    def starts_with(self, records: tuple[Record | None, ...]) -> bool:
        """Tell whether the log begins with these records; deleted ones count."""
        if len(self.records) < len(records):
            return False
        return self.agrees_below(Offset(len(records)), records)

    def agrees_below(self, end: Offset, records: tuple[Record | None, ...]) -> bool:
        """Tell whether two logs have the same records below an offset."""
        pairs = list(zip(self.records, records, strict=False))[:end]
        return all(
            None in (own, other_record) or own == other_record
            for own, other_record in pairs
        )

    def matches(self, records: tuple[Record | None, ...]) -> bool:
        """Tell whether both are alike below every offset with one epoch in both."""
        pairs = zip(self.records, records, strict=False)
        agreed = [
            offset
            for offset, (own, other_record) in enumerate(pairs, start=1)
            if own is not None
            and other_record is not None
            and own.epoch == other_record.epoch
        ]
        return self.agrees_below(Offset(max(agreed, default=0)), records)

    def up_to(self, end: Offset) -> tuple[Record | None, ...]:
        """The records below an offset."""
        return self.records[:end]

    def append(self, record: Record) -> Self:
        """Put a record at the end; its epoch may be new.

        Rules: G-APP.  Source: Log.append.
        """
        known = self.assign(record.epoch, self.end_offset)
        return evolve(known, records=(*self.records, record))

    def assign(self, epoch: Epoch, start: Offset) -> Self:
        """Cache where an epoch starts, at the cost of what contradicts it.

        Rules: E-1.  Source: LeaderEpochFileCache.assign.
        """
        last = self.epochs[-1] if self.epochs else None
        if last is not None and last.epoch == epoch and start >= last.start:
            return self
        kept = [e for e in self.epochs if e.epoch < epoch and e.start < start]
        return evolve(self, epochs=(*kept, EpochEntry(epoch, start)))

    def truncate_to(self, offset: Offset) -> Self:
        """Cut the records at an offset and above; at the end nothing happens at all.

        An epoch without a record stays in the cache then (K-8).

        Rules: G-TRUNC-1, E-6.  Source: Log.truncateTo.
        """
        if offset >= len(self.records):
            return self
        kept = self.deleted
        if offset < self.start_offset:
            kept = kept[: max(0, len(kept) - (self.start_offset - offset))]
        cut = evolve(self, records=self.records[:offset], deleted=kept)
        return cut.truncate_epochs(offset)

    def truncate_epochs(self, offset: Offset) -> Self:
        """Drop the epochs that start at an offset or above.

        Rules: E-6, G-LOAD.  Source: LeaderEpochFileCache.truncateFromEnd.
        """
        kept = tuple(entry for entry in self.epochs if entry.start < offset)
        return evolve(self, epochs=kept)

    def truncate_fully_and_start_at(self, offset: Offset) -> Self:
        """Empty the log; the next record gets an offset.

        Rules: G-FULL.  Source: Log.truncateFullyAndStartAt.
        """
        return evolve(self, records=(None,) * offset, epochs=(), deleted=())

    def delete_below(self, offset: Offset) -> Self:
        """Delete the records below an offset; the epochs there collapse into one.

        Rules: G-LSO, E-7.  Source: Log.maybeIncrementLogStartOffset.
        """
        if offset <= self.start_offset:
            return self
        records = (*(None,) * offset, *self.records[offset:])
        return evolve(self, records=records).collapse_epochs(offset)

    def delete_in_memory(self, offset: Offset) -> Self:
        """Delete the records below an offset, which stay in their segments.

        Rules: G-LSO.  Source: Log.maybeIncrementLogStartOffset.
        """
        gone = [record for record in self.records[:offset] if record is not None]
        return evolve(self.delete_below(offset), deleted=(*self.deleted, *gone))

    def collapse_epochs(self, offset: Offset) -> Self:
        """Keep one of the epochs that start at an offset or below, the last.

        Rules: E-7.  Source: LeaderEpochFileCache.truncateFromStart.
        """
        below = [entry for entry in self.epochs if entry.start <= offset]
        above = [entry for entry in self.epochs if entry.start > offset]
        head = [evolve(below[-1], start=offset)] if below else []
        return evolve(self, epochs=(*head, *above))

    def bring_back(self) -> Self:
        """Begin one record lower, with the last one that was deleted.

        Rules: G-LSO, G-LOAD.  Source: LogManager.checkpointLogStartOffsets.
        """
        *deleted, last = self.deleted
        start = self.start_offset
        records = (*self.records[: start - 1], last, *self.records[start:])
        return evolve(self, records=records, deleted=tuple(deleted))

    def load(self) -> Self:
        """Be read by a new process, which drops epochs without records.

        Rules: G-LOAD.  Source: Log.loadSegments.
        """
        return self.truncate_epochs(self.end_offset)

    def recover(self, lowest: Epoch = Epoch(1)) -> Self:
        """Be read from the segments, which bring the epochs of all records back.

        Epochs below the ``lowest`` are not brought back (KAFKA-10432).

        Rules: G-LOAD, E-6, E-7.  Source: LogSegment.recover, Log.
        """
        found = self
        first = self.start_offset - len(self.deleted)
        kept = (record for record in self.records if record is not None)
        for offset, record in enumerate((*self.deleted, *kept), start=first):
            latest = found.latest_epoch
            if record.epoch >= lowest and (latest is None or record.epoch > latest):
                found = found.assign(record.epoch, Offset(offset))
        return found.load().collapse_epochs(self.start_offset)

    def flush(self) -> Self:
        """Have all on disk, the start as well, so that no recovery reads it again."""
        return evolve(self, deleted=())

    def without_epoch(self, epoch: Epoch) -> Self:
        """Lose an epoch from the cache, and no record."""
        kept = tuple(entry for entry in self.epochs if entry.epoch != epoch)
        return evolve(self, epochs=kept)

    def delete(self) -> Self:
        """Lose records and epochs."""
        return type(self)()

    def begone(self) -> Self:
        """Not be there any more, so that a request has to create it."""
        return evolve(self.delete(), is_gone=True)

    def create_if_gone(self) -> Self:
        """Be there, empty, if it was gone."""
        return evolve(self, is_gone=False)

    def break_once(self) -> Self:
        """Let the next write raise an error."""
        return evolve(self, is_broken=True)

    def repair(self) -> Self:
        """The error was raised."""
        return evolve(self, is_broken=False)
