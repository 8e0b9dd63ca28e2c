"""A partition's znode, with the leader, epoch and ISR that are stored there."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import BrokerId, ControllerEpoch, Epoch


@frozen
class LeaderAndIsr:
    """Leader and ISR of a partition: stored, cached, and sent to brokers.

    ``version`` is that of the znode which holds, or held, this content.
    """

    leader: BrokerId | None
    epoch: Epoch
    isr: frozenset[BrokerId]
    controller_epoch: ControllerEpoch
    version: int

    def decided(
        self,
        leader: BrokerId | None,
        isr: frozenset[BrokerId],
        controller_epoch: ControllerEpoch,
    ) -> LeaderAndIsr:
        """Content that a controller writes next: a new epoch, also for the old leader.

        Rules: C-ELECT-6, Z-STATE-1, Z-STATE-3.
        Source: LeaderAndIsr.newLeaderAndIsr, LeaderAndIsr.NoLeader.
        """
        epoch = Epoch(self.epoch + 1)
        return LeaderAndIsr(leader, epoch, isr, controller_epoch, self.version + 1)

    def with_isr(self, isr: frozenset[BrokerId]) -> LeaderAndIsr:
        """Content that a leader writes next: another ISR in the same epoch.

        Rules: Z-STATE-1.  Source: Partition.expandIsr, Partition.shrinkIsr.
        """
        return evolve(self, isr=isr, version=self.version + 1)


@frozen
class PartitionNode:
    """``/brokers/topics/<topic>/partitions/<partition>/state``."""

    content: LeaderAndIsr | None = None

    def exists(self) -> bool:
        """Tell whether the partition was initialised."""
        return self.content is not None

    def has_version(self, version: int | None) -> bool:
        """Tell whether a write on condition of a version succeeds."""
        return self.content is not None and self.content.version == version

    def is_led_by(self, leader: BrokerId | None) -> bool:
        """Tell whether a broker leads."""
        return self.content is not None and self.content.leader == leader

    def is_in(self, leader: BrokerId, epoch: Epoch | None) -> bool:
        """Tell whether a broker leads in an epoch."""
        return self.is_led_by(leader) and self.has_epoch(epoch)

    def has_epoch(self, epoch: Epoch | None) -> bool:
        """Tell whether the leader epoch is the given one."""
        return self.content is not None and self.content.epoch == epoch

    def counts_in_sync(self, broker: BrokerId) -> bool:
        """Tell whether a broker is in the ISR."""
        return self.content is not None and broker in self.content.isr

    def delete(self) -> Self:
        """Delete the znode."""
        return type(self)()

    def write(self, content: LeaderAndIsr) -> Self:
        """Replace the content."""
        return evolve(self, content=content)
