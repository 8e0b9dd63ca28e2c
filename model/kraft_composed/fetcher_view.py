"""The cluster in KRaft mode as the functions of `model.fetching` know it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from attrs import frozen

from replicheck.model.fetching.state import Brokers
from replicheck.model.fetching.view import BrokersView, Table
from replicheck.model.kraft.cells.partition import FollowerState, KraftPartition
from replicheck.model.kraft_composed.bounds import (
    KraftComposedBounds,
    bounds_of_fetchers,
)
from replicheck.model.kraft_composed.state import KraftComposed
from replicheck.model.shared.broker_process import Process
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


class FetcherView(BrokersView):
    """Has the cells and methods of the fetching brokers, with one partition.

    A process runs for the others once its ports are open.
    """

    whole: KraftComposed
    whole_class = KraftComposed
    names: ClassVar[Mapping[str, str]] = {"faults": "fetcher_faults"}

    @property
    def bounds(self) -> Any:
        """The bounds of the fetching brokers."""
        return bounds_of_fetchers(cast(KraftComposedBounds, self.whole.bounds))

    @property
    def processes(self) -> Any:
        """The processes, as others reach them."""
        return Table(
            lambda broker: Process(self.whole.processes[broker].is_serving), indices=1
        )

    @property
    def logs(self) -> Any:
        """The logs by broker and partition."""
        return Table(lambda broker, _: self.whole.logs[broker])

    @property
    def replicas(self) -> Any:
        """The replicas by broker and partition."""
        return Table(lambda broker, _: ReplicaView(self.whole.partitions[broker]))

    @property
    def remotes(self) -> Any:
        """What leaders know of followers, by broker and partition."""
        return Table(lambda leader, _: RemoteReplicasView(self.whole, leader))

    def changes_of(self, name: str, new: Any) -> dict[str, Any]:
        """The cells of the cluster that change with a cell, and their values."""
        match name:
            case "logs":
                return {"logs": by_broker(new)}
            case "replicas":
                return {"partitions": by_broker(new)}
            case "remotes":
                (followers,) = new.values()
                return {"followers": followers}
            case _:
                return super().changes_of(name, new)


def by_broker(cells: Mapping[tuple[BrokerId, PartitionId], Any]) -> dict[BrokerId, Any]:
    """Cells of the one partition, without its id."""
    return {broker: cell for (broker, _), cell in cells.items()}


@frozen
class ReplicaView:
    """A broker's partition as a replica of the fetching brokers."""

    partition: KraftPartition

    @property
    def high_watermark(self) -> Offset:
        """The high watermark."""
        return self.partition.high_watermark

    def is_offline(self) -> bool:
        """Tell whether the log directory has failed."""
        return self.partition.is_offline

    def is_unknown(self) -> bool:
        """Tell whether no metadata has named the partition."""
        return self.partition.leader_epoch is None

    def is_online(self) -> bool:
        """Tell whether there is a partition object with a log."""
        return not self.is_unknown() and not self.is_offline()

    def is_behind(self, epoch: Epoch) -> bool:
        """Tell whether an epoch is newer than the replica's."""
        return self.partition.is_behind(epoch)

    def is_in_epoch(self, epoch: Epoch) -> bool:
        """Tell whether this is the replica's leader epoch, under any leader."""
        return self.partition.leader_epoch == epoch

    def is_in(self, leader: BrokerId, epoch: Epoch | None) -> bool:
        """Tell whether a broker leads in an epoch, as far as this one knows."""
        return self.partition.is_in(leader, epoch)

    def is_led_by(self, leader: BrokerId) -> bool:
        """Tell whether a broker leads, as far as this one knows."""
        return self.partition.is_led_by(leader)

    def counts_in_sync(self, broker: BrokerId) -> bool:
        """Tell whether a broker is in the committed ISR."""
        return self.partition.counts_in_sync(broker)

    def with_high_watermark(self, offset: Offset) -> KraftPartition:
        """The partition with another high watermark."""
        return self.partition.with_high_watermark(offset)


@frozen
class RemoteReplicasView:
    """What a leader knows of followers: where they are, in which process."""

    whole: KraftComposed
    leader: BrokerId

    def is_at(self, follower: BrokerId, end: Offset) -> bool:
        """Tell whether the process of a follower was at an offset at its last fetch."""
        epoch = self.whole.processes[follower].epoch
        return self.whole.followers[self.leader][follower].has_fetched(end, epoch)

    def set(
        self, follower: BrokerId, end: Offset
    ) -> dict[tuple[BrokerId, BrokerId], FollowerState]:
        """What the leader knows of a follower after a fetch."""
        epoch = self.whole.processes[follower].epoch
        return {(self.leader, follower): FollowerState(end, epoch)}


def seen_by_fetchers(whole: KraftComposed) -> Brokers:
    """The state as the functions of `model.fetching` know it."""
    return cast(Brokers, FetcherView(whole))


def whole_of(view: Brokers) -> KraftComposed:
    """The state of which one is the view."""
    return cast(FetcherView, view).whole
