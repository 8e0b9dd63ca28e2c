"""A broker's process, and what it tells clients."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.cluster.cells.channels import DELETED, PartitionMetadata
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    PartitionId,
)


@frozen
class Process:
    """A broker's process: whether it runs, its epoch, and the controller's.

    A process whose session expired runs on, cut off from ZooKeeper.

    Rules: B-START-5.  Source: KafkaServer, ReplicaManager.controllerEpoch.
    """

    is_running: bool = False
    epoch: BrokerEpoch = BrokerEpoch(0)
    controller_epoch: ControllerEpoch = ControllerEpoch(0)
    is_shutting_down: bool = False
    is_cut_off: bool = False

    def has_epoch_above(self, epoch: BrokerEpoch) -> bool:
        """Tell whether a broker epoch is that of a process before."""
        return epoch < self.epoch

    def knows_controller_above(self, epoch: ControllerEpoch) -> bool:
        """Tell whether a controller is deposed, as far as the broker knows."""
        return epoch < self.controller_epoch

    def start(self, epoch: BrokerEpoch) -> Self:
        """Start, registered under a broker epoch."""
        return type(self)(is_running=True, epoch=epoch)

    def stop(self) -> Self:
        """End; memory is lost."""
        return type(self)()

    def lose_session(self) -> Self:
        """Run on; what is asked of ZooKeeper gets no answer."""
        return evolve(self, is_cut_off=True)

    def begin_session(self) -> Self:
        """Be connected again; the broker is not registered yet."""
        return evolve(self, is_cut_off=False)

    def register(self, epoch: BrokerEpoch) -> Self:
        """Go on under another broker epoch."""
        return evolve(self, epoch=epoch)

    def begin_shutdown(self) -> Self:
        """Begin to stop; no fetcher is started from now on."""
        return evolve(self, is_shutting_down=True)

    def see_controller(self, epoch: ControllerEpoch) -> Self:
        """Remember the epoch of a controller that was obeyed."""
        return evolve(self, controller_epoch=epoch)


@frozen
class MetadataCache:
    """What a broker tells clients.

    Source: MetadataCache.
    """

    partitions: tuple[PartitionMetadata | None, ...]
    live: frozenset[BrokerId] = frozenset()

    def knows(self, broker: BrokerId) -> bool:
        """Tell whether a broker is live, as far as this one knows."""
        return broker in self.live

    def agrees_with(
        self,
        partitions: tuple[PartitionMetadata | None, ...],
        but_for: tuple[PartitionId, ...],
    ) -> bool:
        """Tell whether clients are told this of all partitions but some."""
        told = enumerate(zip(self.partitions, partitions, strict=True))
        return all(one == other for at, (one, other) in told if at not in but_for)

    def update(
        self,
        live: frozenset[BrokerId],
        partitions: tuple[PartitionMetadata | None, ...],
    ) -> Self:
        """Replace the brokers, and each partition of which something is said."""
        known = zip(partitions, self.partitions, strict=True)
        said = tuple(new or old for new, old in known)
        left = tuple(None if metadata == DELETED else metadata for metadata in said)
        return type(self)(left, live)

    def forget(self) -> Self:
        """Forget everything, as the end of the process does."""
        return type(self)((None,) * len(self.partitions))
