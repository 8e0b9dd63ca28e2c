"""What is true of what brokers and clients know of leaders, epochs and ISR."""

from __future__ import annotations

from replicheck.model.fetching.client_reads import last_offset_for_clients
from replicheck.model.fetching.state import Brokers
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


def leads_throughout(
    before: Brokers, after: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a broker believes before and after a step that it leads."""
    if not before.presumes_leadership(leader, partition):
        return False
    return after.presumes_leadership(leader, partition)


def leader_knows_stored_isr(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader in the stored epoch has the stored ISR and version (I-ISRZK; holds)."""
    if not cluster.presumes_leadership(leader, partition):
        return True
    epoch = cluster.replicas[leader][partition].epoch
    if not cluster.partition_nodes[partition].has_epoch(epoch):
        return True
    content = cluster.partition_nodes[partition].content
    assert content is not None, "its epoch was compared"
    if cluster.replicas[leader][partition].version != content.version:
        return False
    return cluster.replicas[leader][partition].isr == content.isr


def leader_epoch_has_one_leader(
    cluster: Brokers, first: BrokerId, partition: PartitionId, second: BrokerId
) -> bool:
    """Each leader epoch belongs to one broker (I-ONELEADER; holds)."""
    if first >= second or not cluster.presumes_leadership(first, partition):
        return True
    epoch = cluster.replicas[first][partition].epoch
    return not cluster.leads_in(second, partition, epoch)


def informed_brokers_know_stored_epoch(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A broker to which no request is on its way knows the newest leader epoch.

    KAFKA-1188; holds where no request is lost, or names an unknown leader.
    """
    if cluster.faults.lost_requests < cluster.bounds.lost_requests:
        return True
    if cluster.faults.unknown_leaders < cluster.bounds.unknown_leaders:
        return True
    if cluster.faults.aborted_requests < cluster.bounds.aborted_requests:
        return True
    if not cluster.processes[broker].is_running:
        return True
    if not cluster.inboxes[broker][partition].is_empty():
        return True
    if not cluster.handlers[broker].is_idle():
        return True
    if not cluster.replicas[broker][partition].is_online():
        return True
    epoch = cluster.replicas[broker][partition].epoch
    return cluster.partition_nodes[partition].has_epoch(epoch)


def client_end_offset_covers_committed_records(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """The end that a leader in the stored epoch tells clients never goes back.

    KIP-207 (KAFKA-2334); holds for clean elections with disks that keep what was
    written.
    """
    if not cluster.leads_in_stored_epoch(leader, partition):
        return True
    told = last_offset_for_clients(cluster, leader, partition)
    return told is None or bool(told >= len(cluster.committed[partition].records))


def leader_view_of_followers_is_correct(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, member: BrokerId
) -> bool:
    """Where a leader believes a member of the ISR to be, both logs agree.

    L-LEAD, L-FU-2; holds for clean elections with disks that keep what was written,
    where a leader misses no epoch and no handler is held up.
    """
    end = cluster.remotes[leader][partition].of(member)
    if end is None or not cluster.leads_in_stored_epoch(leader, partition):
        return True
    if not cluster.partition_nodes[partition].counts_in_sync(member):
        return True
    known = cluster.logs[leader][partition].up_to(end)
    return cluster.logs[member][partition].starts_with(known)


def consumed_records_are_never_replaced(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """No leader in the stored epoch has another record where a consumer read one.

    L-READ; holds for clean elections with disks that keep what was written.
    """
    if not cluster.consumed[partition].has_any():
        return True
    if not cluster.leads_in_stored_epoch(leader, partition):
        return True
    read = cluster.consumed[partition].records
    return cluster.logs[leader][partition].agrees_below(Offset(len(read)), read)


def acknowledged_record_is_in_enough_logs(
    before: Brokers, after: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """When a producer is answered, min.insync.replicas logs have its record.

    It is when the high watermark of a leader in the stored epoch rises, if enough
    replicas are in sync then. B-PROD-1; holds under the condition of I-COMMIT.
    """
    if not after.bounds.min_isr:
        return True
    if after.replicas[leader][partition] is before.replicas[leader][partition]:
        return True
    if not after.presumes_leadership(leader, partition):
        return True
    old = before.replicas[leader][partition].high_watermark
    end = after.replicas[leader][partition].high_watermark
    if end <= old or not after.replicas[leader][partition].has_in_sync(
        after.bounds.min_isr
    ):
        return True
    epoch = after.replicas[leader][partition].epoch
    if not after.partition_nodes[partition].is_in(leader, epoch):
        return True
    acknowledged = after.logs[leader][partition].up_to(end)
    holders = [
        broker
        for broker in after.bounds.broker_ids
        if after.logs[broker][partition].starts_with(acknowledged)
    ]
    return len(holders) >= after.bounds.min_isr


KNOWLEDGE = (
    consumed_records_are_never_replaced,
    leader_view_of_followers_is_correct,
    leader_knows_stored_isr,
    leader_epoch_has_one_leader,
    informed_brokers_know_stored_epoch,
    client_end_offset_covers_committed_records,
)
KNOWLEDGE_STEPS = (acknowledged_record_is_in_enough_logs,)
