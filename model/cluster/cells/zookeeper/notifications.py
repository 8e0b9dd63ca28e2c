"""ISR changes: what leaders have not told yet, and the znodes that tell controllers."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import PartitionId


@frozen
class IsrChange:
    """``/isr_change_notification/isr_change_<sequence>``: "read these again".

    Rules: Z-ISRN-1.  Source: IsrChangeNotificationSequenceZNode.
    """

    sequence: int
    partitions: frozenset[PartitionId]


@frozen
class IsrChanges:
    """The children of ``/isr_change_notification``."""

    nodes: frozenset[IsrChange] = frozenset()
    next_sequence: int = 0

    def is_empty(self) -> bool:
        """Tell whether there is no notification."""
        return not self.nodes

    def create(self, partitions: frozenset[PartitionId]) -> Self:
        """Create a persistent sequential znode."""
        node = IsrChange(self.next_sequence, partitions)
        return evolve(
            self, nodes=self.nodes | {node}, next_sequence=self.next_sequence + 1
        )

    def delete(self, nodes: frozenset[IsrChange]) -> Self:
        """Delete exactly these znodes; one that is gone is no error."""
        return evolve(self, nodes=self.nodes - nodes)


@frozen
class ChangedPartitions:
    """The partitions whose ISR a broker has stored, and told no controller.

    Source: ReplicaManager.isrChangeSet.
    """

    partitions: frozenset[PartitionId] = frozenset()

    def is_empty(self) -> bool:
        """Tell whether there is nothing to tell."""
        return not self.partitions

    def add(self, partition: PartitionId) -> Self:
        """Remember a partition."""
        return evolve(self, partitions=self.partitions | {partition})

    def clear(self) -> Self:
        """Forget all, as they were told, or the process ended."""
        return type(self)()
