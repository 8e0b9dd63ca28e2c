"""Invariants of what the controller stores in KRaft mode."""

from __future__ import annotations

from replicheck.model.kraft.state import KraftCluster


def stored_leader_is_in_isr(cluster: KraftCluster) -> bool:
    """Who leads in the metadata is in the ISR, which is empty only with ELR.

    Rules: KINV-10.
    """
    leader = cluster.stored.leader
    if leader is not None:
        return cluster.stored.counts_in_sync(leader)
    if not cluster.stored.replicas:
        return True
    has_elr = cluster.bounds.has_eligible_leader_replicas
    return has_elr or cluster.stored.has_in_sync(1)


def stored_elr_is_outside_isr(cluster: KraftCluster) -> bool:
    """No broker is in both the ISR and the ELR, which is empty while the ISR is large.

    Rules: KINV-9.
    """
    if cluster.stored.has_member_in_both():
        return False
    if not cluster.has_elr:
        return True
    least = min(cluster.min_isr, cluster.bounds.brokers)
    return cluster.stored.has_empty_elr() or not cluster.stored.has_in_sync(least)


def last_known_leader_implies_leaderless(cluster: KraftCluster) -> bool:
    """A last known leader is kept only while there is no leader.

    Rules: KINV-9.
    """
    return cluster.stored.is_leaderless() or not cluster.stored.has_last_known_leader()


def leaderless_partition_has_candidate(cluster: KraftCluster) -> bool:
    """Without a leader, it is known which broker can lead once it is back.

    Rules: KLIVE-1.
    """
    stored = cluster.stored
    if not stored.is_leaderless() or stored.has_in_sync(1) or not stored.replicas:
        return True
    if not stored.has_empty_elr():
        return True
    return cluster.has_elr and stored.has_last_known_leader()


def stored_leader_is_active(cluster: KraftCluster) -> bool:
    """Who leads in the metadata is neither fenced nor in controlled shutdown.

    Rules: KINV-11.
    """
    leader = cluster.stored.leader
    return leader is None or cluster.is_active(leader)


def stored_isr_is_active(cluster: KraftCluster) -> bool:
    """Members of the ISR are active, but for the last one without ELR.

    Rules: KINV-12.
    """
    return is_last_in_sync_without_elr(cluster) or all(
        cluster.is_active(broker)
        for broker in cluster.bounds.broker_ids
        if cluster.stored.counts_in_sync(broker)
    )


def stored_leader_directory_is_online(cluster: KraftCluster) -> bool:
    """The log directory of who leads in the metadata counts as online.

    Rules: KINV-11.
    """
    leader = cluster.stored.leader
    return leader is None or cluster.has_online_directory(leader)


def stored_isr_directories_are_online(cluster: KraftCluster) -> bool:
    """The log directories of the ISR count as online, but for the last one without ELR.

    Rules: KINV-12.
    """
    return is_last_in_sync_without_elr(cluster) or all(
        cluster.has_online_directory(broker)
        for broker in cluster.bounds.broker_ids
        if cluster.stored.counts_in_sync(broker)
    )


def is_last_in_sync_without_elr(cluster: KraftCluster) -> bool:
    """Tell whether the ISR has one member at most, who stays in it without ELR."""
    return not cluster.has_elr and not cluster.stored.has_in_sync(2)


def stored_candidates_are_replicas(cluster: KraftCluster) -> bool:
    """Who is in the ISR or the ELR has a replica.

    Rules: KINV-9.
    """
    return all(
        cluster.stored.has_replica(broker)
        for broker in cluster.bounds.broker_ids
        if cluster.stored.can_elect(broker)
    )


def reassignment_keeps_asked_replicas(cluster: KraftCluster) -> bool:
    """A reassignment leads to the replicas that were asked for, and to no others.

    Rules: KINV-19.
    """
    asked = cluster.asked_replicas
    if not asked:
        return True
    return cluster.stored.target == asked


def reassignment_in_sync_is_complete(cluster: KraftCluster) -> bool:
    """A reassignment ends with the change that brings its last replica into the ISR.

    Rules: KLIVE-5.
    """
    stored = cluster.stored
    if not stored.is_reassigned() or not stored.target:
        return True
    return not stored.target <= stored.isr


def elr_index_is_current(cluster: KraftCluster) -> bool:
    """The controller finds a partition by those who are in its ELR, and by no others.

    Rules: KINV-15.
    """
    return cluster.elr_index == cluster.stored.elr


def controller_memory_is_log_end(cluster: KraftCluster) -> bool:
    """The active controller's memory is what the end of the metadata log says.

    Rules: KINV-1.
    """
    end = cluster.metadata.at(cluster.metadata.end)
    return end.partition == cluster.stored


def active_broker_has_session(cluster: KraftCluster) -> bool:
    """The controller watches each broker that is not fenced.

    Rules: KLIVE-4.
    """
    return all(
        broker in cluster.sessions or cluster.registrations[broker].is_fenced
        for broker in cluster.bounds.broker_ids
    )
