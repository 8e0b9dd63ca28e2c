"""The partition in the memory of a broker, and what a leader knows of followers."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, Epoch, Offset, TopicId


@frozen
class KraftPartition:
    """A broker's partition object, of which nothing but a file outlives the process.

    ``isr`` is the committed one and ``proposed`` the one that the leader asks for, if
    any. ``replicas`` is the assignment. ``epoch_start`` is the end of the log when the
    leader epoch began. A partition ``is_offline`` when its log directory has failed.
    ``topic_id`` is the topic of its log, which a file in the log's directory names.

    Source: Partition, PartitionState.
    """

    leader: BrokerId | None = None
    leader_epoch: Epoch | None = None
    partition_epoch: int | None = None
    isr: frozenset[BrokerId] = frozenset()
    proposed: frozenset[BrokerId] | None = None
    epoch_start: Offset = Offset(0)
    high_watermark: Offset = Offset(0)
    is_offline: bool = False
    replicas: frozenset[BrokerId] = frozenset()
    topic_id: TopicId = TopicId(0)

    @property
    def maximal_isr(self) -> frozenset[BrokerId]:
        """The maximal ISR: all that must have a record before it is committed."""
        return self.isr | (self.proposed or frozenset())

    def is_led_by(self, leader: BrokerId) -> bool:
        """Tell whether a broker leads, as far as this one knows."""
        return self.leader == leader

    def is_in(self, leader: BrokerId, epoch: Epoch | None) -> bool:
        """Tell whether a broker leads in an epoch, as far as this one knows."""
        return self.leader == leader and self.leader_epoch == epoch

    def is_pending(self) -> bool:
        """Tell whether a change of the ISR is asked for."""
        return self.proposed is not None

    def counts_in_sync(self, broker: BrokerId) -> bool:
        """Tell whether a broker is in the committed ISR."""
        return broker in self.isr

    def awaits(self, broker: BrokerId) -> bool:
        """Tell whether a broker must have a record before it is committed."""
        return broker in self.maximal_isr

    def has_in_sync(self, least: int) -> bool:
        """Tell whether the committed ISR has at least so many members."""
        return len(self.isr) >= least

    def is_newer_than(self, partition_epoch: int) -> bool:
        """Tell whether a partition epoch is older than the one that is known."""
        return self.partition_epoch is not None and (
            self.partition_epoch > partition_epoch
        )

    def is_behind(self, epoch: Epoch) -> bool:
        """Tell whether a leader epoch is newer than the one that is known."""
        return self.leader_epoch is None or epoch > self.leader_epoch

    def has_high_watermark(self, offset: Offset) -> bool:
        """Tell whether the high watermark is at an offset."""
        return self.high_watermark == offset

    def lead(self, record: PartitionRegistration, start: Offset) -> Self:
        """The partition of a leader, with nothing pending."""
        return evolve(
            self,
            leader=record.leader,
            leader_epoch=record.leader_epoch,
            partition_epoch=record.partition_epoch,
            isr=record.isr,
            replicas=frozenset(record.replicas),
            proposed=None,
            epoch_start=start,
        )

    def follow(self, record: PartitionRegistration) -> Self:
        """The partition of a follower, which knows no ISR."""
        return evolve(
            self,
            leader=record.leader,
            leader_epoch=record.leader_epoch,
            partition_epoch=record.partition_epoch,
            isr=frozenset(),
            replicas=frozenset(record.replicas),
            proposed=None,
        )

    def propose(self, isr: frozenset[BrokerId]) -> Self:
        """The partition with a change of the ISR pending."""
        return evolve(self, proposed=isr)

    def give_up(self) -> Self:
        """The partition in its last committed state."""
        return evolve(self, proposed=None)

    def commit(self, answer: PartitionRegistration) -> Self:
        """The partition with the ISR and the partition epoch of an answer."""
        return evolve(
            self,
            isr=answer.isr,
            proposed=None,
            partition_epoch=answer.partition_epoch,
        )

    def raise_high_watermark(self, offset: Offset) -> Self:
        """The partition with a higher high watermark, if it is one."""
        return evolve(self, high_watermark=max(self.high_watermark, offset))

    def with_high_watermark(self, offset: Offset) -> Self:
        """The partition with the high watermark of a leader, which can be lower."""
        return evolve(self, high_watermark=offset)

    def has_replica(self, broker: BrokerId) -> bool:
        """Tell whether a broker has a replica, as far as this one knows."""
        return broker in self.replicas

    def has_enough_in_sync(self, least: int) -> bool:
        """Tell whether the ISR is large enough for this number of replicas."""
        return len(self.isr) >= min(least, len(self.replicas))

    def go_offline(self) -> Self:
        """The partition without a log, which remembers its epochs."""
        return evolve(
            self, leader=None, isr=frozenset(), proposed=None, is_offline=True
        )

    def forget(self) -> Self:
        """What a later process finds: the topic, and a checkpoint of the watermark."""
        return type(self)(high_watermark=self.high_watermark, topic_id=self.topic_id)

    def is_of(self, topic_id: TopicId) -> bool:
        """Tell whether its log is of a topic."""
        return self.topic_id == topic_id

    def begin(self, topic_id: TopicId) -> Self:
        """The partition of a replica that is new, or of another topic than before."""
        return type(self)(topic_id=topic_id)


@frozen
class FollowerState:
    """How far a follower's log reached at its last fetch, and its broker epoch then.

    Source: ReplicaState.
    """

    end: Offset | None = None
    epoch: BrokerEpoch | None = None

    def reaches(self, offset: Offset) -> bool:
        """Tell whether the follower is known to have all records below an offset."""
        return self.end is not None and self.end >= offset

    def has_fetched(self, end: Offset, epoch: BrokerEpoch | None) -> bool:
        """Tell whether the last fetch was at an offset, by a process of an epoch."""
        return self.end == end and self.epoch == epoch

    def is_at(self, end: Offset) -> bool:
        """Tell whether the follower's log is known to end at an offset."""
        return self.end == end
