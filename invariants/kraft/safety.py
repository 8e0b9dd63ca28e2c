"""Invariants of the cluster in KRaft mode."""

from __future__ import annotations

from replicheck.model.kraft.state import KraftCluster
from replicheck.model.vocabulary import BrokerId


def leader_has_acknowledged_records(cluster: KraftCluster) -> bool:
    """The broker that leads in the metadata has every record that must not be lost.

    Rules: KINV-6.
    """
    leader = cluster.stored.leader
    if leader is None or not is_counted(cluster, leader):
        return True
    return cluster.logs[leader].starts_with(cluster.acknowledged.records)


def candidates_have_acknowledged_records(cluster: KraftCluster) -> bool:
    """Who is in the ISR or the ELR has every record that must not be lost.

    Rules: KINV-6.
    """
    return all(
        cluster.logs[broker].starts_with(cluster.acknowledged.records)
        for broker in cluster.bounds.broker_ids
        if cluster.stored.can_elect(broker) and is_counted(cluster, broker)
    )


def is_counted(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether a broker's process is the one that is registered.

    A log that lost its tail in a crash counts from the next registration on.
    """
    process = cluster.processes[broker]
    return process.is_running and cluster.is_registered(broker, process.epoch)


def known_follower_end_is_held(cluster: KraftCluster) -> bool:
    """A follower has the records that its leader believes it to have.

    That is asked of followers in the leader epoch and the process that fetched.

    Rules: KINV-5.
    """
    return all(
        cluster.logs[follower].reaches(end)
        for leader in cluster.bounds.broker_ids
        for follower in cluster.bounds.broker_ids
        if cluster.follows(follower, leader)
        for end in (cluster.followers[leader][follower].end,)
        if end is not None and is_of_same_process(cluster, leader, follower)
    )


def is_of_same_process(
    cluster: KraftCluster, leader: BrokerId, follower: BrokerId
) -> bool:
    """Tell whether a follower's last fetch came from the process that runs now."""
    epoch = cluster.processes[follower].epoch
    return epoch is not None and cluster.followers[leader][follower].epoch == epoch


def maximal_isr_includes_stored_candidates(cluster: KraftCluster) -> bool:
    """A leader with enough replicas in sync waits for all that can be elected.

    Rules: KINV-4.
    """
    leader = cluster.stored.leader
    if leader is None or not cluster.leads_in_metadata(leader):
        return True
    if not cluster.partitions[leader].has_in_sync(cluster.caches[leader].min_isr):
        return True
    return all(
        cluster.partitions[leader].awaits(broker)
        for broker in cluster.bounds.broker_ids
        if cluster.stored.can_elect(broker)
    )


def logs_agree_below_high_watermarks(cluster: KraftCluster) -> bool:
    """Two brokers have the same records below both their high watermarks.

    Rules: KINV-7.
    """
    brokers = cluster.bounds.broker_ids
    if cluster.acknowledged.since > 0:
        return True
    return all(
        cluster.logs[one].up_to(end) == cluster.logs[other].up_to(end)
        for one in brokers
        for other in brokers
        if one < other
        for end in (
            min(
                cluster.partitions[one].high_watermark,
                cluster.partitions[other].high_watermark,
            ),
        )
    )


def stored_leader_is_in_isr(cluster: KraftCluster) -> bool:
    """Who leads in the metadata is in the ISR, which is empty only with ELR.

    Rules: KINV-10.
    """
    leader = cluster.stored.leader
    if leader is not None:
        return cluster.stored.counts_in_sync(leader)
    has_elr = cluster.bounds.has_eligible_leader_replicas
    return has_elr or cluster.stored.has_in_sync(1)


def stored_elr_is_outside_isr(cluster: KraftCluster) -> bool:
    """No broker is in both the ISR and the ELR, which is empty while the ISR is large.

    Rules: KINV-9.
    """
    if cluster.stored.has_member_in_both():
        return False
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
    if not stored.is_leaderless() or stored.has_in_sync(1):
        return True
    return not stored.has_empty_elr() or stored.has_last_known_leader()


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
    has_elr = cluster.bounds.has_eligible_leader_replicas
    if not has_elr and not cluster.stored.has_in_sync(2):
        return True
    return all(
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
    has_elr = cluster.bounds.has_eligible_leader_replicas
    if not has_elr and not cluster.stored.has_in_sync(2):
        return True
    return all(
        cluster.has_online_directory(broker)
        for broker in cluster.bounds.broker_ids
        if cluster.stored.counts_in_sync(broker)
    )


def known_directory_is_used(cluster: KraftCluster) -> bool:
    """A replica lies in the directory that the metadata names, once that is settled.

    That is asked of brokers that have applied all metadata, and have nothing to tell.

    Rules: KINV-13.
    """
    return all(
        cluster.stored.is_assigned(broker, cluster.disks[broker].used)
        for broker in cluster.bounds.broker_ids
        if is_counted(cluster, broker)
        if cluster.processes[broker].has_applied(cluster.metadata.end)
        if cluster.processes[broker].assignment is None
        if not cluster.partitions[broker].is_offline
    )


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
        if is_counted(cluster, broker)
        if len(cluster.registrations[broker].directories) > 1
    )


def broker_knows_committed_metadata_only(cluster: KraftCluster) -> bool:
    """No broker knows a partition epoch that the metadata log does not have.

    Rules: KINV-3.
    """
    committed = cluster.metadata.committed_partition_epoch
    return not any(
        partition.is_newer_than(committed) for partition in cluster.partitions
    )


def unfenced_broker_applied_registration(cluster: KraftCluster) -> bool:
    """A broker that runs and is not fenced has applied its registration.

    Rules: KINV-18.
    """
    return all(
        cluster.processes[broker].has_applied(cluster.registrations[broker].offset)
        for broker in cluster.bounds.broker_ids
        if is_counted(cluster, broker)
        if not cluster.registrations[broker].is_fenced
    )


SAFETY = (
    leader_has_acknowledged_records,
    candidates_have_acknowledged_records,
    known_follower_end_is_held,
    maximal_isr_includes_stored_candidates,
    logs_agree_below_high_watermarks,
    stored_leader_is_in_isr,
    stored_elr_is_outside_isr,
    last_known_leader_implies_leaderless,
    leaderless_partition_has_candidate,
    stored_leader_is_active,
    stored_isr_is_active,
    stored_leader_directory_is_online,
    stored_isr_directories_are_online,
    known_directory_is_used,
    acknowledged_failure_is_registered,
    broker_knows_committed_metadata_only,
    unfenced_broker_applied_registration,
)
