"""Ids of what an instance has: brokers, partitions, log directories."""

from __future__ import annotations

from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


class BrokerSizes:
    """Bounds that say how many brokers there are."""

    __slots__ = ()

    brokers: int

    @property
    def broker_ids(self) -> tuple[BrokerId, ...]:
        """The ids of the brokers, 0 being the first."""
        return tuple(BrokerId(broker) for broker in range(self.brokers))


class ReplicaSizes(BrokerSizes):
    """Bounds that also say how many partitions and log directories there are."""

    __slots__ = ()

    partitions: int
    directories: int

    @property
    def partition_ids(self) -> tuple[PartitionId, ...]:
        """The ids of the partitions, 0 being the first."""
        return tuple(PartitionId(partition) for partition in range(self.partitions))

    @property
    def directory_ids(self) -> tuple[DirectoryId, ...]:
        """The ids of each broker's log directories, 0 being the first."""
        return tuple(DirectoryId(directory) for directory in range(self.directories))
