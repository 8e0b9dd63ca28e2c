"""What is true of a controller's decisions, and of who hears of them."""

from __future__ import annotations

from replicheck.invariants.cluster.subjects.quiescence import (
    is_controller,
    is_quiescent,
)
from replicheck.model.cluster.cells.controller.tasks import ReadTopics
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def controller_context_records_its_writes(
    before: Cluster, after: Cluster, controller: BrokerId, partition: PartitionId
) -> bool:
    """A controller that stores a new epoch has it in its memory (C-CTX-3).

    Holds unless ZooKeeper's reply gets lost.
    """
    if after.partition_nodes[partition] is before.partition_nodes[partition]:
        return True
    if after.threads[controller] is before.threads[controller]:
        return True
    if not before.contexts[controller].is_active():
        return True
    if after.faults is not before.faults:
        return True
    content = after.partition_nodes[partition].content
    if content is None:
        return True
    return after.contexts[controller].info_of(partition) == content


def new_controller_knows_stored_assignment(
    before: Cluster, after: Cluster, controller: BrokerId, partition: PartitionId
) -> bool:
    """A new controller has every assignment in memory as it is stored (Z-ASG-1; holds).

    With the replicas that come and those that go.
    """
    old, new = before.threads[controller], after.threads[controller]
    if new is old or not old.is_at(ReadTopics) or new.has(ReadTopics):
        return True
    if not after.contexts[controller].is_active():
        return True
    stored = before.topic_nodes[partition].assignment
    return after.contexts[controller].full_assignment_of(partition) == stored


def no_stopping_broker_joins_isr(
    before: Cluster, after: Cluster, controller: BrokerId, partition: PartitionId
) -> bool:
    """No broker known to be stopping is taken back into the ISR.

    Does not hold in Kafka 2.5.1, whose leaders do not ask (KAFKA-14140).
    """
    if after.partition_nodes[partition] is before.partition_nodes[partition]:
        return True
    if not is_controller(before, controller):
        return True
    old = before.partition_nodes[partition].content
    new = after.partition_nodes[partition].content
    if old is None or new is None or old.epoch != new.epoch:
        return True
    joined = new.isr - old.isr
    return not joined & before.contexts[controller].shutting_down


def stopping_leader_learns_new_leader(
    cluster: Cluster, controller: BrokerId, leader: BrokerId, partition: PartitionId
) -> bool:
    """Where the controller has nothing more to say, no broker stops as an old leader.

    Holds where no request gets lost, and no broker bounces unseen (C-ELECT-5).
    """
    if not cluster.processes[leader].is_shutting_down:
        return True
    if not cluster.presumes_leadership(leader, partition):
        return True
    if not is_controller(cluster, controller):
        return True
    if not cluster.threads[controller].is_idle():
        return True
    if not cluster.event_queues[controller].is_empty():
        return True
    if not cluster.channels[controller][leader].is_empty():
        return True
    epoch = cluster.processes[leader].epoch
    if not cluster.contexts[controller].knows_live(leader, epoch):
        return True
    info = cluster.contexts[controller].info_of(partition)
    if info is None:
        return True
    return not cluster.replicas[leader][partition].is_behind(info.epoch)


def controller_marks_only_stopping_brokers(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> bool:
    """A process that is registered, and was not told to stop, is not passed over.

    Holds (C-CSD-1).
    """
    if broker not in cluster.contexts[controller].shutting_down:
        return True
    if not cluster.processes[broker].is_running:
        return True
    epoch = cluster.broker_nodes[broker].live_epoch
    if not cluster.contexts[controller].knows_live(broker, epoch):
        return True
    return cluster.processes[broker].is_shutting_down


def quiescent_replicas_are_assigned(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, no replica is left of one that was moved away.

    Holds while brokers live, and the controller stays.
    """
    if not cluster.replicas[broker][partition].is_online():
        return True
    if cluster.topic_nodes[partition].assigns(broker):
        return True
    return not is_quiescent(cluster)


def quiescent_controller_forgets_deleted_topics(
    cluster: Cluster, controller: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, the controller knows no deleted topic (C-DEL-6; holds)."""
    if cluster.topic_nodes[partition].exists:
        return True
    if not cluster.contexts[controller].knows_partition(partition):
        return True
    if not is_controller(cluster, controller):
        return True
    return not is_quiescent(cluster)


def quiescent_reassignment_request_is_removed(
    cluster: Cluster, partition: PartitionId
) -> bool:
    """When quiescent, no request is left that is done (Z-REASG-1; holds)."""
    if not cluster.topic_nodes[partition].requested:
        return True
    if cluster.topic_nodes[partition].is_changing():
        return True
    if not any(is_controller(cluster, broker) for broker in cluster.bounds.broker_ids):
        return True
    return not is_quiescent(cluster)


def quiescent_topic_is_initialised(cluster: Cluster, partition: PartitionId) -> bool:
    """When quiescent, a topic that was created has a leader and an ISR (C-TOPIC-1).

    Holds while all brokers live.
    """
    if not cluster.topic_nodes[partition].exists:
        return True
    if cluster.partition_nodes[partition].exists():
        return True
    if not all(
        cluster.broker_nodes[broker].is_present for broker in cluster.bounds.broker_ids
    ):
        return True
    if not any(is_controller(cluster, broker) for broker in cluster.bounds.broker_ids):
        return True
    return not is_quiescent(cluster)


SAFETY = (
    quiescent_reassignment_request_is_removed,
    quiescent_topic_is_initialised,
    stopping_leader_learns_new_leader,
    controller_marks_only_stopping_brokers,
    quiescent_replicas_are_assigned,
    quiescent_controller_forgets_deleted_topics,
)
STEPS = (
    controller_context_records_its_writes,
    new_controller_knows_stored_assignment,
    no_stopping_broker_joins_isr,
)
