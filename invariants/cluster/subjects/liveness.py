"""What was to happen in the end, judged where nothing is left to do."""

from __future__ import annotations

from replicheck.invariants.cluster.subjects.quiescence import (
    is_controller,
    is_healthy,
    is_quiescent,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def quiescent_partition_has_leader(
    cluster: Cluster, member: BrokerId, leader: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, no partition lacks a leader that a healthy ISR member could be.

    And the stored leader is one that leads. LIV-1, LIV-6; holds.
    """
    if not cluster.partition_nodes[partition].counts_in_sync(member):
        return True
    if not is_healthy(cluster, member, partition):
        return True
    if not is_quiescent(cluster):
        return True
    if cluster.topic_nodes[partition].is_marked:
        return True
    if cluster.partition_nodes[partition].is_led_by(None):
        return False
    if not cluster.partition_nodes[partition].is_led_by(leader):
        return True
    return cluster.leads_in(
        leader, partition, cluster.replicas[leader][partition].epoch
    )


def quiescent_leader_has_good_directory(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, no leader is on a directory whose failure was not handled.

    LIV-1; holds as long as no failure handler's thread ends, which an expired session
    can make it (B-LDF-4).
    """
    if not cluster.handlers[leader].is_dead():
        return True
    if not cluster.presumes_leadership(leader, partition):
        return True
    if not cluster.directories[leader][
        cluster.directory_of(leader, partition)
    ].is_failing():
        return True
    return not is_quiescent(cluster)


def quiescent_isr_excludes_offline_replicas(
    cluster: Cluster, member: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, a replica that is offline has left the ISR, or is alone in it.

    LIV-2, its first half; holds as long as no failure handler's thread ends, and no
    leader takes a replica in after the controller took it for dead (KAFKA-14140).
    """
    if not cluster.partition_nodes[partition].counts_in_sync(member):
        return True
    if is_healthy(cluster, member, partition):
        return True
    if not is_quiescent(cluster):
        return True
    if cluster.controller_nodes.is_absent():
        return True
    if cluster.topic_nodes[partition].is_marked:
        return True
    content = cluster.partition_nodes[partition].content
    return content is not None and len(content.isr) == 1


def quiescent_followers_fetch_from_leader(
    cluster: Cluster, follower: BrokerId, leader: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, every replica that could follow the stored leader does.

    LIV-2, its second half; holds where no duplicate comes late. An answer of a process
    before, if it came late enough, would break it (C-LIR-5).
    """
    if follower == leader:
        return True
    if not cluster.partition_nodes[partition].is_led_by(leader):
        return True
    if not cluster.replicas[follower][partition].is_online():
        return True
    if not is_healthy(cluster, follower, partition):
        return True
    if not is_quiescent(cluster):
        return True
    epoch = cluster.replicas[leader][partition].epoch
    return cluster.fetchers[follower][partition].is_of(leader, epoch)


def quiescent_offline_replica_blocks_no_producer(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, no producer waits at a replica that was marked offline.

    The failure handler answers no producer, but the controller's StopReplica makes the
    broker do so. B-LDF-5, C-RSM-4; holds as long as the controller is told, and not
    before the replica is marked.
    """
    if cluster.produces[broker][partition].is_empty():
        return True
    if not cluster.replicas[broker][partition].is_offline():
        return True
    return not is_quiescent(cluster)


def quiescent_metadata_is_current(
    cluster: Cluster, broker: BrokerId, controller: BrokerId
) -> bool:
    """When quiescent, every broker's metadata are what the controller knows.

    Of a topic that is being deleted brokers may know nothing, or what they knew before.
    INV-21, LIV-7; holds where no duplicate comes late.
    """
    if not cluster.bounds.metadata:
        return True
    if not cluster.processes[broker].is_running:
        return True
    if not is_controller(cluster, controller):
        return True
    if not is_quiescent(cluster):
        return True
    if (
        cluster.metadata[broker].live
        != cluster.contexts[controller].live_or_shutting_down
    ):
        return False
    deleted = cluster.contexts[controller].queued_for_deletion
    said = cluster.contexts[controller].metadata
    return cluster.metadata[broker].agrees_with(said, deleted)


def quiescent_metadata_has_stored_isr(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, clients are told the ISR that is stored.

    LIV-7, Z-ISRN-1; holds where leaders tell of ISR changes, no topic is deleted and no
    duplicate comes late.
    """
    if not cluster.bounds.isr_notifications or not cluster.bounds.metadata:
        return True
    told = cluster.metadata[broker].partitions[partition]
    content = cluster.partition_nodes[partition].content
    if told is None or content is None or told.isr == content.isr:
        return True
    if not any(is_controller(cluster, peer) for peer in cluster.bounds.broker_ids):
        return True
    return not is_quiescent(cluster)


def quiescent_assigned_brokers_have_logs(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, a new replica was created wherever there is a good directory.

    LIV-9; holds for a topic that is created while all brokers live, the controller
    stays, and no operator named a directory that failed since. A replica that lost its
    log with a disk counts as new, although KIP-112 wants that it is not created again
    beside a bad directory (B-NEW-1).
    """
    if cluster.partition_nodes[partition].content is None:
        return True
    if not cluster.topic_nodes[partition].assigns(broker):
        return True
    if cluster.topic_nodes[partition].is_marked:
        return True
    if any(
        cluster.logs[broker][partition][directory].exists
        for directory in cluster.bounds.directory_ids
    ):
        return True
    if not cluster.processes[broker].is_running:
        return True
    return not is_quiescent(cluster)


def quiescent_topic_deletion_is_complete(
    cluster: Cluster, partition: PartitionId
) -> bool:
    """When quiescent, a topic that is to be deleted waits for a broker or a directory.

    LIV-5; holds where the last failure is followed by the start of a broker that has a
    replica, as no timer lets a deletion go on.
    """
    if not cluster.topic_nodes[partition].is_marked:
        return True
    for broker in cluster.bounds.broker_ids:
        if not cluster.processes[broker].is_running:
            return True
        directories = cluster.directories[broker]
        if not all(
            directories[directory].is_good()
            for directory in cluster.bounds.directory_ids
        ):
            return True
    return not is_quiescent(cluster)


SAFETY = (
    quiescent_partition_has_leader,
    quiescent_leader_has_good_directory,
    quiescent_isr_excludes_offline_replicas,
    quiescent_followers_fetch_from_leader,
    quiescent_offline_replica_blocks_no_producer,
    quiescent_metadata_is_current,
    quiescent_metadata_has_stored_isr,
    quiescent_assigned_brokers_have_logs,
    quiescent_topic_deletion_is_complete,
)
