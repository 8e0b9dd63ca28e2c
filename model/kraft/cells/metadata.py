"""The metadata log: an image for each event of the controller."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    DirectoryId,
    Epoch,
    TopicId,
)


@frozen
class PartitionRegistration:
    """The partition in the metadata: who leads, the ISR, and who else may lead.

    ``elr`` are the eligible leader replicas, ``last_known_leader`` is the one that led
    when the partition became leaderless. ``directories`` has the log directory of each
    broker's replica, None where it is UNASSIGNED.

    A topic that is deleted has no replicas, but it can have directories: those in which
    the controller still looks for it.

    ``replicas`` are in the order of preference; while a reassignment is in progress,
    ``adding`` and ``removing`` say which are new, and which are to go. A topic of the
    same name that is created later has another ``topic_id``.

    Source: PartitionRegistration.
    """

    isr: frozenset[BrokerId]
    leader: BrokerId | None
    directories: tuple[DirectoryId | None, ...]
    replicas: tuple[BrokerId, ...]
    leader_epoch: Epoch = Epoch(0)
    partition_epoch: int = 0
    elr: frozenset[BrokerId] = frozenset()
    last_known_leader: BrokerId | None = None
    is_recovering: bool = False
    adding: frozenset[BrokerId] = frozenset()
    removing: frozenset[BrokerId] = frozenset()
    topic_id: TopicId = TopicId(0)

    @property
    def candidates(self) -> frozenset[BrokerId]:
        """The brokers that can be elected cleanly: those of the ISR and of the ELR."""
        return self.isr | self.elr

    def is_led_by(self, broker: BrokerId) -> bool:
        """Tell whether a broker leads."""
        return self.leader == broker

    def is_leaderless(self) -> bool:
        """Tell whether no broker leads."""
        return self.leader is None

    def counts_in_sync(self, broker: BrokerId) -> bool:
        """Tell whether a broker is in the ISR."""
        return broker in self.isr

    def has_in_sync(self, least: int) -> bool:
        """Tell whether the ISR has at least so many members."""
        return len(self.isr) >= least

    def has_empty_elr(self) -> bool:
        """Tell whether no broker outside the ISR can be elected."""
        return not self.elr

    def has_member_in_both(self) -> bool:
        """Tell whether a broker is in the ISR and in the ELR."""
        return not self.isr.isdisjoint(self.elr)

    def has_last_known_leader(self) -> bool:
        """Tell whether it is known who led before there was no leader."""
        return self.last_known_leader is not None

    def has_replica(self, broker: BrokerId) -> bool:
        """Tell whether a broker has a replica."""
        return broker in self.replicas

    def is_reassigned(self) -> bool:
        """Tell whether a reassignment is in progress."""
        return bool(self.adding) or bool(self.removing)

    @property
    def target(self) -> frozenset[BrokerId]:
        """The replicas that are left when a reassignment is complete."""
        return frozenset(self.replicas) - self.removing

    def is_assigned(self, broker: BrokerId, directory: DirectoryId | None) -> bool:
        """Tell whether a broker's replica is said to lie in a directory."""
        return self.directories[broker] == directory

    @property
    def listed_directories(self) -> tuple[tuple[BrokerId, DirectoryId] | None, ...]:
        """The directories in the order of the replicas; one that is not known is None.

        Rules: KR-ASG-1.  Source: TopicDelta.localChanges.
        """
        known = ((replica, self.directories[replica]) for replica in self.replicas)
        return tuple(
            None if directory is None else (replica, directory)
            for replica, directory in known
        )

    def lies_in(self, broker: BrokerId, directories: frozenset[DirectoryId]) -> bool:
        """Tell whether a broker's replica is said to lie in one of some directories."""
        return self.directories[broker] in directories

    def is_of(self, topic_id: TopicId) -> bool:
        """Tell whether it is the partition of a topic, which may be deleted."""
        return self.topic_id == topic_id

    def can_elect(self, broker: BrokerId) -> bool:
        """Tell whether a broker can be elected cleanly."""
        return broker in self.isr or broker in self.elr


