"""What fair runs do in the end: leaders, deletions, reassignments.

The environment may stop at any time. So each claim is excused by what only the
environment could repair: a broker that is down, a directory that is not good.
"""

from __future__ import annotations

from replicheck.invariants.cluster.subjects.quiescence import is_healthy
from replicheck.model.cluster.state import Cluster
from replicheck.model.modelling.run_claims import leads_to
from replicheck.model.vocabulary import BrokerId, PartitionId


def isr_member_could_lead(
    cluster: Cluster, member: BrokerId, partition: PartitionId
) -> bool:
    """A partition has no leader, and a healthy member of its ISR."""
    if not cluster.partition_nodes[partition].is_led_by(None):
        return False
    if not cluster.partition_nodes[partition].counts_in_sync(member):
        return False
    if cluster.topic_nodes[partition].is_marked:
        return False
    return is_healthy(cluster, member, partition)


def partition_is_led_or_member_cannot(
    cluster: Cluster, member: BrokerId, partition: PartitionId
) -> bool:
    """The partition has a leader, or the member is none that could lead any more."""
    return not isr_member_could_lead(cluster, member, partition)


def topic_is_marked_for_deletion(cluster: Cluster, partition: PartitionId) -> bool:
    """A topic is marked for deletion."""
    return cluster.topic_nodes[partition].is_marked


def deletion_has_ended(cluster: Cluster, partition: PartitionId) -> bool:
    """The topic is not marked any more, or a broker or a directory is not there."""
    return not cluster.topic_nodes[partition].is_marked or not _all_is_there(cluster)


def reassignment_has_begun(cluster: Cluster, partition: PartitionId) -> bool:
    """A partition is being reassigned."""
    return cluster.topic_nodes[partition].is_changing()


def reassignment_has_ended(cluster: Cluster, partition: PartitionId) -> bool:
    """No replica is about to come or to go, or a broker or directory is not there."""
    is_changing = cluster.topic_nodes[partition].is_changing()
    return not is_changing or not _all_is_there(cluster)


def _all_is_there(cluster: Cluster) -> bool:
    """Tell whether every broker runs, and every directory is good."""
    return all(
        cluster.processes[broker].is_running
        and all(
            cluster.directories[broker][directory].is_good()
            for directory in cluster.bounds.directory_ids
        )
        for broker in cluster.bounds.broker_ids
    )


RUN_CLAIMS = (
    leads_to(isr_member_could_lead, partition_is_led_or_member_cannot),
    leads_to(topic_is_marked_for_deletion, deletion_has_ended),
    leads_to(reassignment_has_begun, reassignment_has_ended),
)
