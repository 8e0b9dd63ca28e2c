"""What was acknowledged: a ghost that only properties read."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.shared.records import Log, Record
from replicheck.model.vocabulary import Epoch, TopicId


@frozen
class AppendedRecords:
    """A ghost: the topic of each record, by the id of the record."""

    topics: tuple[TopicId, ...] = ()

    def append(self, topic_id: TopicId) -> Self:
        """The history with one record more, appended by a leader of a topic."""
        return evolve(self, topics=(*self.topics, topic_id))

    def topic_of(self, record: Record) -> TopicId:
        """The topic to which a record was appended."""
        return self.topics[record.id]


@frozen
class AcknowledgedRecords:
    """A ghost: the longest prefix that was below the high watermark of a leader.

    An unclean election may lose records; then only those of the new leader count, and
    leaders of an epoch before ``since`` acknowledge nothing any more. Only those of
    one topic do, the last one of its name.
    """

    records: tuple[Record, ...] = ()
    since: Epoch = Epoch(0)
    topic_id: TopicId = TopicId(0)

    def has_any(self) -> bool:
        """Tell whether a record was acknowledged that must not be lost."""
        return len(self.records) > 0

    def count(
        self, topic_id: TopicId, epoch: Epoch | None, records: tuple[Record, ...]
    ) -> Self:
        """The history after a leader of an epoch committed a prefix."""
        if topic_id != self.topic_id or epoch is None or epoch < self.since:
            return self
        if len(records) <= len(self.records):
            return self
        return evolve(self, records=records)

    def forget(self, epoch: Epoch) -> Self:
        """The history after the topic was deleted: nothing counts any more."""
        return evolve(self, records=(), since=epoch)

    def begin(self, topic_id: TopicId) -> Self:
        """The history of a topic that was created."""
        return type(self)(topic_id=topic_id)

    def excuse(self, epoch: Epoch, log: Log) -> Self:
        """The history after an unclean election in an epoch."""
        kept = tuple(
            own
            for own, other in zip(self.records, log.records, strict=False)
            if own == other
        )
        return evolve(self, records=kept, since=epoch)