@frozen
class BrokerRegistration:
    """A broker in the metadata, and the offset of the record that registered it.

    ``directories`` are its log directories that are online. A broker that an operator
    took out ``is_unregistered``; its next epoch follows the last one.

    Source: BrokerRegistration.
    """

    epoch: BrokerEpoch
    offset: int
    directories: frozenset[DirectoryId]
    is_fenced: bool = False
    in_controlled_shutdown: bool = False
    is_unregistered: bool = False

    def is_in(self, epoch: BrokerEpoch | None) -> bool:
        """Tell whether the broker is registered in an epoch."""
        return self.epoch == epoch and not self.is_unregistered

    @property
    def is_active(self) -> bool:
        """Tell whether the broker can be elected and join an ISR."""
        return not self.is_fenced and not self.in_controlled_shutdown

    def has_online(self, directory: DirectoryId | None) -> bool:
        """Tell whether a directory counts as online, as an unknown one does.

        Source: DirectoryId.isOnline.
        """
        return directory is None or directory in self.directories

    @property
    def default_directory(self) -> DirectoryId | None:
        """The directory of a replica that is new here: the only one, or none known.

        Source: ClusterControlManager.defaultDir.
        """
        return min(self.directories) if len(self.directories) == 1 else None

    def without_directories(self, failed: frozenset[DirectoryId]) -> Self:
        """The registration without some directories, of which one is always left.

        Source: ClusterControlManager.replay.
        """
        rest = self.directories - failed
        return evolve(self, directories=rest) if rest else self

    def refresh(self, offset: int, directories: frozenset[DirectoryId]) -> Self:
        """The registration after the same process has registered again."""
        return evolve(self, offset=offset, directories=directories)

    def fence(self) -> Self:
        """The registration of a broker that is fenced."""
        return evolve(self, is_fenced=True)

    def unfence(self) -> Self:
        """The registration of a broker that is not fenced any more."""
        return evolve(self, is_fenced=False)

    def unregister(self) -> Self:
        """The registration of a broker that an operator took out of the cluster."""
        return evolve(
            self,
            directories=frozenset(),
            is_fenced=True,
            in_controlled_shutdown=False,
            is_unregistered=True,
        )

    def shut_down(self) -> Self:
        """The registration of a broker that is in controlled shutdown."""
        return evolve(self, in_controlled_shutdown=True)


@frozen
class MetadataImage:
    """All that the metadata log says up to one offset.

    ``brokers`` has a registration for each broker. ``has_elr`` says whether the feature
    of eligible leader replicas is on, and ``elr_index`` which brokers the controller
    finds the partition for when it looks for their eligible replicas.

    Source: MetadataImage.
    """

    partition: PartitionRegistration
    brokers: tuple[BrokerRegistration, ...]
    min_isr: int
    has_elr: bool
    elr_index: frozenset[BrokerId]

    def has_active(self, broker: BrokerId, epoch: BrokerEpoch | None) -> bool:
        """Tell whether a broker is active, in an epoch."""
        registration = self.brokers[broker]
        return registration.is_active and registration.epoch == epoch

    def has_later_process(self, broker: BrokerId, epoch: BrokerEpoch | None) -> bool:
        """Tell whether a broker lives in a later epoch."""
        registration = self.brokers[broker]
        if registration.is_fenced or epoch is None:
            return False
        return epoch < registration.epoch

    def has_same_epoch(self, record: PartitionRegistration) -> bool:
        """Tell whether a record is of the same topic and partition epoch."""
        return (
            self.partition.topic_id == record.topic_id
            and self.partition.partition_epoch == record.partition_epoch
        )


NOTHING_APPLIED = MetadataImage(
    PartitionRegistration(frozenset(), None, (), ()), (), 0, False, frozenset()
)
"""The image of a broker without a process."""


@frozen
class MetadataLog:
    """The images that a broker can still publish, and how far the log is committed.

    ``first`` is the offset of the first of ``images``; what is older is dropped.
    """

    images: tuple[MetadataImage, ...]
    first: int = 0
    committed: int = 0

    @property
    def end(self) -> int:
        """The offset of the last image, which is the memory of the controller."""
        return self.first + len(self.images) - 1

    @property
    def has_uncommitted(self) -> bool:
        """Tell whether an event of the controller is not committed yet."""
        return self.committed < self.end

    @property
    def committed_partition(self) -> PartitionRegistration:
        """The partition in the last image that is committed."""
        return self.at(self.committed).partition

    def at(self, offset: int) -> MetadataImage:
        """The image at an offset that was not dropped."""
        return self.images[offset - self.first]

    def committed_after(self, offset: int) -> tuple[int, ...]:
        """The offsets after one that are committed."""
        return tuple(range(max(offset + 1, self.first), self.committed + 1))

    def append(self, image: MetadataImage) -> Self:
        """The log with one image more, not committed."""
        return evolve(self, images=(*self.images, image))

    def commit_next(self) -> Self:
        """The log with one image more committed."""
        return evolve(self, committed=self.committed + 1)

    def commit_all(self) -> Self:
        """The log, all of it committed."""
        return evolve(self, committed=self.end)

    def keep_up_to(self, offset: int) -> Self:
        """The log without what is after an offset, all of it committed."""
        images = self.images[: offset - self.first + 1]
        return evolve(self, images=images, committed=offset)

    def drop_before(self, offset: int) -> Self:
        """The log without the images before an offset, which no broker needs."""
        first = max(self.first, offset)
        return evolve(self, images=self.images[first - self.first :], first=first)
