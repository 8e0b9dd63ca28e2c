"""What fair runs of the cluster in KRaft mode do in the end.

The environment may stop at any time. So each claim is excused by what only the
environment could repair, such as a broker that is down, and by the bound of partition
epochs, beyond which the controller decides nothing.
"""

from __future__ import annotations

from replicheck.invariants.kraft import log_directories
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.modelling.run_claims import leads_to
from replicheck.model.vocabulary import BrokerId


def candidate_is_not_elected(cluster: KraftCluster, broker: BrokerId) -> bool:
    """The partition has no leader, and a healthy broker can be elected cleanly.

    Rules: KLIVE-1.
    """
    if not is_healthy(cluster, broker) or not cluster.stored.is_leaderless():
        return False
    return cluster.stored.can_elect(broker)


def partition_is_served_or_candidate_fails(
    cluster: KraftCluster, broker: BrokerId
) -> bool:
    """The partition is served, or that broker is not healthy any more.

    Rules: KLIVE-1.
    """
    if is_at_last_epoch(cluster) or is_served(cluster):
        return True
    return not is_healthy(cluster, broker)


def record_waits(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A leader has a record that is not committed, and enough replicas in sync.

    It does not wait for one that is about to join and cannot fetch any more.

    Rules: KLIVE-2.
    """
    partition = cluster.partitions[broker]
    if not cluster.leads_in_metadata(broker):
        return False
    if not partition.has_enough_in_sync(cluster.caches[broker].min_isr):
        return False
    if any(
        partition.awaits(member) and not is_healthy(cluster, member)
        for member in cluster.bounds.broker_ids
        if not partition.counts_in_sync(member)
    ):
        return False
    return cluster.logs[broker].has(partition.high_watermark)


def record_is_committed(cluster: KraftCluster, broker: BrokerId) -> bool:
    """It is committed, or the ISR is too small, or another leads.

    Rules: KLIVE-2.
    """
    return is_at_last_epoch(cluster) or not record_waits(cluster, broker)


def process_is_not_unfenced(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A process that is not about to stop runs, and is not registered or is fenced.

    Rules: KLIVE-3.
    """
    process = cluster.processes[broker]
    if not process.is_running or process.is_stopping:
        return False
    if process.epoch is not None and cluster.registrations[broker].is_unregistered:
        return False
    if not cluster.is_registered(broker, process.epoch):
        return True
    return not cluster.is_active(broker)


def process_is_unfenced(cluster: KraftCluster, broker: BrokerId) -> bool:
    """It is registered and not fenced, or it ended.

    Rules: KLIVE-3.
    """
    return is_at_last_epoch(cluster) or not process_is_not_unfenced(cluster, broker)


def dead_broker_is_active(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A broker that does not run is not fenced.

    Rules: KLIVE-4.
    """
    if cluster.processes[broker].is_running:
        return False
    return not cluster.registrations[broker].is_fenced


def dead_broker_is_fenced(cluster: KraftCluster, broker: BrokerId) -> bool:
    """It is fenced, or runs again.

    Rules: KLIVE-4.
    """
    return is_at_last_epoch(cluster) or not dead_broker_is_active(cluster, broker)


def reassignment_has_begun(cluster: KraftCluster) -> bool:
    """A reassignment is in progress, and all replicas that it leads to are healthy.

    Rules: KLIVE-5.
    """
    if not cluster.stored.is_reassigned():
        return False
    return all(
        is_healthy(cluster, broker)
        for broker in cluster.bounds.broker_ids
        if broker in cluster.stored.target
    )


def reassignment_has_ended(cluster: KraftCluster) -> bool:
    """None is in progress, or a replica that it leads to is not healthy.

    Rules: KLIVE-5.
    """
    return is_at_last_epoch(cluster) or not reassignment_has_begun(cluster)


def reassignment_adds_healthy_replicas(cluster: KraftCluster) -> bool:
    """A reassignment is in progress, and all replicas that it adds are healthy.

    It removes no more than it adds, and the partition is served.

    Rules: KLIVE-5.
    """
    stored = cluster.stored
    if not stored.adding or len(stored.adding) < len(stored.removing):
        return False
    if not is_served(cluster):
        return False
    return all(
        is_healthy(cluster, broker)
        for broker in cluster.bounds.broker_ids
        if broker in stored.adding
    )


def added_replicas_are_in_place(cluster: KraftCluster) -> bool:
    """The reassignment is over, or one of those is not healthy, or none leads.

    Rules: KLIVE-5.
    """
    return is_at_last_epoch(cluster) or not reassignment_adds_healthy_replicas(cluster)


def leader_awaits_answer(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A leader waits for the answer to its proposal.

    Rules: KLIVE-7.
    """
    return cluster.leads(broker) and cluster.partitions[broker].is_pending()


def leader_is_answered(cluster: KraftCluster, broker: BrokerId) -> bool:
    """It waits for none.

    Rules: KLIVE-7.
    """
    return is_at_last_epoch(cluster) or not leader_awaits_answer(cluster, broker)


def broker_shuts_down(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A broker is in controlled shutdown.

    Rules: KLIVE-8.
    """
    return cluster.processes[broker].is_stopping


def broker_is_shut_down(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Its process has ended.

    Rules: KLIVE-8.
    """
    return is_at_last_epoch(cluster) or not broker_shuts_down(cluster, broker)


def move_has_begun(cluster: KraftCluster, broker: BrokerId) -> bool:
    """A thread copies a replica's log to another directory.

    Rules: KLIVE-6.
    """
    return cluster.moves[broker].is_copied


def move_has_ended(cluster: KraftCluster, broker: BrokerId) -> bool:
    """No thread copies, since the move is complete, was undone, or the process ended.

    The last partition epoch excuses nothing: a move needs one, and then no more.

    Rules: KLIVE-6.
    """
    return not move_has_begun(cluster, broker)


def healthy_replica_is_behind(cluster: KraftCluster, broker: BrokerId) -> bool:
    """The partition is served, and a healthy replica is not in the ISR.

    Rules: KLIVE-9.
    """
    if not is_healthy(cluster, broker) or not is_served(cluster):
        return False
    return not cluster.stored.counts_in_sync(broker)


def replica_is_in_sync(cluster: KraftCluster, broker: BrokerId) -> bool:
    """It is in the ISR, or not healthy, or the partition is not served.

    Rules: KLIVE-9.
    """
    return is_at_last_epoch(cluster) or not healthy_replica_is_behind(cluster, broker)


def is_served(cluster: KraftCluster) -> bool:
    """Tell whether the partition has a leader in the metadata, which knows and runs."""
    return any(map(cluster.leads_in_metadata, cluster.bounds.broker_ids))


def is_healthy(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether a broker runs and is registered, and can open its replica's log."""
    if not cluster.is_alive(broker) or cluster.processes[broker].is_stopping:
        return False
    if not cluster.stored.has_replica(broker):
        return False
    if cluster.partitions[broker].is_offline:
        return False
    return cluster.disks[broker].has_log()


def is_at_last_epoch(cluster: KraftCluster) -> bool:
    """Tell whether the controller can decide nothing more within the bounds."""
    return cluster.stored.partition_epoch >= cluster.bounds.partition_epochs


CANDIDATE = leads_to(candidate_is_not_elected, partition_is_served_or_candidate_fails)
COMMIT = leads_to(record_waits, record_is_committed)
UNFENCED = leads_to(process_is_not_unfenced, process_is_unfenced)
FENCED = leads_to(dead_broker_is_active, dead_broker_is_fenced)
REASSIGNED = leads_to(reassignment_has_begun, reassignment_has_ended)
MOVED = leads_to(move_has_begun, move_has_ended)
ADDED = leads_to(reassignment_adds_healthy_replicas, added_replicas_are_in_place)
DROPPED = leads_to(
    log_directories.removed_replica_is_assigned,
    log_directories.removed_replica_is_dropped,
)
ANSWERED = leads_to(leader_awaits_answer, leader_is_answered)
SHUT_DOWN = leads_to(broker_shuts_down, broker_is_shut_down)
IN_SYNC = leads_to(healthy_replica_is_behind, replica_is_in_sync)
RUN_CLAIMS = (
    CANDIDATE,
    COMMIT,
    UNFENCED,
    FENCED,
    REASSIGNED,
    MOVED,
    ADDED,
    DROPPED,
    ANSWERED,
    SHUT_DOWN,
    IN_SYNC,
)
