"""What a state machine of the controller has collected to send."""

from __future__ import annotations

from operator import itemgetter
from typing import Self

from attrs import evolve, frozen

from replicheck.model.cluster.cells.channels import PartitionMetadata, PartitionToLead
from replicheck.model.vocabulary import BrokerId, PartitionId, ReplicaId


@frozen
class Batch:
    """What a state machine has collected to send.

    ``metadata`` says for each partition what brokers are to be told of it. A batch that
    is ``is_left_over`` from an earlier term is in the way of every other one.

    Rules: C-BATCH-2.  Source: AbstractControllerBrokerRequestBatch.
    """

    leader_and_isr: tuple[tuple[BrokerId, PartitionToLead], ...] = ()
    stop_replica: tuple[ReplicaId, ...] = ()
    deletion: tuple[ReplicaId, ...] = ()
    updates_metadata: bool = False
    metadata: tuple[tuple[PartitionId, PartitionMetadata], ...] = ()
    is_left_over: bool = False

    def is_empty(self) -> bool:
        """Tell whether nothing was collected."""
        return self == type(self)()

    def leave(self) -> Self:
        """Stay for as long as the process lives."""
        return type(self)(is_left_over=True)

    def add_leader_and_isr(
        self,
        brokers: tuple[BrokerId, ...],
        asked: PartitionToLead,
    ) -> Self:
        """Ask each broker about a partition; it replaces what is there already."""
        partition = asked.partition
        entries = {(to, entry.partition): entry for to, entry in self.leader_and_isr}
        for broker in brokers:
            before = entries.get((broker, partition))
            was_new = before is not None and before.is_new
            is_new = asked.is_new or was_new
            entries[broker, partition] = evolve(asked, is_new=is_new)
        merged = tuple((to, entries[to, number]) for to, number in sorted(entries))
        return evolve(self, leader_and_isr=merged)

    def add_update_metadata(
        self, partition: PartitionId, metadata: PartitionMetadata | None
    ) -> Self:
        """Tell all brokers of a partition, of which there may be nothing to say."""
        said = dict(self.metadata)
        if metadata is not None:
            said[partition] = metadata
        return evolve(
            self,
            updates_metadata=True,
            metadata=tuple(sorted(said.items(), key=itemgetter(0))),
        )

    def add_stop_replica(self, broker: BrokerId, partition: PartitionId) -> Self:
        """Tell one broker to stop a replica."""
        stopped = {*self.stop_replica, (broker, partition)}
        return evolve(self, stop_replica=tuple(sorted(stopped)))

    def add_deletion(self, broker: BrokerId, partition: PartitionId) -> Self:
        """Tell one broker to delete a replica."""
        deleted = {*self.deletion, (broker, partition)}
        return evolve(self, deletion=tuple(sorted(deleted)))

    def clear(self) -> Self:
        """Empty the batch; what is left over stays so."""
        return type(self)(is_left_over=self.is_left_over)

    def forget(self) -> Self:
        """Empty the batch, as the end of the process does."""
        return type(self)()
