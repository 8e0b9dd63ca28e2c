"""What is true of partitions that are reassigned."""

from __future__ import annotations

from replicheck.invariants.cluster.subjects.quiescence import is_quiescent
from replicheck.model.cluster.broker.isr.isr_shrinking import is_out_of_sync, lags
from replicheck.model.cluster.cells.controller.reassignment_tasks import (
    CheckReassignment,
    RemoveReplicas,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def reassignment_awaits_target_in_isr(
    before: Cluster, after: Cluster, controller: BrokerId, partition: PartitionId
) -> bool:
    """A controller decides to remove replicas where the ISR has all that remain.

    INV-27; holds. A reassignment that is cancelled removes replicas without that.
    """
    if after.threads[controller] is before.threads[controller]:
        return True
    if not before.threads[controller].is_at(CheckReassignment):
        return True
    task = before.threads[controller].task
    assert isinstance(task, CheckReassignment)
    if task.partition != partition:
        return True
    if not after.threads[controller].has(RemoveReplicas):
        return True
    content = before.partition_nodes[partition].content
    target = before.topic_nodes[partition].assignment.target
    return content is not None and content.isr >= set(target)


def quiescent_reassignment_is_complete(
    cluster: Cluster, partition: PartitionId
) -> bool:
    """When quiescent, no replica is about to come or to go.

    LIV-4; holds while the brokers of the target live and all their directories are
    good: a replica that is offline is not taken into the ISR (C-REASG-5), and a broker
    with a bad directory does not create what is added (KAFKA-10314).
    """
    if not cluster.topic_nodes[partition].is_changing():
        return True
    return not (is_quiescent(cluster) and _fetchers_are_done(cluster, partition))


def lagging_followers_can_leave_isr(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> bool:
    """A leader that finds a member of its ISR lagging can take it out.

    C-REASG-7; holds unless a member of the ISR is no replica any more (KAFKA-9672).
    """
    if not cluster.bounds.isr_shrinks:
        return True
    if not lags(cluster, leader, follower, partition):
        return True
    return is_out_of_sync(cluster, leader, follower, partition)


def _fetchers_are_done(cluster: Cluster, partition: PartitionId) -> bool:
    """Tell whether every replica that fetches is in the ISR."""
    return all(
        cluster.fetchers[broker][partition].is_idle()
        or cluster.partition_nodes[partition].counts_in_sync(broker)
        for broker in cluster.bounds.broker_ids
    )


SAFETY = (
    quiescent_reassignment_is_complete,
    lagging_followers_can_leave_isr,
)
STEPS = (reassignment_awaits_target_in_isr,)
