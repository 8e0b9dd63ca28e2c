"""What is claimed of the abstract partition, and what a sound check must have seen.

Source: KafkaReplication.tla (TypeOk, WeakIsr, StrongIsr, LeaderInIsr).
"""

from __future__ import annotations

from replicheck.model.replication.state import AbstractCluster
from replicheck.model.vocabulary import BrokerId, Epoch, RecordId


def leader_isr_has_records_below_hw(
    cluster: AbstractCluster, leader: BrokerId, member: BrokerId
) -> bool:
    """Each member of a leader's ISR has all below its high watermark (WeakIsr)."""
    if not cluster.presumes_leadership(leader):
        return True
    if not cluster.replicas[leader].has_committed():
        return True
    if not cluster.replicas[leader].counts_in_sync(member):
        return True
    return _agree_on_committed_records(cluster, leader, member)


def stored_isr_has_records_below_hw(
    cluster: AbstractCluster, leader: BrokerId, member: BrokerId
) -> bool:
    """Every electable replica has all below every high watermark (StrongIsr)."""
    if not cluster.presumes_leadership(leader):
        return True
    if not cluster.replicas[leader].has_committed():
        return True
    if not cluster.partition_state.counts_in_sync(member):
        return True
    return _agree_on_committed_records(cluster, leader, member)


def stored_leader_is_in_isr(cluster: AbstractCluster) -> bool:
    """The leader of the partition, if it has one, is in the ISR (LeaderInIsr)."""
    leader = cluster.partition_state.leader
    return leader is None or leader in cluster.partition_state.isr


def logs_are_within_bounds(cluster: AbstractCluster, broker: BrokerId) -> bool:
    """No log is longer than the bound, and every record in it was sent (TypeOk)."""
    bounds = cluster.bounds
    log = cluster.logs[broker]
    return log.end_offset <= bounds.log_size and all(
        record.id in bounds.record_ids and record.epoch in bounds.epochs
        for record in log.records
    )


def replicas_are_within_bounds(cluster: AbstractCluster, broker: BrokerId) -> bool:
    """Every replica names brokers, epochs and offsets that exist (TypeOk)."""
    bounds = cluster.bounds
    replica = cluster.replicas[broker]
    return (
        0 <= replica.high_watermark <= bounds.log_size
        and (replica.epoch is None or replica.epoch in bounds.epochs)
        and (replica.leader is None or replica.leader in bounds.broker_ids)
        and replica.isr <= frozenset(bounds.broker_ids)
    )


def decisions_are_within_bounds(cluster: AbstractCluster) -> bool:
    """What is stored and what was sent names brokers and epochs that exist (TypeOk)."""
    brokers, epochs = cluster.bounds.broker_ids, cluster.bounds.epochs
    if not cluster.partition_state.is_within(brokers, epochs):
        return False
    return cluster.requests.are_within(brokers, epochs)


def counters_are_within_bounds(cluster: AbstractCluster) -> bool:
    """The next epoch and the next record are at most one past the last (TypeOk)."""
    return (
        0 <= cluster.next_leader_epoch <= cluster.bounds.max_leader_epoch + 1
        and 0 <= cluster.next_record <= cluster.bounds.records
    )


def replica_leader_epoch_never_decreases(
    before: AbstractCluster, after: AbstractCluster, broker: BrokerId
) -> bool:
    """A step leaves a replica in its leader epoch or takes it to a later one."""
    if after.replicas[broker] is before.replicas[broker]:
        return True
    new = after.replicas[broker].epoch
    if new is not None and before.replicas[broker].is_behind(new):
        return True
    return before.replicas[broker].epoch == new


def record_is_committed(cluster: AbstractCluster, leader: BrokerId) -> bool:
    """A leader's high watermark is above 0."""
    return (
        cluster.presumes_leadership(leader)
        and cluster.replicas[leader].high_watermark > 0
    )


def record_is_truncated_everywhere(cluster: AbstractCluster, record: RecordId) -> bool:
    """A record that a leader once appended is in no log any more."""
    return cluster.next_record > record and not any(
        cluster.logs[broker].holds(record) for broker in cluster.bounds.broker_ids
    )


def deposed_leader_still_appends(
    cluster: AbstractCluster, deposed: BrokerId, leader: BrokerId
) -> bool:
    """A leader appended after another had appended in a later epoch."""
    if deposed == leader:
        return False
    return any(
        late.id > early.id and late.epoch < early.epoch
        for late in cluster.logs[deposed].records
        for early in cluster.logs[leader].records
    )


def isr_is_expanded(cluster: AbstractCluster) -> bool:
    """The stored ISR has a member that the request of its epoch does not name."""
    epoch = cluster.partition_state.epoch
    if epoch is None:
        return False
    return not cluster.partition_state.isr <= cluster.requests.isr_in(epoch)


def two_brokers_lead_at_once(
    cluster: AbstractCluster, first: BrokerId, second: BrokerId
) -> bool:
    """Two brokers believe that they lead, in different epochs."""
    return (
        first < second
        and cluster.presumes_leadership(first)
        and cluster.presumes_leadership(second)
    )


def last_leader_epoch_is_reached(cluster: AbstractCluster, leader: BrokerId) -> bool:
    """A broker leads in the last epoch that the bounds allow."""
    last = Epoch(cluster.bounds.max_leader_epoch)
    return cluster.replicas[leader].is_in(leader, last)


SAFETY = (
    leader_isr_has_records_below_hw,
    stored_isr_has_records_below_hw,
    stored_leader_is_in_isr,
    logs_are_within_bounds,
    replicas_are_within_bounds,
    decisions_are_within_bounds,
    counters_are_within_bounds,
)
STEPS = (replica_leader_epoch_never_decreases,)
WITNESSES = (
    record_is_committed,
    record_is_truncated_everywhere,
    deposed_leader_still_appends,
    isr_is_expanded,
    two_brokers_lead_at_once,
    last_leader_epoch_is_reached,
)


def _agree_on_committed_records(
    cluster: AbstractCluster, leader: BrokerId, member: BrokerId
) -> bool:
    committed = cluster.replicas[leader].high_watermark
    records = cluster.logs[leader].up_to(committed)
    return len(records) == committed and cluster.logs[member].starts_with(records)
