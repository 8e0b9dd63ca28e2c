"""Who leads after a change of the partition.

Source: PartitionChangeBuilder.electLeader.
"""

from __future__ import annotations

from replicheck.model.kraft.controller.change_targets import (
    ElectionKind,
    ElectionResult,
    PartitionChange,
    has_elr,
    replicas_after,
)
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId


@rule
def elect(
    cluster: KraftCluster, change: PartitionChange, elr: frozenset[BrokerId]
) -> ElectionResult:
    """The leader after a change: one of the ISR, or of the ELR if the ISR is empty.

    Rules: KR-PCB-3, KR-PCB-4, KR-PCB-5.
    Source: PartitionChangeBuilder.electLeader.
    """
    present = cluster.stored.leader
    replicas = replicas_after(cluster, change)
    valid = valid_leaders(change, elr)
    preferred = replicas[:1] if change.kind is ElectionKind.PREFERRED else ()
    for broker in (*preferred, present, *replicas):
        if broker in valid:
            return ElectionResult(broker)
    last = electable_last_known_leader(cluster, change, elr)
    if last is not None:
        return ElectionResult(last, is_unclean=True)
    if change.kind is ElectionKind.UNCLEAN:
        for broker in replicas:
            if broker in change.acceptable:
                return ElectionResult(broker, is_unclean=True)
    return ElectionResult(None)


def valid_leaders(
    change: PartitionChange, elr: frozenset[BrokerId]
) -> frozenset[BrokerId]:
    """The brokers that can be elected cleanly.

    Rules: KR-PCB-2.  Source: PartitionChangeBuilder.isValidNewLeader.
    """
    return (change.isr or elr) & change.acceptable


@rule
def electable_last_known_leader(
    cluster: KraftCluster, change: PartitionChange, elr: frozenset[BrokerId]
) -> BrokerId | None:
    """The last known leader leads when ISR and ELR are empty, and it is there.

    Rules: KR-PCB-6.  Source: PartitionChangeBuilder.canElectLastKnownLeader.
    """
    if not has_elr(cluster, change):
        return None
    if change.isr or elr:
        return None
    last = cluster.stored.last_known_leader
    return last if last in change.acceptable else None
