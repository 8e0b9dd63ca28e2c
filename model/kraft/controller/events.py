"""What every event of the controller has in common."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.cells.history import AcknowledgedRecords
from replicheck.model.kraft.cells.metadata import MetadataImage, PartitionRegistration
from replicheck.model.kraft.controller.change_targets import (
    ElectionKind,
    PartitionChange,
)
from replicheck.model.kraft.controller.partition_change import build
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId


def write(before: KraftCluster, after: KraftCluster) -> Iterator[KraftCluster]:
    """The controller appends its memory after an event as an image.

    It is committed at once if it cannot be lost. An event that throws writes nothing.

    Rules: KR-CTL-1, KR-CTL-2, KR-CTL-3.
    Source: ControllerWriteEvent.run.
    """
    if after.stored.partition_epoch > after.bounds.partition_epochs:
        return
    if throws(before.stored, after.stored):
        return
    after = after.evolve(elr_index=elr_index_after(before, after))
    image = MetadataImage(
        after.stored,
        after.registrations,
        after.min_isr,
        after.has_elr,
        after.elr_index,
    )
    metadata = before.metadata.append(image)
    if before.bounds.commits_at_once:
        metadata = metadata.commit_all()
    yield after.evolve(metadata=metadata, acknowledged=excused(before, after))


def throws(before: PartitionRegistration, after: PartitionRegistration) -> bool:
    """Tell whether an election asked for the directory of a broker without a replica.

    The ELR and the last known leader may be brokers that have none, or none yet.

    Rules: KR-PCB-2, KR-PCB-6, KR-CTL-5.  Source: PartitionRegistration.directory.
    """
    leader = after.leader
    if leader is None or leader == before.leader or not before.is_of(after.topic_id):
        return False
    return not before.has_replica(leader)


@rule
def elr_index_after(before: KraftCluster, after: KraftCluster) -> frozenset[BrokerId]:
    """The brokers for which the controller finds the partition by their eligibility.

    It is kept up to date with each record of the partition, but not when ELRs are
    cleared at once: ``cleared`` writes no such record.

    Rules: KR-ELR-7.  Source: BrokersToIsrs.update.
    """
    if before.min_isr != after.min_isr:
        return before.elr_index
    left = before.stored.elr - after.stored.elr
    return (before.elr_index - left) | after.stored.elr


def excused(before: KraftCluster, after: KraftCluster) -> AcknowledgedRecords:
    """The history, from which an unclean election takes what the new leader lacks."""
    old, new = before.stored, after.stored
    if new.leader is None or new.leader_epoch == old.leader_epoch:
        return after.acknowledged
    if old.can_elect(new.leader) or not new.is_recovering:
        return after.acknowledged
    return after.acknowledged.excuse(new.leader_epoch, after.logs[new.leader])


def without_broker(
    cluster: KraftCluster,
    broker: BrokerId,
    unclean: frozenset[BrokerId] = frozenset(),
) -> PartitionRegistration:
    """The partition without a broker in the ISR, which does not lead either.

    Rules: KR-FEN-2, KR-SHUT-2, KR-SHUT-6.
    Source: ReplicationControlManager.generateLeaderAndIsrUpdates.
    """
    change = PartitionChange(
        isr=cluster.stored.isr - {broker},
        acceptable=cluster.acceptable() - {broker},
        kind=kind_allowed(cluster),
        unclean=unclean,
    )
    return build(cluster, change)


def kind_allowed(cluster: KraftCluster) -> ElectionKind:
    """Whether the topic allows unclean elections."""
    if cluster.bounds.allows_unclean_elections:
        return ElectionKind.UNCLEAN
    return ElectionKind.ONLINE
