"""What a sound check of the cluster must have seen."""

from __future__ import annotations

from replicheck.invariants.cluster.subjects.quiescence import (
    is_controller,
    is_quiescent,
)
from replicheck.model.cluster.broker.clients import metadata_response
from replicheck.model.cluster.cells.channels import Answer
from replicheck.model.cluster.cells.controller.events import Strategy
from replicheck.model.cluster.cells.controller.state_machines import ReplicaState
from replicheck.model.cluster.cells.controller.tasks import (
    WriteElection,
    WriteIsrRemoval,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def every_assigned_broker_hosts_replica(
    cluster: Cluster, partition: PartitionId
) -> bool:
    """Every broker that topics are assigned to has a partition object."""
    return all(
        cluster.replicas[broker][partition].is_online()
        for broker in cluster.bounds.assignment
    )


def controller_knows_offline_replica(
    cluster: Cluster, controller: BrokerId, broker: BrokerId, partition: PartitionId
) -> bool:
    """A controller knows of an offline directory of a live broker."""
    return cluster.contexts[controller].holds_offline(broker, partition)


def leader_is_replaced(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, a replica that is not the preferred one leads."""
    if leader == cluster.bounds.broker_ids[0]:
        return False
    if not cluster.partition_nodes[partition].is_led_by(leader):
        return False
    if not cluster.presumes_leadership(leader, partition):
        return False
    return is_quiescent(cluster)


def partition_has_no_leader(cluster: Cluster, partition: PartitionId) -> bool:
    """When quiescent, no broker leads, as the last member of the ISR is offline."""
    return cluster.partition_nodes[partition].is_led_by(None) and is_quiescent(cluster)


def broker_answers_stale_leader_epoch(
    cluster: Cluster, controller: BrokerId, broker: BrokerId, partition: PartitionId
) -> bool:
    """A broker is asked in an epoch that it has already."""
    return cluster.channels[controller][broker].is_answered_with(
        partition, Answer.STALE
    )


def offline_replica_is_stored_leader(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """A replica is the stored leader, and its broker has marked it offline."""
    if not cluster.replicas[leader][partition].is_offline():
        return False
    return cluster.partition_nodes[partition].is_led_by(leader)


def failed_directory_prevents_leadership(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """A broker has an epoch of its own, but could not store it, and does not lead."""
    if not cluster.replicas[broker][partition].is_online():
        return False
    epoch = cluster.replicas[broker][partition].epoch
    if not cluster.partition_nodes[partition].is_in(broker, epoch):
        return False
    return not cluster.presumes_leadership(broker, partition)


def conditional_write_fails(
    cluster: Cluster, controller: BrokerId, partition: PartitionId
) -> bool:
    """A controller is about to write over a version that it did not read."""
    thread = cluster.threads[controller]
    if not (thread.is_at(WriteElection) or thread.is_at(WriteIsrRemoval)):
        return False
    task = thread.task
    assert isinstance(task, WriteElection | WriteIsrRemoval)
    return not cluster.partition_nodes[partition].has_version(task.content.version - 1)


def topic_is_deleted(cluster: Cluster, partition: PartitionId) -> bool:
    """When quiescent, a topic is gone, and its marker is."""
    node = cluster.topic_nodes[partition]
    if node.exists or not node.was_deleted or node.is_marked:
        return False
    return is_quiescent(cluster)


def topic_deletion_is_halted(
    cluster: Cluster, controller: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, the deletion of a topic is halted, as a replica is offline."""
    if not cluster.contexts[controller].has_begun_to_delete(partition):
        return False
    return is_quiescent(cluster)


def partition_is_reassigned(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, a broker has a replica that it was not assigned at first."""
    if broker in cluster.bounds.assignment:
        return False
    if cluster.topic_nodes[partition].is_changing():
        return False
    if not cluster.topic_nodes[partition].assigns(broker):
        return False
    return is_quiescent(cluster)


def new_replica_is_refused(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """A broker has a marker for a replica of which it never had a log."""
    if not cluster.replicas[broker][partition].is_offline():
        return False
    return not any(
        cluster.logs[broker][partition][directory].exists
        for directory in cluster.bounds.directory_ids
    )


def unclean_leader_is_elected(cluster: Cluster, controller: BrokerId) -> bool:
    """A controller is about to store a leader that is not in the ISR."""
    if not cluster.threads[controller].is_at(WriteElection):
        return False
    task = cluster.threads[controller].task
    assert isinstance(task, WriteElection)
    content = cluster.partition_nodes[task.reading.partition].content
    return content is not None and task.content.leader not in content.isr


def preferred_replica_is_elected(cluster: Cluster, controller: BrokerId) -> bool:
    """A controller is about to give leadership back to the preferred replica."""
    if not cluster.threads[controller].is_at(WriteElection):
        return False
    task = cluster.threads[controller].task
    assert isinstance(task, WriteElection)
    return task.reading.strategy is Strategy.PREFERRED


def stopping_broker_has_moved_leadership(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """A broker that shuts down is still running, and follows another leader."""
    if not cluster.processes[broker].is_shutting_down:
        return False
    if not cluster.replicas[broker][partition].is_online():
        return False
    return cluster.topic_nodes[partition].prefers(broker) and not cluster.replicas[
        broker
    ][partition].is_led_by(broker)


def restarted_broker_is_in_isr(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, a broker that was restarted is in sync again."""
    if not cluster.processes[broker].has_epoch_above(cluster.bounds.first_broker_epoch):
        return False
    if not cluster.partition_nodes[partition].counts_in_sync(broker):
        return False
    return is_quiescent(cluster)


def new_controller_knows_offline_replica(
    cluster: Cluster, controller: BrokerId, broker: BrokerId, partition: PartitionId
) -> bool:
    """A controller in another epoch than the first learned of an offline directory."""
    if not is_controller(cluster, controller):
        return False
    if cluster.controller_nodes.has_epoch(cluster.bounds.first_controller_epoch):
        return False
    return cluster.contexts[controller].holds_offline(broker, partition)


def two_brokers_act_as_controller(
    cluster: Cluster, first: BrokerId, second: BrokerId
) -> bool:
    """A deposed controller does not know it yet."""
    if first >= second:
        return False
    if not cluster.contexts[first].is_active():
        return False
    return cluster.contexts[second].is_active()


def expired_leader_overlaps_new_leader(
    cluster: Cluster, zombie: BrokerId, leader: BrokerId, partition: PartitionId
) -> bool:
    """A broker whose session expired believes that it leads, and another does."""
    if not cluster.processes[zombie].is_cut_off:
        return False
    if not cluster.presumes_leadership(zombie, partition):
        return False
    if zombie == leader:
        return False
    return cluster.presumes_leadership(leader, partition)


def leader_waits_for_zookeeper(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader does not know whether the ISR that it wrote is stored."""
    return cluster.replicas[leader][partition].is_locked()


def record_is_acknowledged(cluster: Cluster, partition: PartitionId) -> bool:
    """A producer knows that all in sync have its record."""
    return cluster.acknowledged[partition].has_any()


def producer_waits_at_offline_replica(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """The failure handler has marked a replica, and answered no producer (B-LDF-5)."""
    if not cluster.replicas[broker][partition].is_offline():
        return False
    return not cluster.produces[broker][partition].is_empty()


def clients_learn_of_offline_replica(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """A broker's answer to a metadata request has an offline replica and a leader."""
    told = metadata_response(cluster, broker, partition)
    return told is not None and told.leader is not None and bool(told.offline_replicas)


def offline_replica_has_state_online(
    cluster: Cluster, controller: BrokerId, broker: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, a replica known to be offline is in state online (C-LDE-3).

    So INV-23 is false: a second notification of a broker makes all of its replicas
    online, and the storage error that follows is not new.
    """
    if not cluster.contexts[controller].holds_offline(broker, partition):
        return False
    if not cluster.contexts[controller].is_in(broker, partition, ReplicaState.ONLINE):
        return False
    return is_quiescent(cluster)


def failure_handler_has_ended(cluster: Cluster, broker: BrokerId) -> bool:
    """No later failure of a directory is handled."""
    return cluster.handlers[broker].is_dead()


def record_is_committed(cluster: Cluster, partition: PartitionId) -> bool:
    """A record is below the high watermark of a true leader."""
    return cluster.committed[partition].has_any()


WITNESSES = (
    every_assigned_broker_hosts_replica,
    controller_knows_offline_replica,
    leader_is_replaced,
    partition_has_no_leader,
    broker_answers_stale_leader_epoch,
    offline_replica_is_stored_leader,
    failed_directory_prevents_leadership,
    conditional_write_fails,
    topic_is_deleted,
    topic_deletion_is_halted,
    partition_is_reassigned,
    new_replica_is_refused,
    unclean_leader_is_elected,
    preferred_replica_is_elected,
    stopping_broker_has_moved_leadership,
    restarted_broker_is_in_isr,
    new_controller_knows_offline_replica,
    two_brokers_act_as_controller,
    expired_leader_overlaps_new_leader,
    leader_waits_for_zookeeper,
    record_is_acknowledged,
    producer_waits_at_offline_replica,
    clients_learn_of_offline_replica,
    offline_replica_has_state_online,
    failure_handler_has_ended,
    record_is_committed,
)
