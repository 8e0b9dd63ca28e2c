"""How a leader tells the controller of ISRs that it stored.

Abstraction: the timers are not there; it tells at any time after.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.vocabulary import BrokerId, PartitionId


def record_isr_change(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Cluster:
    """Remember that a partition's ISR was stored, if the bounds have notifications.

    Rules: Z-ISRN-1.  Source: ReplicaManager.recordIsrChange.
    """
    if not cluster.bounds.isr_notifications:
        return cluster
    changed = cluster.changed_partitions[broker].add(partition)
    return cluster.evolve(changed_partitions={broker: changed})


def propagate_isr_changes(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A broker tells, in one notification, of all ISRs that it stored.

    Rules: Z-ISRN-1, Z-WATCH-1.  Source: ReplicaManager.maybePropagateIsrChanges.
    """
    if cluster.changed_partitions[broker].is_empty():
        return
    if cluster.processes[broker].is_cut_off:
        return
    partitions = cluster.changed_partitions[broker].partitions
    cluster = fire_watches(cluster, ZooKeeperPath.ISR_CHANGES)
    yield cluster.evolve(
        isr_changes=cluster.isr_changes.create(partitions),
        changed_partitions={broker: cluster.changed_partitions[broker].clear()},
    )
