"""What is true of steps while a replica is marked offline."""

from __future__ import annotations

from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def only_online_leader_writes_isr(
    before: Cluster, after: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader that marked its replica offline leaves the ISR alone (B-LDF-6; holds).

    Without a new epoch only the leader writes.
    """
    if after.partition_nodes[partition] is before.partition_nodes[partition]:
        return True
    if not before.partition_nodes[partition].is_led_by(leader):
        return True
    new = after.partition_nodes[partition].content
    old = before.partition_nodes[partition].content
    if old is None or new is None or new.epoch != old.epoch:
        return True
    return before.replicas[leader][partition].is_online()


def offline_marker_stays_until_restart(
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """A replica marked offline stays so until its process ends (B-LDF-6; holds)."""
    if after.replicas[broker][partition] is before.replicas[broker][partition]:
        return True
    if not before.replicas[broker][partition].is_offline():
        return True
    if not after.processes[broker].is_running:
        return True
    return after.replicas[broker][partition].is_offline()


def directories_fail_only_by_fault(
    before: Cluster, after: Cluster, broker: BrokerId, directory: DirectoryId
) -> bool:
    """Nothing that a broker does takes a good directory from it (B-DIR-1; holds)."""
    if after.directories[broker][directory] is before.directories[broker][directory]:
        return True
    if not after.directories[broker][directory].is_failing():
        return True
    return after.faults is not before.faults


STEPS = (
    only_online_leader_writes_isr,
    offline_marker_stays_until_restart,
    directories_fail_only_by_fault,
)
