"""When nothing is left to do for ZooKeeper, the controllers and the channels."""

from __future__ import annotations

from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def is_quiescent(cluster: Cluster) -> bool:
    """Tell whether no event, request, answer, watch, failure or stop is pending.

    Replication may still go on.
    """
    brokers = cluster.bounds.broker_ids
    return (
        all(cluster.event_queues[broker].is_empty() for broker in brokers)
        and all(cluster.threads[broker].is_idle() for broker in brokers)
        and all(cluster.watches[broker].none_has_fired() for broker in brokers)
        and all(cluster.changed_partitions[broker].is_empty() for broker in brokers)
        and all(cluster.duplicate_requests[broker].is_empty() for broker in brokers)
        and not any(_has_lock(cluster, broker) for broker in brokers)
        and all(_disks_are_quiescent(cluster, broker) for broker in brokers)
        and all(_session_is_quiescent(cluster, broker) for broker in brokers)
        and all(
            cluster.channels[sender][receiver].is_empty()
            for sender in brokers
            for receiver in brokers
        )
    )


def _has_lock(cluster: Cluster, broker: BrokerId) -> bool:
    return any(
        cluster.replicas[broker][partition].is_locked()
        for partition in cluster.bounds.partition_ids
    )


def _disks_are_quiescent(cluster: Cluster, broker: BrokerId) -> bool:
    if cluster.handlers[broker].is_dead():
        return True
    if not cluster.handlers[broker].is_idle():
        return False
    return not any(
        cluster.directories[broker][directory].is_failing()
        for directory in cluster.bounds.directory_ids
    )


def _session_is_quiescent(cluster: Cluster, broker: BrokerId) -> bool:
    if cluster.broker_nodes[broker].is_present:
        if cluster.processes[broker].is_shutting_down:
            return False
        return cluster.processes[broker].is_running
    return not cluster.processes[broker].is_running


def is_healthy(cluster: Cluster, broker: BrokerId, partition: PartitionId) -> bool:
    """Tell whether a broker runs and has a log of the partition in use."""
    if not cluster.processes[broker].is_running:
        return False
    return any(
        cluster.directories[broker][directory].is_good()
        and cluster.logs[broker][partition][directory].exists
        for directory in cluster.bounds.directory_ids
    )


def is_controller(cluster: Cluster, broker: BrokerId) -> bool:
    """Tell whether a broker is the controller, and knows it."""
    if not cluster.contexts[broker].is_active():
        return False
    return cluster.controller_nodes.is_held_by(broker)
