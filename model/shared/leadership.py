"""Who leads a partition: as its broker believes, and as ZooKeeper has stored it."""

from __future__ import annotations

from replicheck.model.shared.partition_node import PartitionNode
from replicheck.model.shared.replica import Replica
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId


class Leadership:
    """Questions to a state with a replica for each broker and partition."""

    __slots__ = ()

    replicas: tuple[tuple[Replica, ...], ...]
    partition_nodes: tuple[PartitionNode, ...]

    def leads_in(
        self, broker: BrokerId, partition: PartitionId, epoch: Epoch | None
    ) -> bool:
        """Tell whether a broker believes that it leads in an epoch."""
        if not self.replicas[broker][partition].is_online():
            return False
        return self.replicas[broker][partition].is_in(broker, epoch)

    def presumes_leadership(self, broker: BrokerId, partition: PartitionId) -> bool:
        """Tell whether a broker believes that it leads, in any epoch."""
        if not self.replicas[broker][partition].is_online():
            return False
        return self.replicas[broker][partition].is_led_by(broker)

    def leads_in_stored_epoch(self, broker: BrokerId, partition: PartitionId) -> bool:
        """Tell whether a broker believes that it leads, and ZooKeeper says so, too."""
        if not self.presumes_leadership(broker, partition):
            return False
        epoch = self.replicas[broker][partition].epoch
        return self.partition_nodes[partition].is_in(broker, epoch)
