"""What is true of every step by which a partition fails, or is fetched again."""

from __future__ import annotations

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker.fetch_requests import read_records
from replicheck.model.fetching.cells.calls import Error, FetchAnswer, FetchAsked
from replicheck.model.fetching.cells.requests import Becoming
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.vocabulary import BrokerId, PartitionId


def partition_fails_only_after_error(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A thread gives up only what it had, for an error or a newer leader epoch.

    F-FAIL-2; holds.
    """
    if after.failed[broker] is before.failed[broker]:
        return True
    if before.failed[broker].has(partition) or not after.failed[broker].has(partition):
        return True
    return any(
        before.fetch_state(thread, partition).is_tracked()
        and _is_hopeless(before, thread, partition)
        for thread in before.threads_of(broker)
    )


def _is_hopeless(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> bool:
    """Tell whether a log cannot be written, or the leader is in a newer epoch."""
    if cluster.logs[thread.follower][partition].is_broken:
        return True
    if not cluster.directory_of(thread.follower, partition).is_good():
        return True
    if not cluster.replicas[thread.follower][partition].is_online():
        return True
    answer = cluster.call(thread, partition).answer
    if answer is None:
        return False
    if answer.error is Error.OFFSET_OUT_OF_RANGE:
        epoch = cluster.fetch_state(thread, partition).epoch
        return not cluster.leads_in(thread.leader, partition, epoch)
    return answer.error is Error.FENCED_LEADER_EPOCH


def new_leader_epoch_clears_failure(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """Once a request was obeyed, its partition is not failed (I-FAILCLEAR; holds)."""
    if after.handlers[broker] is before.handlers[broker]:
        return True
    handler = before.handlers[broker]
    if handler.is_idle() or handler.is_making(Becoming.MOVER):
        return True
    if handler.partition != partition:
        return True
    return not after.failed[broker].has(partition)


def failed_partition_stays_failed(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """Only a newer epoch, StopReplica, or the end of the replica clear a failure.

    I-FAILSTICKY; holds without a change of the number of threads.
    """
    if after.failed[broker] is before.failed[broker]:
        return True
    if not before.failed[broker].has(partition):
        return True
    if after.failed[broker].has(partition):
        return True
    return _is_told(before, after, broker, partition) or _is_stopped(
        before, after, broker, partition
    )


def _is_told(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a request with a newer epoch is obeyed."""
    if before.handlers[broker].is_making(Becoming.FOLLOWER):
        return before.handlers[broker].partition == partition
    if not after.handlers[broker].is_making(Becoming.LEADER):
        return False
    content = after.handlers[broker].content
    assert content is not None, "a request is under way"
    if not before.replicas[broker][partition].is_behind(content.epoch):
        return False
    return after.handlers[broker].partition == partition


def _is_stopped(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether the replica or its fetcher was stopped, or the process ended."""
    if after.faults is not before.faults:
        return bool(after.faults.stops < before.faults.stops) or (
            not after.processes[broker].is_running
        )
    return after.replicas[broker][partition].is_offline()


def dropped_partition_is_marked_failed(
    before: Brokers,
    after: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """What a thread drops by itself is remembered as failed, unless its move is over.

    I-TRACKORFAIL as far as threads go; holds.
    """
    old = before.fetch_states[follower][leader][fetcher][partition]
    new = after.fetch_states[follower][leader][fetcher][partition]
    if new is old or not old.is_tracked() or new.is_tracked():
        return True
    if after.handlers[follower] is not before.handlers[follower]:
        return True
    manager = ThreadId(follower, leader, fetcher).manager
    if after.failed_of(follower, manager).has(partition):
        return True
    if follower == leader and not after.future_logs[follower][partition].exists():
        return True
    return _is_stopped(before, after, follower, partition)


def new_follower_is_fetching_or_failed(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A replica that is told to follow has a fetcher from then on.

    I-TRACKORFAIL as far as LeaderAndIsr requests go; holds where every leader is known
    to be live, and no request is given up half way (KAFKA-9769).
    """
    if after.handlers[broker] is before.handlers[broker]:
        return True
    if not before.handlers[broker].is_adding_a_fetcher():
        return True
    if after.handlers[broker].is_adding_a_fetcher():
        return True
    if before.handlers[broker].partition != partition:
        return True
    if not after.processes[broker].is_running:
        return True
    return after.failed[broker].has(partition) or any(
        after.fetch_state(thread, partition).is_tracked()
        for thread in after.threads_of(broker)
    )


def out_of_range_fetch_makes_progress(
    before: Brokers,
    after: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """After OFFSET_OUT_OF_RANGE a thread asks for something that it can get.

    Fetching comes to an end (KAFKA-15608); holds, but for truncation on fetch.
    """
    call = before.calls[follower][leader][fetcher][partition]
    if after.calls[follower][leader][fetcher][partition] is call:
        return True
    asked, answer = call.request, call.answer
    if not isinstance(asked, FetchAsked) or not isinstance(answer, FetchAnswer):
        return True
    if answer.error is not Error.OFFSET_OUT_OF_RANGE:
        return True
    thread = ThreadId(follower, leader, fetcher)
    if after.thread(thread) == before.thread(thread):
        return True
    if not after.fetch_state(thread, partition).is_ready_for_fetch():
        return True
    if not after.fetch_state(thread, partition).has_epoch(asked.current_epoch):
        return True
    offset = after.fetch_state(thread, partition).offset
    epoch = after.fetch_state(thread, partition).last_epoch
    if FetchAsked(asked.current_epoch, offset, epoch) != asked:
        return True
    return not is_refused_again(after, thread, partition, asked)


def is_refused_again(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> bool:
    """Tell whether the same question would get the same OFFSET_OUT_OF_RANGE now."""
    answer = read_records(cluster, thread, partition, asked)
    return answer.error is Error.OFFSET_OUT_OF_RANGE


FAILURES = (
    out_of_range_fetch_makes_progress,
    partition_fails_only_after_error,
    new_leader_epoch_clears_failure,
    failed_partition_stays_failed,
    dropped_partition_is_marked_failed,
    new_follower_is_fetching_or_failed,
)
