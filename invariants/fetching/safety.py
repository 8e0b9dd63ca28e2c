"""What is true of every state of the fetching brokers."""

from __future__ import annotations

from replicheck.invariants.fetching.disks import DISKS
from replicheck.invariants.fetching.knowledge import KNOWLEDGE
from replicheck.invariants.fetching.moves import MOVES
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.cells.requests import Becoming
from replicheck.model.fetching.metrics import failed_partitions_count
from replicheck.model.fetching.state import Brokers, FetcherManager, ThreadId
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


def failed_partition_has_no_fetcher(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """A partition that failed is not tried again (I-DISJOINT, I-NOTRACK; holds)."""
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.failed_of(follower, thread.manager).has(partition):
        return True
    return not cluster.fetch_state(thread, partition).is_tracked()


def partition_has_at_most_one_fetcher(
    cluster: Brokers, follower: BrokerId, partition: PartitionId
) -> bool:
    """Only one thread writes to a log (I-UNIQUE; holds)."""
    return all(
        len(_threads_with(cluster, follower, partition, manager)) <= 1
        for manager in FetcherManager
    )


def partition_is_on_assigned_fetcher_thread(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """Once a pool is resized, threads have the partitions of now (F-MGR-1; holds)."""
    if follower == leader:
        return True
    if cluster.handlers[follower].is_making(Becoming.RESIZED):
        return True
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.fetch_state(thread, partition).is_tracked():
        return True
    return cluster.thread_for(follower, leader, partition) == thread


def leader_does_not_fetch(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """No thread writes to the log of a leader (I-LEADNOFETCH; holds)."""
    if not cluster.presumes_leadership(broker, partition):
        return True
    return not _threads_with(cluster, broker, partition)


def offline_replica_has_no_fetcher_state(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """Nothing is done for a replica that is marked offline (I-OFFLINE; holds)."""
    if not cluster.replicas[broker][partition].is_offline():
        return True
    return not any(
        cluster.failed_of(broker, manager).has(partition)
        or _threads_with(cluster, broker, partition, manager)
        for manager in FetcherManager
    )


def high_watermark_is_within_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """No high watermark is below the start or above the end (I-HWRANGE; holds)."""
    future = cluster.future_logs[broker][partition]
    if not future.log.is_within(future.high_watermark):
        return False
    if not cluster.replicas[broker][partition].is_online():
        return True
    high_watermark = cluster.replicas[broker][partition].high_watermark
    return cluster.logs[broker][partition].is_within(high_watermark)


def followers_fetch_from_log_end(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """The next record is fetched, and no other.

    I-FETCHOFF; holds without a change of the number of threads.
    """
    if follower == leader:
        return True
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.fetch_state(thread, partition).is_fetching():
        return True
    offset = cluster.fetch_state(thread, partition).offset
    return cluster.logs[follower][partition].ends_at(offset)


def leader_epochs_in_log_increase(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """Later epochs start later (I-ECACHE; holds)."""
    if not cluster.future_logs[broker][partition].log.has_growing_epochs():
        return False
    return cluster.logs[broker][partition].has_growing_epochs()


def no_epoch_starts_above_log_end(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """An epoch starts where there is a record, or is the next one.

    I-ECACHELEO; holds here, where an append goes wrong after one epoch at most.
    """
    if not cluster.future_logs[broker][partition].log.has_epochs_within():
        return False
    return cluster.logs[broker][partition].has_epochs_within()


def logs_match_up_to_common_records(
    cluster: Brokers, first: BrokerId, partition: PartitionId, second: BrokerId
) -> bool:
    """Records with one offset and epoch have the same records below.

    I-LOGMATCH; holds for clean elections.
    """
    if first >= second or cluster.logs[first][partition].is_empty():
        return True
    records = cluster.logs[second][partition].records
    return cluster.logs[first][partition].matches(records)


def logs_match_below_high_watermarks(
    cluster: Brokers, first: BrokerId, partition: PartitionId, second: BrokerId
) -> bool:
    """What two brokers both take for committed is the same.

    I-HWMATCH; holds for clean elections.
    """
    if first >= second or cluster.logs[first][partition].is_empty():
        return True
    end = min(
        cluster.replicas[first][partition].high_watermark,
        cluster.replicas[second][partition].high_watermark,
    )
    records = cluster.logs[second][partition].records
    return cluster.logs[first][partition].agrees_below(end, records)


def current_leader_has_committed_records(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader in the stored epoch has every record that was ever committed.

    I-COMMIT; holds for clean elections with disks that keep what was written.
    """
    if not cluster.leads_in_stored_epoch(leader, partition):
        return True
    committed = cluster.committed[partition].records
    return cluster.logs[leader][partition].starts_with(committed)


def isr_members_have_committed_records(
    cluster: Brokers, member: BrokerId, partition: PartitionId
) -> bool:
    """Every electable replica has every record that was ever committed.

    I-COMMIT, before an election shows it; holds under the same condition.
    """
    if not cluster.partition_nodes[partition].counts_in_sync(member):
        return True
    committed = cluster.committed[partition].records
    return cluster.logs[member][partition].starts_with(committed)


def committed_records_remain_in_some_log(
    cluster: Brokers, partition: PartitionId
) -> bool:
    """Some broker, be it dead, has each record that was ever committed.

    I-COMMIT without any premise of elections; holds as far as disks keep what was
    written.
    """
    brokers = cluster.bounds.broker_ids
    return all(
        record is None
        or any(
            cluster.logs[broker][partition].has_at(Offset(offset), record)
            for broker in brokers
        )
        for offset, record in enumerate(cluster.committed[partition].records)
    )


def leader_isr_has_records_below_hw(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, member: BrokerId
) -> bool:
    """Each member of a leader's ISR has all below its high watermark.

    I-ISRHW; holds for clean elections, and a leader in the stored epoch.
    """
    if leader == member or not cluster.presumes_leadership(leader, partition):
        return True
    if not cluster.replicas[leader][partition].counts_in_sync(member):
        return True
    epoch = cluster.replicas[leader][partition].epoch
    if not cluster.partition_nodes[partition].is_in(leader, epoch):
        return True
    end = cluster.replicas[leader][partition].high_watermark
    committed = cluster.logs[leader][partition].up_to(end)
    return cluster.logs[member][partition].starts_with(committed)


def failed_partitions_count_is_correct(cluster: Brokers, broker: BrokerId) -> bool:
    """FailedPartitionsCount is how many partitions failed (I-COUNT; holds)."""
    failed = [
        partition
        for partition in cluster.bounds.partition_ids
        if cluster.failed[broker].has(partition)
    ]
    return failed_partitions_count(cluster, broker) == len(failed)


def no_error_ends_fetcher_thread(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> bool:
    """One partition's error does not stop a thread for the others.

    I-ISOLATION; holds for errors of appending and truncating, and as long as nothing
    that is fetched goes offline (F-THREAD-2).
    """
    thread = ThreadId(follower, leader, fetcher)
    return not cluster.thread(thread).is_at(ThreadPhase.DEAD)


def _threads_with(
    cluster: Brokers,
    broker: BrokerId,
    partition: PartitionId,
    manager: FetcherManager = FetcherManager.REPLICA,
) -> list[ThreadId]:
    return [
        thread
        for thread in cluster.threads_of(broker, manager)
        if cluster.fetch_state(thread, partition).is_tracked()
    ]


SAFETY = (
    failed_partition_has_no_fetcher,
    partition_has_at_most_one_fetcher,
    partition_is_on_assigned_fetcher_thread,
    leader_does_not_fetch,
    offline_replica_has_no_fetcher_state,
    high_watermark_is_within_log,
    followers_fetch_from_log_end,
    leader_epochs_in_log_increase,
    no_epoch_starts_above_log_end,
    logs_match_up_to_common_records,
    logs_match_below_high_watermarks,
    current_leader_has_committed_records,
    isr_members_have_committed_records,
    committed_records_remain_in_some_log,
    leader_isr_has_records_below_hw,
    *KNOWLEDGE,
    *DISKS,
    failed_partitions_count_is_correct,
    no_error_ends_fetcher_thread,
    *MOVES,
)
