"""Kafka 2.5.1 as a protocol, and the model that runs it from a state on."""

from __future__ import annotations

from replicheck.model.cluster import watches
from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.broker import (
    clients,
    duplicate_requests,
    leader_and_isr,
    log_dirs,
    processes,
    replication,
    requests,
)
from replicheck.model.cluster.broker.isr import (
    caught_up_followers,
    isr_changes,
    isr_shrinking,
)
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller import (
    api_requests,
    broker_changes,
    controller_election,
    events,
    failover,
    isr_notifications,
    sessions,
)
from replicheck.model.cluster.controller.deletion import (
    replica_deletion,
    topic_deletion,
)
from replicheck.model.cluster.controller.partitions import (
    isr_removal,
    partition_states,
    replica_states,
)
from replicheck.model.cluster.controller.reassignment import (
    reassignment,
    reassignment_requests,
    reassignment_steps,
)
from replicheck.model.cluster.enabling_bounds import ONLY_WITH
from replicheck.model.cluster.environment import administration, faults, lost_replies
from replicheck.model.cluster.state import Cluster, with_topic
from replicheck.model.protocol import Action, Protocol, ProtocolModel
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId

ENVIRONMENT: tuple[Action, ...] = (
    faults.create_topic,
    faults.prefer_directory,
    faults.fail_directory,
    faults.replace_directory,
    faults.crash,
    processes.end_session,
    processes.start_broker,
    faults.move_controller,
    faults.expire_session,
    administration.request_preferred_election,
    administration.request_unclean_election,
    administration.delete_topic,
    administration.reassign_partition,
    administration.cancel_reassignment,
    administration.shut_down,
    administration.finish_shutdown,
    administration.repeat_shutdown_request,
    administration.receive_late_shutdown_request,
)
CONTROLLER: tuple[Action, ...] = (
    watches.deliver_watch,
    sessions.begin_session,
    sessions.register_again,
    controller_election.elect,
    controller_election.ignore_event,
    failover.list_notifications,
    failover.read_brokers,
    failover.read_topics,
    failover.read_partition_state,
    failover.start_replica_state_machine,
    failover.start_partition_state_machine,
    events.handle_topic_change,
    broker_changes.handle_broker_change,
    broker_changes.on_broker_startup,
    broker_changes.on_broker_failure,
    events.handle_log_dir_event,
    events.delete_notifications,
    events.handle_leader_and_isr_response,
    api_requests.handle_election_request,
    api_requests.handle_controlled_shutdown,
    api_requests.stop_replicas,
    watches.deliver_state_watch,
    reassignment_requests.handle_alter_reassignment,
    reassignment_requests.handle_zk_reassignment,
    reassignment_requests.read_reassignments,
    reassignment.reassign,
    reassignment.handle_reassignment_isr_change,
    reassignment.check_reassignment,
    reassignment_steps.read_for_epoch,
    reassignment_steps.write_epoch,
    reassignment_steps.start_new_replicas,
    reassignment_steps.remove_replicas,
    reassignment_steps.write_assignment,
    reassignment_requests.drop_request,
    reassignment_steps.finish_reassignment,
    topic_deletion.handle_topic_deletion,
    topic_deletion.read_deletions,
    topic_deletion.resume_deletions,
    replica_deletion.on_topic_deletion,
    replica_deletion.start_replica_deletion,
    replica_deletion.handle_stop_replica_response,
    replica_deletion.settle_replicas,
    topic_deletion.delete_topic_node,
    topic_deletion.delete_marker,
    isr_notifications.handle_isr_change_notification,
    isr_notifications.list_isr_changes,
    isr_notifications.tell_isr_changes,
    replica_states.announce_brokers,
    partition_states.initialize_partition,
    partition_states.read_for_election,
    partition_states.write_election,
    isr_removal.read_for_isr_removal,
    isr_removal.write_isr_removal,
)
BROKER: tuple[Action, ...] = (
    requests.receive_response,
    leader_and_isr.handle_leader_and_isr,
    requests.handle_stop_replica,
    requests.handle_update_metadata,
    duplicate_requests.send_again,
    duplicate_requests.handle_duplicate_request,
    isr_changes.propagate_isr_changes,
    log_dirs.mark_replicas_offline,
    log_dirs.close_directory,
    log_dirs.notify_controller,
    log_dirs.lose_handler,
)
REPLICATION: tuple[Action, ...] = (
    replication.append,
    clients.complete_produce,
    replication.truncate,
    replication.fetch,
    isr_shrinking.shrink_isr,
    caught_up_followers.catch_up,
    caught_up_followers.fall_behind,
)
KAFKA_2_5 = Protocol(
    "kafka-2.5.1",
    ENVIRONMENT + CONTROLLER + BROKER + REPLICATION + lost_replies.ACTIONS,
)

PROTOCOLS = (KAFKA_2_5,)


def cluster_model(
    protocol: Protocol = KAFKA_2_5,
    bounds: Bounds = Bounds(),
    start: Cluster | None = None,
) -> ProtocolModel:
    """The model of the cluster under one protocol, within bounds, from one state on."""
    return ProtocolModel(
        "cluster",
        protocol,
        bounds,
        with_topic,
        domains={
            BrokerId: bounds.broker_ids,
            DirectoryId: bounds.directory_ids,
            PartitionId: bounds.partition_ids,
            ZooKeeperPath: tuple(ZooKeeperPath),
        },
        budgets={action.__name__: needed for action, needed in ONLY_WITH.items()},
        start=start,
    )
