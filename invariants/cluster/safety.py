"""What is true of every state of the cluster."""

from __future__ import annotations

from replicheck.invariants.cluster.rest import is_at_rest, is_controller, is_healthy
from replicheck.model.cluster.cells.messages import Answer
from replicheck.model.cluster.cells.thread import (
    BrokerChange,
    ListNotifications,
    LogDirEventNotification,
    OnBrokerStartup,
    ReadBrokers,
    StartReplicaStateMachine,
)
from replicheck.model.cluster.cells.znodes import ZooKeeperPath
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def no_two_brokers_are_controller_in_one_epoch(
    cluster: Cluster, one: BrokerId, other: BrokerId
) -> bool:
    """Each controller epoch belongs to one broker (INV-1; holds)."""
    if one >= other:
        return True
    if not cluster.contexts[one].is_active():
        return True
    if not cluster.contexts[other].is_active():
        return True
    return bool(cluster.contexts[one].epoch != cluster.contexts[other].epoch)


def no_two_brokers_lead_in_one_epoch(
    cluster: Cluster, one: BrokerId, other: BrokerId, partition: PartitionId
) -> bool:
    """Each leader epoch belongs to one broker (INV-4; holds)."""
    if one >= other:
        return True
    if not cluster.presumes_leadership(one, partition):
        return True
    return not cluster.leads_in(
        other, partition, cluster.replicas[one][partition].epoch
    )


def the_stored_isr_is_never_empty(cluster: Cluster, partition: PartitionId) -> bool:
    """Somebody can always be elected cleanly (INV-5; holds)."""
    content = cluster.partition_nodes[partition].content
    return content is None or len(content.isr) > 0


def the_stored_leader_is_in_the_stored_isr(
    cluster: Cluster, partition: PartitionId
) -> bool:
    """The leader of the partition, if it has one, is in the ISR (INV-6; holds)."""
    content = cluster.partition_nodes[partition].content
    return content is None or content.leader is None or content.leader in content.isr


