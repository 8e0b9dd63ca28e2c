"""What the cluster in KRaft mode must be able to reach."""

from __future__ import annotations

from replicheck.model.kraft.cells.alter_partition import AlterPartitionError
from replicheck.model.kraft.cells.log_move import Promotion
from replicheck.model.kraft.state import KraftCluster


def record_is_acknowledged(cluster: KraftCluster) -> bool:
    """A record is below the high watermark of a leader."""
    return cluster.acknowledged.has_any()


def elr_has_member(cluster: KraftCluster) -> bool:
    """A broker left an ISR that became too small, and can still be elected."""
    return not cluster.stored.has_empty_elr()


def leaderless_isr_is_empty(cluster: KraftCluster) -> bool:
    """There is no leader, and the ISR is empty."""
    return cluster.stored.is_leaderless() and not cluster.stored.has_in_sync(1)


def leaderless_isr_has_member(cluster: KraftCluster) -> bool:
    """There is no leader, and the last member is in the ISR."""
    return cluster.stored.is_leaderless() and cluster.stored.has_in_sync(1)


def leader_is_recovering(cluster: KraftCluster) -> bool:
    """A leader was elected although it may lack records."""
    stored = cluster.stored
    return stored.leader is not None and stored.is_recovering


def two_brokers_presume_leadership(cluster: KraftCluster) -> bool:
    """Two brokers believe that they lead."""
    return sum(cluster.leads(broker) for broker in cluster.bounds.broker_ids) > 1


def isr_change_is_pending(cluster: KraftCluster) -> bool:
    """A leader waits for the answer to its proposal."""
    return any(partition.is_pending() for partition in cluster.partitions)


def ineligible_replica_is_refused(cluster: KraftCluster) -> bool:
    """A leader proposed a broker that is not active, or of another process."""
    return any(
        channel.answer is AlterPartitionError.INELIGIBLE_REPLICA
        for channel in cluster.channels
    )


def stale_leader_is_refused(cluster: KraftCluster) -> bool:
    """A leader proposed something in a leader epoch that is over."""
    return any(
        channel.answer is AlterPartitionError.FENCED_LEADER_EPOCH
        for channel in cluster.channels
    )


def stale_partition_epoch_is_refused(cluster: KraftCluster) -> bool:
    """A leader proposed something that it based on an older ISR."""
    return any(
        channel.answer is AlterPartitionError.INVALID_UPDATE_VERSION
        for channel in cluster.channels
    )


def metadata_is_uncommitted(cluster: KraftCluster) -> bool:
    """The controller decided what a failover can take back."""
    return cluster.metadata.has_uncommitted


def leader_is_behind_metadata(cluster: KraftCluster) -> bool:
    """A leader has missed two leader epochs."""
    latest = cluster.stored.leader_epoch
    return any(
        cluster.leads(broker)
        and (cluster.partitions[broker].leader_epoch or 0) + 1 < latest
        for broker in cluster.bounds.broker_ids
    )


def replica_is_offline(cluster: KraftCluster) -> bool:
    """A broker runs without the log of its replica."""
    return any(partition.is_offline for partition in cluster.partitions)


def leader_is_offline(cluster: KraftCluster) -> bool:
    """Who leads in the metadata runs, and has lost its log."""
    leader = cluster.stored.leader
    return leader is not None and cluster.partitions[leader].is_offline


def assignment_is_queued(cluster: KraftCluster) -> bool:
    """A broker has to tell in which directory its replica lies."""
    return any(process.assignment is not None for process in cluster.processes)


def replica_is_assigned_to_offline_directory(cluster: KraftCluster) -> bool:
    """A replica is said to lie in a directory that is not online."""
    return not all(map(cluster.has_online_directory, cluster.bounds.broker_ids))


def reassignment_is_in_progress(cluster: KraftCluster) -> bool:
    """A reassignment waits for replicas to catch up."""
    return cluster.stored.is_reassigned()


def new_leader_is_told(cluster: KraftCluster) -> bool:
    """The request of a leader completed a reassignment that removed the leader."""
    return any(
        channel.answer is AlterPartitionError.NEW_LEADER_ELECTED
        for channel in cluster.channels
    )


def replica_has_moved(cluster: KraftCluster) -> bool:
    """A future log took the place of the log."""
    return any(
        disks.used != 0 and not move.exists
        for disks, move in zip(cluster.disks, cluster.moves, strict=True)
    )


def move_is_accepted(cluster: KraftCluster) -> bool:
    """The controller has accepted the directory of a future log."""
    return any(move.promotion is Promotion.ACCEPTED for move in cluster.moves)


def move_is_accepted_elsewhere(cluster: KraftCluster) -> bool:
    """A move counts as accepted, and the metadata names another directory (R-12)."""
    return any(
        cluster.moves[broker].promotion is Promotion.ACCEPTED
        and not cluster.stored.is_assigned(broker, cluster.moves[broker].directory)
        for broker in cluster.bounds.broker_ids
    )


def topic_is_created_anew(cluster: KraftCluster) -> bool:
    """A record of a topic that was created anew is acknowledged."""
    return cluster.acknowledged.topic_id > 0 and cluster.acknowledged.has_any()


def deleted_topic_is_served(cluster: KraftCluster) -> bool:
    """A broker believes that it leads a topic of which there is a newer one."""
    return any(
        cluster.leads(broker)
        and not cluster.partitions[broker].is_of(cluster.stored.topic_id)
        for broker in cluster.bounds.broker_ids
    )


def stray_log_is_found(cluster: KraftCluster) -> bool:
    """A broker that is down has records of a topic of which there is a newer one."""
    return any(
        not cluster.processes[broker].has_published
        and cluster.logs[broker].end_offset > 0
        and not cluster.partitions[broker].is_of(cluster.stored.topic_id)
        for broker in cluster.bounds.broker_ids
    )


def unregistered_broker_is_eligible(cluster: KraftCluster) -> bool:
    """A broker that was unregistered is in the ELR (R-10)."""
    return any(
        cluster.registrations[broker].is_unregistered and broker in cluster.stored.elr
        for broker in cluster.bounds.broker_ids
    )


WITNESSES = (
    record_is_acknowledged,
    elr_has_member,
    leaderless_isr_is_empty,
    leaderless_isr_has_member,
    leader_is_recovering,
    two_brokers_presume_leadership,
    isr_change_is_pending,
    ineligible_replica_is_refused,
    stale_leader_is_refused,
    stale_partition_epoch_is_refused,
    metadata_is_uncommitted,
    leader_is_behind_metadata,
    replica_is_offline,
    leader_is_offline,
    assignment_is_queued,
    replica_is_assigned_to_offline_directory,
    reassignment_is_in_progress,
    new_leader_is_told,
    replica_has_moved,
    move_is_accepted,
    move_is_accepted_elsewhere,
    topic_is_created_anew,
    deleted_topic_is_served,
    stray_log_is_found,
    unregistered_broker_is_eligible,
)
