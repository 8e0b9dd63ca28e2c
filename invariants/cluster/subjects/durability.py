"""What is committed stays, and logs agree."""

from __future__ import annotations

from replicheck.model.cluster.broker.clients import consumable
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def isr_members_have_committed_records(
    cluster: Cluster, member: BrokerId, partition: PartitionId
) -> bool:
    """What was committed is on the disk of every electable replica.

    Not asked of a topic that is to be deleted. INV-11; holds as long as no disk is
    replaced.
    """
    if not cluster.partition_nodes[partition].counts_in_sync(member):
        return True
    if not _is_to_stay(cluster, partition):
        return True
    committed = cluster.committed[partition].records
    return not committed or any(
        cluster.logs[member][partition][directory].starts_with(committed)
        for directory in cluster.bounds.directory_ids
    )


def current_leader_has_committed_records(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader in the stored epoch has every record that was ever committed.

    INV-12 for all that is committed, acknowledged or not; holds as long as no disk is
    replaced.
    """
    if not cluster.leads_in_stored_epoch(leader, partition):
        return True
    log = cluster.logs[leader][partition][cluster.directory_of(leader, partition)]
    return log.starts_with(cluster.committed[partition].records)


def current_leader_has_acknowledged_records(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader in the stored epoch has every record that a producer was sure of.

    INV-12; holds as long as no disk is replaced.
    """
    if not cluster.acknowledged[partition].has_any():
        return True
    if not cluster.leads_in_stored_epoch(leader, partition):
        return True
    log = cluster.logs[leader][partition][cluster.directory_of(leader, partition)]
    return cluster.acknowledged[partition].are_in(log.records)


def consumers_read_only_committed_records(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """Below a leader's high watermark is nothing that differs from what is committed.

    A deposed leader can be ahead, as long as followers do not know better (N-7). It
    holds but for one that is alone in the ISR that it knows, and commits to itself
    (B-ISR-3).
    """
    if not cluster.presumes_leadership(leader, partition):
        return True
    if not cluster.replicas[leader][partition].has_in_sync(2):
        return True
    records = consumable(cluster, leader, partition)
    committed = cluster.committed[partition].records
    common = zip(committed, records, strict=False)
    return all(
        None in (committed_record, read_record) or committed_record == read_record
        for committed_record, read_record in common
    )


def logs_match_up_to_common_records(
    cluster: Cluster,
    first: BrokerId,
    second: BrokerId,
    directory: DirectoryId,
    partition: PartitionId,
) -> bool:
    """Records with one offset and epoch have the same records below (INV-13; holds).

    Logs in the same directory of two brokers are compared, which is where all begin.
    """
    if first >= second:
        return True
    if not cluster.logs[first][partition][directory].has_records():
        return True
    return cluster.logs[first][partition][directory].matches(
        cluster.logs[second][partition][directory].records
    )


def high_watermark_is_within_log(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """No high watermark is above the end of its log (type invariant; holds)."""
    if cluster.replicas[broker][partition].lacks_log():
        return True
    log = cluster.logs[broker][partition][cluster.directory_of(broker, partition)]
    return log.reaches(cluster.replicas[broker][partition].high_watermark)


def committed_records_remain_in_some_log(
    cluster: Cluster, partition: PartitionId
) -> bool:
    """Each record once committed is in a directory of some broker, dead or not.

    Not asked of a topic that is to be deleted. Without any premise of elections; holds
    as far as no disk is replaced.
    """
    if not _is_to_stay(cluster, partition):
        return True
    committed = cluster.committed[partition].records
    logs = [
        cluster.logs[broker][partition][directory].records
        for broker in cluster.bounds.broker_ids
        for directory in cluster.bounds.directory_ids
    ]
    return not committed or all(
        record is None
        or any(
            len(records) > offset and records[offset] in (None, record)
            for records in logs
        )
        for offset, record in enumerate(committed)
    )


def leader_view_of_followers_is_correct(
    cluster: Cluster, leader: BrokerId, member: BrokerId, partition: PartitionId
) -> bool:
    """Where a leader believes a member of the ISR to be, both logs agree.

    L-LEAD; holds as long as no disk is replaced, and a leader misses no epoch.
    """
    end = cluster.remotes[leader][partition].of(member)
    if not end or not cluster.leads_in_stored_epoch(leader, partition):
        return True
    if not cluster.partition_nodes[partition].counts_in_sync(member):
        return True
    log = cluster.logs[leader][partition][cluster.directory_of(leader, partition)]
    return any(
        cluster.logs[member][partition][directory].starts_with(log.up_to(end))
        for directory in cluster.bounds.directory_ids
    )


def _is_to_stay(cluster: Cluster, partition: PartitionId) -> bool:
    """Tell whether a topic exists, and is not marked for deletion."""
    node = cluster.topic_nodes[partition]
    return node.exists and not node.is_marked


SAFETY = (
    committed_records_remain_in_some_log,
    leader_view_of_followers_is_correct,
    isr_members_have_committed_records,
    current_leader_has_committed_records,
    current_leader_has_acknowledged_records,
    consumers_read_only_committed_records,
    logs_match_up_to_common_records,
    high_watermark_is_within_log,
)
