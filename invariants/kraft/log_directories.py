"""Invariants of the log directories of brokers in KRaft mode."""

from __future__ import annotations

from replicheck.model.kraft.broker.log_moves import has_online_log
from replicheck.model.kraft.controller.offline_directories import newly_offline
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.vocabulary import BrokerId


def known_directory_is_used(cluster: KraftCluster) -> bool:
    """A replica lies in the directory that the metadata names, once that is settled.

    That is asked of brokers that have applied all metadata, have nothing to tell, and
    do not move the replica.

    Rules: KINV-13.
    """
    return all(
        cluster.stored.is_assigned(broker, cluster.disks[broker].used)
        for broker in cluster.bounds.broker_ids
        if cluster.is_alive(broker)
        if cluster.processes[broker].has_applied(cluster.metadata.end)
        if not tells_directory(cluster, broker)
        if not cluster.moves[broker].exists
        if not cluster.partitions[broker].is_offline
        if cluster.stored.has_replica(broker)
    )


def tells_directory(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether an assignment of a broker is queued, or on its way."""
    if cluster.processes[broker].assignment is not None:
        return True
    return not cluster.assignments[broker].is_free()


def removed_replica_is_assigned(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A broker tells in which directory a replica lies that it does not have any more.

    Rules: KLIVE-6.
    """
    if not cluster.is_alive(broker) or cluster.stored.has_replica(broker):
        return False
    return tells_directory(cluster, broker)


def removed_replica_is_dropped(cluster: KraftCluster, broker: BrokerId) -> bool:
    """It does not tell that any more.

    The last partition epoch excuses nothing, since nothing is written.

    Rules: KLIVE-6.
    """
    return not removed_replica_is_assigned(cluster, broker)


def acknowledged_failure_is_registered(cluster: KraftCluster) -> bool:
    """A failed directory that a broker takes for reported is not online any more.

    The last one of a registration is left out, which stays there.

    Rules: KR-HB-7.
    """
    return all(
        cluster.processes[broker].acknowledged.isdisjoint(
            cluster.registrations[broker].directories
        )
        for broker in cluster.bounds.broker_ids
        if cluster.is_alive(broker)
        if len(cluster.registrations[broker].directories) > 1
    )


def future_log_is_elsewhere(cluster: KraftCluster) -> bool:
    """A future log lies in another directory than the log, once that is opened.

    Rules: KINV-14.
    """
    return not any(
        cluster.moves[broker].goes_to(cluster.disks[broker].used)
        for broker in cluster.bounds.broker_ids
        if has_online_log(cluster, broker)
    )


def offline_replica_is_of_its_topic(cluster: KraftCluster) -> bool:
    """A replica that is offline is one of the topic in the image that its broker has.

    A topic of the same name that was created later has another replica.

    Rules: KLIVE-9.
    """
    return all(
        cluster.partitions[broker].is_of(cluster.caches[broker].partition.topic_id)
        for broker in cluster.bounds.broker_ids
        if cluster.processes[broker].has_published
        if cluster.caches[broker].partition.has_replica(broker)
        if cluster.partitions[broker].is_offline
    )


def offline_leader_is_reported(cluster: KraftCluster) -> bool:
    """A leader that has lost its log has something to tell that ends its leadership.

    That is a failed directory, or the one in which its replica lies.

    Rules: KLIVE-1.
    """
    leader = cluster.stored.leader
    if leader is None or not cluster.is_alive(leader):
        return True
    if not cluster.partitions[leader].is_of(cluster.stored.topic_id):
        return True
    if not cluster.partitions[leader].is_offline or tells_directory(cluster, leader):
        return True
    return cluster.stored.lies_in(leader, newly_offline(cluster, leader))
