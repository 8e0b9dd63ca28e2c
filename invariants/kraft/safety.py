"""Invariants of the cluster in KRaft mode."""

from __future__ import annotations

from replicheck.invariants.kraft import log_directories, metadata
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.cells.partition import KraftPartition
from replicheck.model.kraft.controller.broker_lifecycle import is_refused_for_ever
from replicheck.model.kraft.controller.offline_directories import reports_deleted_topic
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.vocabulary import BrokerId


def leader_has_acknowledged_records(cluster: KraftCluster) -> bool:
    """The broker that leads in the metadata has every record that must not be lost.

    Rules: KINV-6.
    """
    leader = cluster.stored.leader
    if leader is None or not cluster.is_alive(leader):
        return True
    return cluster.logs[leader].starts_with(cluster.acknowledged.records)


def candidates_have_acknowledged_records(cluster: KraftCluster) -> bool:
    """Who is in the ISR or the ELR has every record that must not be lost.

    Rules: KINV-6.
    """
    return all(
        cluster.logs[broker].starts_with(cluster.acknowledged.records)
        for broker in cluster.bounds.broker_ids
        if cluster.stored.can_elect(broker) and cluster.is_alive(broker)
    )


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
    least = cluster.caches[leader].min_isr
    if not cluster.partitions[leader].has_enough_in_sync(least):
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
        if cluster.partitions[one].is_of(cluster.partitions[other].topic_id)
        for end in (
            min(
                cluster.partitions[one].high_watermark,
                cluster.partitions[other].high_watermark,
            ),
        )
    )


def registration_is_accepted(cluster: KraftCluster) -> bool:
    """No broker that runs waits for a registration that ends each controller.

    Rules: KLIVE-3.
    """
    return not any(
        is_refused_for_ever(cluster, broker)
        for broker in cluster.bounds.broker_ids
        if is_unregistered(cluster, broker)
    )


def heartbeat_is_accepted(cluster: KraftCluster) -> bool:
    """No broker that is registered has a heartbeat to send that ends each controller.

    Rules: KLIVE-1.
    """
    return not any(
        cluster.is_alive(broker) and reports_deleted_topic(cluster, broker)
        for broker in cluster.bounds.broker_ids
    )


def is_unregistered(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether a broker's process is not registered yet."""
    process = cluster.processes[broker]
    return process.is_running and process.epoch is None


def removed_replica_is_deleted(cluster: KraftCluster) -> bool:
    """A broker that has applied that it has no replica has no log of it.

    A log on a dead disk is left out.

    Rules: KINV-16.
    """
    return not any(
        cluster.logs[broker].end_offset or cluster.leads(broker)
        for broker in cluster.bounds.broker_ids
        if cluster.processes[broker].has_published
        if not cluster.caches[broker].partition.has_replica(broker)
        if not cluster.partitions[broker].is_offline
    )


def log_has_records_of_its_topic(cluster: KraftCluster) -> bool:
    """The log of a replica has only records that were appended to its own topic.

    Rules: KINV-16.
    """
    return all(
        cluster.partitions[broker].is_of(cluster.appended.topic_of(record))
        for broker in cluster.bounds.broker_ids
        for record in cluster.logs[broker].records
    )


def partition_is_of_applied_image(cluster: KraftCluster) -> bool:
    """A broker knows the partition epoch and the leader that its image has, or newer.

    A replica on a dead disk is left out, which ignores what is published.

    Rules: KINV-3, KINV-17.
    """
    return all(
        has_applied(cluster.partitions[broker], cluster.caches[broker].partition)
        for broker in cluster.bounds.broker_ids
        if cluster.processes[broker].has_published
        if cluster.caches[broker].partition.has_replica(broker)
        if not cluster.partitions[broker].is_offline
    )


def has_applied(partition: KraftPartition, record: PartitionRegistration) -> bool:
    """Tell whether a broker's partition is what a record says, or newer."""
    if not partition.is_of(record.topic_id):
        return False
    if partition.is_newer_than(record.partition_epoch):
        return True
    if partition.partition_epoch != record.partition_epoch:
        return False
    return partition.leader == record.leader


def followers_fetch_from_log_end(cluster: KraftCluster) -> bool:
    """A follower fetches what comes after its log.

    Rules: KINV-17.
    """
    return all(
        cluster.fetchers[broker].fetches_from(cluster.logs[broker].end_offset)
        for broker in cluster.bounds.broker_ids
        if cluster.processes[broker].has_published
    )


def high_watermark_is_in_log(cluster: KraftCluster) -> bool:
    """No broker takes records for committed that it does not have.

    Rules: KINV-8.
    """
    return all(
        cluster.logs[broker].reaches(cluster.partitions[broker].high_watermark)
        for broker in cluster.bounds.broker_ids
    )


def broker_knows_committed_metadata_only(cluster: KraftCluster) -> bool:
    """No broker knows a partition epoch that the metadata log does not have.

    Rules: KINV-3.
    """
    committed = cluster.metadata.committed_partition
    return not any(
        partition.is_newer_than(committed.partition_epoch)
        for partition in cluster.partitions
        if partition.is_of(committed.topic_id)
    )


def unfenced_broker_applied_registration(cluster: KraftCluster) -> bool:
    """A broker that runs and is not fenced has applied its registration.

    Rules: KINV-18.
    """
    return all(
        cluster.processes[broker].has_applied(cluster.registrations[broker].offset)
        for broker in cluster.bounds.broker_ids
        if cluster.is_alive(broker)
        if not cluster.registrations[broker].is_fenced
    )


SAFETY = (
    leader_has_acknowledged_records,
    candidates_have_acknowledged_records,
    known_follower_end_is_held,
    maximal_isr_includes_stored_candidates,
    logs_agree_below_high_watermarks,
    metadata.stored_leader_is_in_isr,
    metadata.stored_elr_is_outside_isr,
    metadata.last_known_leader_implies_leaderless,
    metadata.leaderless_partition_has_candidate,
    metadata.stored_leader_is_active,
    metadata.stored_isr_is_active,
    metadata.stored_leader_directory_is_online,
    metadata.stored_isr_directories_are_online,
    log_directories.known_directory_is_used,
    log_directories.acknowledged_failure_is_registered,
    log_directories.future_log_is_elsewhere,
    log_directories.offline_leader_is_reported,
    log_directories.offline_replica_is_of_its_topic,
    metadata.stored_candidates_are_replicas,
    metadata.reassignment_keeps_asked_replicas,
    metadata.reassignment_in_sync_is_complete,
    metadata.elr_index_is_current,
    registration_is_accepted,
    heartbeat_is_accepted,
    removed_replica_is_deleted,
    log_has_records_of_its_topic,
    metadata.controller_memory_is_log_end,
    metadata.active_broker_has_session,
    partition_is_of_applied_image,
    followers_fetch_from_log_end,
    high_watermark_is_in_log,
    broker_knows_committed_metadata_only,
    unfenced_broker_applied_registration,
)
