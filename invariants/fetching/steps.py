"""What is true of every step of the fetching brokers."""

from __future__ import annotations

from replicheck.invariants.fetching.disks import DISK_STEPS
from replicheck.invariants.fetching.failures import FAILURES
from replicheck.invariants.fetching.knowledge import KNOWLEDGE_STEPS, leads_throughout
from replicheck.invariants.fetching.moves import MOVE_STEPS
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import (
    EpochAnswer,
    EpochAsked,
    Error,
    FetchAnswer,
    FetchAsked,
)
from replicheck.model.fetching.cells.requests import Becoming
from replicheck.model.fetching.fetchers.own_logs import own_log
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


def leader_high_watermark_never_decreases(
    before: Brokers, after: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """While a broker leads, its high watermark only grows (I-HWMONO-L; holds)."""
    if after.replicas[leader][partition] is before.replicas[leader][partition]:
        return True
    if not leads_throughout(before, after, leader, partition):
        return True
    old = before.replicas[leader][partition].high_watermark
    return after.replicas[leader][partition].high_watermark >= old


def leader_log_is_never_truncated(
    before: Brokers, after: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """While a broker leads, its log only grows (KAFKA-13207; holds)."""
    if after.logs[leader][partition] is before.logs[leader][partition]:
        return True
    if not leads_throughout(before, after, leader, partition):
        return True
    end = before.logs[leader][partition].end_offset
    return after.logs[leader][partition].end_offset >= end


def follower_hw_falls_only_to_leaders(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """As long as a follower's log is not cut, its high watermark is as it was told.

    I-HWMONO-F says that it never falls, which is known to be violated: a new leader's
    may be lower. This much of it holds.
    """
    if after.replicas[broker][partition] is before.replicas[broker][partition]:
        return True
    if not after.replicas[broker][partition].is_online():
        return True
    old = before.replicas[broker][partition].high_watermark
    new = after.replicas[broker][partition].high_watermark
    if new >= old or after.logs[broker][partition].ends_at(new):
        return True
    return any(
        _tells_no_more(before, thread, partition, new)
        for thread in before.threads_of(broker)
    )


def _tells_no_more(
    before: Brokers, thread: ThreadId, partition: PartitionId, high_watermark: Offset
) -> bool:
    answer = before.call(thread, partition).answer
    if not isinstance(answer, FetchAnswer):
        return False
    return answer.high_watermark <= high_watermark


def failed_directory_receives_no_records(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """No record is appended where accesses fail (KAFKA-6027; holds)."""
    if after.logs[broker][partition] is before.logs[broker][partition]:
        return True
    if before.directory_of(broker, partition).is_good():
        return True
    end = before.logs[broker][partition].end_offset
    return after.logs[broker][partition].end_offset <= end


def caught_up_followers_stay_in_sync(
    before: Brokers,
    after: Brokers,
    leader: BrokerId,
    partition: PartitionId,
    follower: BrokerId,
) -> bool:
    """A leader removes no follower that lacks nothing (L-ISR-2; holds)."""
    if after.replicas[leader][partition] is before.replicas[leader][partition]:
        return True
    if leader == follower:
        return True
    if not before.replicas[leader][partition].counts_in_sync(follower):
        return True
    if after.replicas[leader][partition].counts_in_sync(follower):
        return True
    if not after.leads_in(leader, partition, before.replicas[leader][partition].epoch):
        return True
    end = before.logs[leader][partition].end_offset
    return not before.remotes[leader][partition].is_at(follower, end)


def process_ends_only_by_crash(
    before: Brokers, after: Brokers, broker: BrokerId
) -> bool:
    """No partition's state ends a broker (KAFKA-7414; holds)."""
    if after.processes[broker] is before.processes[broker]:
        return True
    if after.processes[broker].is_running or not before.processes[broker].is_running:
        return True
    if after.faults.clean_shutdowns < before.faults.clean_shutdowns:
        return True
    return after.faults.crashes < before.faults.crashes


def replica_leader_epoch_never_decreases(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """While a replica is online, its leader epoch only grows (I-EPOCHMONO; holds)."""
    if after.replicas[broker][partition] is before.replicas[broker][partition]:
        return True
    if not before.replicas[broker][partition].is_online():
        return True
    if not after.replicas[broker][partition].is_online():
        return True
    old = before.replicas[broker][partition].epoch
    new = after.replicas[broker][partition].epoch
    return old is None or (new is not None and new >= old)


def only_newer_leader_epoch_is_obeyed(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A request with a known leader epoch changes nothing (B-LAI-1; holds)."""
    if after.handlers[broker] is before.handlers[broker]:
        return True
    if not before.handlers[broker].is_idle():
        return True
    if after.handlers[broker].partition != partition:
        return True
    if after.handlers[broker].is_making(Becoming.MOVER):
        return True
    content = after.handlers[broker].content
    assert content is not None, "a request is under way"
    return before.replicas[broker][partition].is_behind(content.epoch)


def new_epoch_begins_with_truncation(
    before: Brokers,
    after: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """Nothing is fetched in an epoch before the log was cut (I-TRUNCFIRST; holds)."""
    old = before.fetch_states[follower][leader][fetcher][partition]
    new = after.fetch_states[follower][leader][fetcher][partition]
    if new is old or not new.is_fetching():
        return True
    return old.is_tracked() and bool(old.has_epoch(new.epoch))


def response_is_used_in_request_epoch(
    before: Brokers,
    after: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """No answer of another leader epoch does more than delay (I-SAMEEPOCH; holds)."""
    old = before.fetch_states[follower][leader][fetcher][partition]
    if after.fetch_states[follower][leader][fetcher][partition] is old:
        return True
    call = before.calls[follower][leader][fetcher][partition]
    if after.calls[follower][leader][fetcher][partition] is call:
        return True
    asked = call.request
    if call.answer is None or not isinstance(asked, EpochAsked | FetchAsked):
        return True
    if not old.is_tracked() or not _acts(before, after, follower, leader, fetcher):
        return True
    if after.fetch_states[follower][leader][fetcher][partition].is_delayed:
        return True
    return old.has_epoch(asked.current_epoch)


def _acts(
    before: Brokers,
    after: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
) -> bool:
    """Tell whether the thread goes on in its loop."""
    thread = after.threads[follower][leader][fetcher]
    return thread.exists() and thread != before.threads[follower][leader][fetcher]


def truncation_round_lowers_latest_epoch(
    before: Brokers,
    after: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """Truncating by epochs comes to an end (V-1; known to be violated, K-8)."""
    thread = ThreadId(follower, leader, fetcher)
    call = before.calls[follower][leader][fetcher][partition]
    if after.calls[follower][leader][fetcher][partition] is call:
        return True
    asked, answer = call.request, call.answer
    if not isinstance(asked, EpochAsked) or not isinstance(answer, EpochAnswer):
        return True
    if answer.error is not Error.NONE:
        return True
    if after.calls[follower][leader][fetcher][partition].asks_epoch():
        return True
    if not _acts(before, after, follower, leader, fetcher):
        return True
    if not after.fetch_state(thread, partition).is_truncating():
        return True
    if not before.fetch_state(thread, partition).has_epoch(asked.current_epoch):
        return True
    latest = own_log(after, thread, partition).latest_epoch
    return latest is None or bool(latest < asked.epoch)


def partitions_are_served_in_turn(
    before: Brokers,
    after: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
    neighbour: PartitionId,
) -> bool:
    """Where an answer is limited, partitions are served in turn (V-3; holds)."""
    if not before.bounds.fetch_size or partition == neighbour:
        return True
    call = before.calls[follower][leader][fetcher][partition]
    if after.calls[follower][leader][fetcher][partition] is call:
        return True
    if not call.has_record():
        return True
    thread = ThreadId(follower, leader, fetcher)
    if before.call(thread, neighbour).has_record():
        return True
    if not after.fetch_state(thread, neighbour).is_ready_for_fetch():
        return True
    if not after.fetch_state(thread, partition).is_ready_for_fetch():
        return True
    order = after.orders[follower][leader][fetcher].partitions
    return order.index(partition) > order.index(neighbour)


STEPS = (
    leader_high_watermark_never_decreases,
    leader_log_is_never_truncated,
    follower_hw_falls_only_to_leaders,
    failed_directory_receives_no_records,
    caught_up_followers_stay_in_sync,
    process_ends_only_by_crash,
    *DISK_STEPS,
    *KNOWLEDGE_STEPS,
    replica_leader_epoch_never_decreases,
    only_newer_leader_epoch_is_obeyed,
    *FAILURES,
    new_epoch_begins_with_truncation,
    response_is_used_in_request_epoch,
    truncation_round_lowers_latest_epoch,
    partitions_are_served_in_turn,
    *MOVE_STEPS,
)
