"""A replica in the memory of its broker, and what a leader knows of the others."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, DirectoryId, Epoch, Offset, is_newer


class Hosting(Enum):
    """What the replica manager knows of a partition."""

    NONE = "None"
    ONLINE = "Online"
    OFFLINE = "Offline"


@frozen
class Replica:
    """A broker's partition object, or the marker that it is offline.

    ``directory`` is where its log is; ``isr`` and ``version`` mean something on the
    leader only; ``epoch_start`` is the end of the log when it came to lead;
    ``unassigned_isr`` are members of the ISR that were not among the replicas of its
    last request;
    ``unconfirmed`` is an ISR that was written without a reply, and locks the partition.

    Source: ReplicaManager.HostedPartition, Partition.
    """

    hosting: Hosting = Hosting.NONE
    directory: DirectoryId | None = None
    leader: BrokerId | None = None
    epoch: Epoch | None = None
    isr: frozenset[BrokerId] = frozenset()
    version: int | None = None
    high_watermark: Offset = Offset(0)
    epoch_start: Offset = Offset(0)
    unassigned_isr: frozenset[BrokerId] = frozenset()
    unconfirmed: frozenset[BrokerId] | None = None

    def is_unknown(self) -> bool:
        """Tell whether no request has named the partition."""
        return self.hosting is Hosting.NONE

    def is_online(self) -> bool:
        """Tell whether there is a partition object."""
        return self.hosting is Hosting.ONLINE

    def lacks_log(self) -> bool:
        """Tell whether there is no log in use."""
        return self.directory is None

    def is_locked(self) -> bool:
        """Tell whether a write of the ISR has to be confirmed first."""
        return self.unconfirmed is not None

    def is_offline(self) -> bool:
        """Tell whether the replica is marked offline."""
        return self.hosting is Hosting.OFFLINE

    def is_in_directory(self, directory: DirectoryId) -> bool:
        """Tell whether the log in use is in a directory."""
        return self.directory == directory

    def is_led_by(self, leader: BrokerId) -> bool:
        """Tell whether a broker leads, as far as this one knows."""
        return self.leader == leader

    def is_in(self, leader: BrokerId | None, epoch: Epoch | None) -> bool:
        """Tell whether a broker leads in an epoch, as far as this one knows."""
        return self.leader == leader and self.epoch == epoch

    def is_in_epoch(self, epoch: Epoch) -> bool:
        """Tell whether this is the replica's leader epoch, under any leader."""
        return self.epoch == epoch

    def is_behind(self, epoch: Epoch) -> bool:
        """Tell whether an epoch is newer than the replica's."""
        return is_newer(epoch, self.epoch)

    def counts_in_sync(self, broker: BrokerId) -> bool:
        """Tell whether a broker is in the ISR, as far as this one knows."""
        return broker in self.isr

    def has_unassigned_isr(self) -> bool:
        """Tell whether a member of the ISR is no replica."""
        return not self.isr.isdisjoint(self.unassigned_isr)

    def has_in_sync(self, least: int) -> bool:
        """Tell whether the ISR that a leader knows has at least so many members."""
        return len(self.isr) >= least

    def lead(
        self, me: BrokerId, content: LeaderAndIsr, directory: DirectoryId, end: Offset
    ) -> Self:
        """Take over leadership; the log ends where the epoch starts."""
        return evolve(
            self,
            hosting=Hosting.ONLINE,
            directory=directory,
            leader=me,
            epoch=content.epoch,
            isr=content.isr,
            version=content.version,
            epoch_start=end,
        )

    def fail_to_lead(
        self, content: LeaderAndIsr, directory: DirectoryId, end: Offset
    ) -> Self:
        """Take over all but leadership, since its epoch could not be stored."""
        return evolve(
            self,
            hosting=Hosting.ONLINE,
            directory=directory,
            epoch=content.epoch,
            isr=content.isr,
            version=content.version,
            epoch_start=end,
        )

    def follow(self, content: LeaderAndIsr, directory: DirectoryId) -> Self:
        """Take over another's leadership; only leaders know an ISR."""
        return evolve(
            self,
            hosting=Hosting.ONLINE,
            directory=directory,
            leader=content.leader,
            epoch=content.epoch,
            isr=frozenset(),
            version=content.version,
        )

    def leave_out(self, unassigned: frozenset[BrokerId]) -> Self:
        """Do not wait for these members of the ISR, which are no replicas."""
        return evolve(self, unassigned_isr=unassigned)

    def keep(self, directory: DirectoryId) -> Self:
        """Have a log, and change nothing else."""
        return evolve(self, hosting=Hosting.ONLINE, directory=directory)

    def hold_place(self) -> Self:
        """Have a partition object without log and epoch."""
        return evolve(self, hosting=Hosting.ONLINE)

    def mark_offline(self) -> Self:
        """Forget the partition object, and mark the replica offline."""
        return type(self)(hosting=Hosting.OFFLINE)

    def forget(self) -> Self:
        """Forget everything, as the end of the process does."""
        return type(self)()

    def await_confirmation(self, isr: frozenset[BrokerId]) -> Self:
        """Remember an ISR whose write has had no reply."""
        return evolve(self, unconfirmed=isr)

    def settle(self) -> Self:
        """Know what became of the write."""
        return evolve(self, unconfirmed=None)

    def with_isr(self, isr: frozenset[BrokerId], version: int | None) -> Self:
        """Set the ISR that was stored."""
        return evolve(self, isr=isr, version=version)

    def with_high_watermark(self, offset: Offset) -> Self:
        """Set the high watermark."""
        return evolve(self, high_watermark=offset)

    def cap_high_watermark(self, offset: Offset) -> Self:
        """Lower the high watermark to an offset, if it is above."""
        return evolve(self, high_watermark=min(self.high_watermark, offset))


@frozen
class RemoteReplicas:
    """How far a leader knows each follower's log to reach; None is unknown.

    ``caught_up`` are followers outside the ISR that had all records of late.

    Source: Partition.remoteReplicas, Replica.lastCaughtUpTimeMs.
    """

    ends: tuple[Offset | None, ...]
    caught_up: frozenset[BrokerId] = frozenset()

    def of(self, follower: BrokerId) -> Offset | None:
        """The end offset of a follower's log, None if unknown."""
        return self.ends[follower]

    def is_at(self, follower: BrokerId, end: Offset) -> bool:
        """Tell whether a follower's log is known to end at an offset."""
        return self.ends[follower] == end

    def set(self, follower: BrokerId, end: Offset) -> Self:
        """Learn where a follower's log ends."""
        ends = (*self.ends[:follower], end, *self.ends[follower + 1 :])
        return evolve(self, ends=ends)

    def forget(self) -> Self:
        """Know nothing of any follower."""
        return type(self)((None,) * len(self.ends))

    def has_caught_up(self, follower: BrokerId) -> bool:
        """Tell whether a follower outside the ISR had all records of late."""
        return follower in self.caught_up

    def catch_up(self, follower: BrokerId) -> Self:
        """Let a follower outside the ISR have had all records of late."""
        return evolve(self, caught_up=self.caught_up | {follower})

    def fall_behind(self, follower: BrokerId) -> Self:
        """Let a follower have caught up too long ago."""
        return evolve(self, caught_up=self.caught_up - {follower})

    def begin_epoch(self) -> Self:
        """Count on no replica outside the ISR in a new leader epoch."""
        return evolve(self, caught_up=frozenset())
