"""A broker's process, and what it tells clients."""

from __future__ import annotations

from typing import Self

from attrs import frozen

from replicheck.model.cluster.cells.channels import PartitionMetadata
from replicheck.model.vocabulary import BrokerId, PartitionId


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
        return all(first == second for at, (first, second) in told if at not in but_for)

    def update(
        self,
        live: frozenset[BrokerId],
        partitions: tuple[PartitionMetadata | None, ...],
    ) -> Self:
        """Replace the brokers, and each partition of which something is said."""
        known = zip(partitions, self.partitions, strict=True)
        said = tuple(new or old for new, old in known)
        left = tuple(
            None if metadata is None or metadata.is_during_delete() else metadata
            for metadata in said
        )
        return type(self)(left, live)

    def forget(self) -> Self:
        """Forget everything, as the end of the process does."""
        return type(self)((None,) * len(self.partitions))