def the_leader_knows_the_stored_isr(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader in the stored epoch has the stored ISR and version (INV-10; holds)."""
    if not cluster.presumes_leadership(leader, partition):
        return True
    if not cluster.partition_nodes[partition].has_epoch(
        cluster.replicas[leader][partition].epoch
    ):
        return True
    content = cluster.partition_nodes[partition].content
    assert content is not None, "its epoch was compared"
    if cluster.replicas[leader][partition].version != content.version:
        return False
    return bool(cluster.replicas[leader][partition].isr == content.isr)


def every_member_of_the_isr_holds_what_is_committed(
    cluster: Cluster, member: BrokerId, partition: PartitionId
) -> bool:
    """What was committed is on the disk of whoever can be elected.

    INV-11; holds as long as no disk is replaced.
    """
    if not cluster.partition_nodes[partition].counts_in_sync(member):
        return True
    committed = cluster.committed[partition].records
    return not committed or any(
        cluster.logs[member][partition][each].starts_with(committed)
        for each in cluster.bounds.directory_ids
    )


def the_true_leader_holds_what_is_committed(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader in the stored epoch has every record that was ever committed.

    INV-12 for all that is committed, acknowledged or not; holds as long as no disk is
    replaced.
    """
    if not cluster.presumes_leadership(leader, partition):
        return True
    if not cluster.partition_nodes[partition].is_in(
        leader, cluster.replicas[leader][partition].epoch
    ):
        return True
    log = cluster.logs[leader][partition][cluster.directory_of(leader, partition)]
    return bool(log.starts_with(cluster.committed[partition].records))


def logs_agree_up_to_every_common_record(
    cluster: Cluster,
    one: BrokerId,
    other: BrokerId,
    directory: DirectoryId,
    partition: PartitionId,
) -> bool:
    """Records with one offset and epoch have the same records below (INV-13; holds).

    Logs in the same directory of two brokers are compared, which is where all begin.
    """
    if one >= other:
        return True
    if not cluster.logs[one][partition][directory].has_records():
        return True
    return bool(
        cluster.logs[one][partition][directory].matches(
            cluster.logs[other][partition][directory].records
        )
    )


def a_broker_has_one_log_of_the_partition(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """No second copy is created while one is on an offline directory.

    INV-15, and what is left of INV-14 without a ghost; holds as long as nobody puts an
    old disk back.
    """
    first, *others = cluster.bounds.directory_ids
    if not cluster.logs[broker][partition][first].exists:
        return True
    return not any(cluster.logs[broker][partition][each].exists for each in others)


def a_replica_marked_offline_does_not_fetch(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """From the handler's first phase on nothing is done for it (INV-16; holds)."""
    if not cluster.replicas[broker][partition].is_offline():
        return True
    return bool(cluster.fetchers[broker][partition].is_idle())


def a_replica_is_marked_offline_for_a_directory(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """Whoever has a marker has a directory that is not good (INV-17; holds)."""
    if not cluster.replicas[broker][partition].is_offline():
        return True
    return not all(
        cluster.directories[broker][each].is_good()
        for each in cluster.bounds.directory_ids
    )


def a_fetcher_fetches_from_the_replicas_leader(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """A fetcher has the leader and the epoch of its replica (INV-26; holds)."""
    if cluster.fetchers[broker][partition].is_idle():
        return True
    if not cluster.replicas[broker][partition].is_online():
        return False
    fetcher = cluster.fetchers[broker][partition]
    if fetcher.leader == broker:
        return False
    return bool(
        cluster.replicas[broker][partition].is_in(fetcher.leader, fetcher.epoch)
    )


def a_running_broker_has_a_directory(cluster: Cluster, broker: BrokerId) -> bool:
    """A broker without a directory in use halts (type invariant; holds)."""
    if not cluster.processes[broker].is_running:
        return True
    return not all(
        cluster.directories[broker][each].is_offline()
        for each in cluster.bounds.directory_ids
    )


def no_epoch_is_ahead_of_the_stored_one(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """No replica and no controller is ahead of ZooKeeper (type invariant; holds)."""
    content = cluster.partition_nodes[partition].content
    epoch = cluster.replicas[broker][partition].epoch
    if epoch is not None and (content is None or epoch > content.epoch):
        return False
    info = cluster.contexts[broker].info_of(partition)
    return info is None or (content is not None and info.epoch <= content.epoch)


def a_high_watermark_is_within_the_log(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """No high watermark is above the end of its log (type invariant; holds)."""
    if cluster.replicas[broker][partition].lacks_log():
        return True
    log = cluster.logs[broker][partition][cluster.directory_of(broker, partition)]
    return bool(log.reaches(cluster.replicas[broker][partition].high_watermark))


def a_handled_failure_is_not_forgotten(
    cluster: Cluster, broker: BrokerId, controller: BrokerId, partition: PartitionId
) -> bool:
    """A replica marked offline is known to the controller, or going to be.

    There is a notification, or an event, request or answer on its way that tells, or
    the controller is going to ask. INV-24; holds, as the handler's thread never dies.
    """
    if not cluster.replicas[broker][partition].is_offline():
        return True
    if not cluster.handlers[broker].is_idle():
        return True
    if not is_controller(cluster, controller):
        return True
    if cluster.contexts[controller].holds_offline(broker, partition):
        return True
    return _is_going_to_ask(cluster, broker, controller) or _is_going_to_hear(
        cluster, broker, controller, partition
    )


def _is_going_to_ask(cluster: Cluster, broker: BrokerId, controller: BrokerId) -> bool:
    thread = cluster.threads[controller]
    if thread.has(StartReplicaStateMachine) or thread.has(OnBrokerStartup):
        return True
    epoch = cluster.broker_nodes[broker].live_epoch
    if not cluster.contexts[controller].knows_live(broker, epoch):
        return (
            thread.has(ReadBrokers)
            or cluster.event_queues[controller].has(BrokerChange())
            or cluster.watches[controller].has_fired(ZooKeeperPath.BROKER_IDS)
        )
    return bool(
        cluster.notifications.has(broker)
        and not thread.has(ListNotifications)
        and (
            cluster.watches[controller].has_fired(ZooKeeperPath.LOG_DIR_EVENTS)
            or cluster.event_queues[controller].has(LogDirEventNotification())
        )
    )


def _is_going_to_hear(
    cluster: Cluster, broker: BrokerId, controller: BrokerId, partition: PartitionId
) -> bool:
    if cluster.channels[controller][broker].asks_about(partition):
        return True
    if cluster.channels[controller][broker].is_answered_with(
        partition, Answer.STORAGE_ERROR
    ):
        return True
    return bool(
        cluster.event_queues[controller].tells_of_storage_error(broker, partition)
    )


def at_rest_a_healthy_member_of_the_isr_means_a_leader(
    cluster: Cluster, member: BrokerId, leader: BrokerId, partition: PartitionId
) -> bool:
    """At rest nobody waits for a leader whom a healthy ISR member could be.

    And the stored leader is one that leads. LIV-1, LIV-6; holds.
    """
    if not cluster.partition_nodes[partition].counts_in_sync(member):
        return True
    if not is_healthy(cluster, member, partition):
        return True
    if not is_at_rest(cluster):
        return True
    if cluster.partition_nodes[partition].is_led_by(None):
        return False
    if not cluster.partition_nodes[partition].is_led_by(leader):
        return True
    return cluster.leads_in(
        leader, partition, cluster.replicas[leader][partition].epoch
    )


def at_rest_no_offline_replica_is_in_the_isr_beside_others(
    cluster: Cluster, member: BrokerId, partition: PartitionId
) -> bool:
    """At rest a replica that is offline has left the ISR, or is alone in it.

    LIV-2, its first half; holds.
    """
    if not cluster.partition_nodes[partition].counts_in_sync(member):
        return True
    if is_healthy(cluster, member, partition):
        return True
    if not is_at_rest(cluster):
        return True
    if cluster.controller_nodes.is_absent():
        return True
    content = cluster.partition_nodes[partition].content
    return content is not None and len(content.isr) == 1


def at_rest_every_broker_tells_the_truth(
    cluster: Cluster, broker: BrokerId, controller: BrokerId
) -> bool:
    """At rest every broker's metadata are what the controller knows.

    INV-21, LIV-7; holds here, where no topic is deleted and no duplicate comes late.
    """
    if not cluster.bounds.metadata:
        return True
    if not cluster.processes[broker].is_running:
        return True
    if not is_controller(cluster, controller):
        return True
    if not is_at_rest(cluster):
        return True
    if cluster.metadata[broker].live != cluster.contexts[controller].live_brokers:
        return False
    return bool(cluster.metadata[broker].says(cluster.contexts[controller].metadata))


def at_rest_a_broker_with_a_good_directory_has_a_replica(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """At rest a new replica was created wherever there is a good directory.

    LIV-9; holds for a topic that is created while all brokers live and the controller
    stays, which is what it is to be checked with.
    """
    if cluster.partition_nodes[partition].content is None:
        return True
    if not cluster.topic_nodes[partition].assigns(broker):
        return True
    if any(
        cluster.logs[broker][partition][each].exists
        for each in cluster.bounds.directory_ids
    ):
        return True
    if not cluster.processes[broker].is_running:
        return True
    return not is_at_rest(cluster)


SAFETY = (
    no_two_brokers_are_controller_in_one_epoch,
    no_two_brokers_lead_in_one_epoch,
    the_stored_isr_is_never_empty,
    the_stored_leader_is_in_the_stored_isr,
    the_leader_knows_the_stored_isr,
    every_member_of_the_isr_holds_what_is_committed,
    the_true_leader_holds_what_is_committed,
    logs_agree_up_to_every_common_record,
    a_broker_has_one_log_of_the_partition,
    a_replica_marked_offline_does_not_fetch,
    a_replica_is_marked_offline_for_a_directory,
    a_fetcher_fetches_from_the_replicas_leader,
    a_running_broker_has_a_directory,
    no_epoch_is_ahead_of_the_stored_one,
    a_high_watermark_is_within_the_log,
    a_handled_failure_is_not_forgotten,
    at_rest_a_healthy_member_of_the_isr_means_a_leader,
    at_rest_no_offline_replica_is_in_the_isr_beside_others,
    at_rest_every_broker_tells_the_truth,
    at_rest_a_broker_with_a_good_directory_has_a_replica,
)
