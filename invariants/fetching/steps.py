"""What is true of every step of the fetching brokers."""

from __future__ import annotations

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import (
    EpochAnswer,
    EpochAsked,
    Error,
    FetchAsked,
)
from replicheck.model.fetching.cells.requests import Becoming
from replicheck.model.fetching.state import Cluster, Thread
from replicheck.model.vocabulary import BrokerId, PartitionId


def a_leaders_high_watermark_never_falls(
    before: Cluster, after: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """While a broker leads, its high watermark only grows (I-HWMONO-L; holds)."""
    if after.replicas[leader][partition] is before.replicas[leader][partition]:
        return True
    if not before.presumes_leadership(leader, partition):
        return True
    if not after.presumes_leadership(leader, partition):
        return True
    old = before.replicas[leader][partition].high_watermark
    return bool(after.replicas[leader][partition].high_watermark >= old)


def a_replicas_leader_epoch_never_goes_back(
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
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


def only_a_newer_epoch_is_obeyed(
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """A request with a known leader epoch changes nothing (B-LAI-1; holds)."""
    if after.handlers[broker] is before.handlers[broker]:
        return True
    if not before.handlers[broker].is_idle():
        return True
    if after.handlers[broker].partition != partition:
        return True
    content = after.handlers[broker].content
    assert content is not None, "a request is under way"
    return bool(before.replicas[broker][partition].is_behind(content.epoch))


def a_new_epoch_gives_a_failed_partition_another_try(
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """Once a request was obeyed, its partition is not failed (I-FAILCLEAR; holds)."""
    if after.handlers[broker] is before.handlers[broker]:
        return True
    if before.handlers[broker].is_idle() or not after.handlers[broker].is_idle():
        return True
    if before.handlers[broker].partition != partition:
        return True
    return not after.failed[broker].has(partition)


def a_failed_partition_stays_failed(
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
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
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a request with a newer epoch is obeyed."""
    if before.handlers[broker].is_making(Becoming.FOLLOWER):
        return bool(before.handlers[broker].partition == partition)
    if not after.handlers[broker].is_making(Becoming.LEADER):
        return False
    content = after.handlers[broker].content
    assert content is not None, "a request is under way"
    if not before.replicas[broker][partition].is_behind(content.epoch):
        return False
    return bool(after.handlers[broker].partition == partition)


def _is_stopped(
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether the replica or its fetcher was stopped, or the process ended."""
    if after.faults is not before.faults:
        return bool(after.faults.stops < before.faults.stops) or (
            not after.processes[broker].is_running
        )
    return bool(after.replicas[broker][partition].is_offline())


def a_thread_gives_up_only_what_failed(
    before: Cluster,
    after: Cluster,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """What a thread drops by itself is remembered as failed.

    I-TRACKORFAIL as far as threads go; holds.
    """
    old = before.fetch_states[follower][leader][fetcher][partition]
    new = after.fetch_states[follower][leader][fetcher][partition]
    if new is old or not old.is_tracked() or new.is_tracked():
        return True
    if after.handlers[follower] is not before.handlers[follower]:
        return True
    if after.failed[follower].has(partition):
        return True
    return _is_stopped(before, after, follower, partition)


def a_follower_that_was_told_is_fetched_or_failed(
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """Whoever is told to follow has a fetcher from then on.

    I-TRACKORFAIL as far as LeaderAndIsr requests go; holds where every leader is known
    to be live.
    """
    if after.handlers[broker] is before.handlers[broker]:
        return True
    if not before.handlers[broker].is_making(Becoming.FOLLOWER):
        return True
    if before.handlers[broker].partition != partition:
        return True
    if not after.processes[broker].is_running:
        return True
    return after.failed[broker].has(partition) or any(
        after.fetch_state(each, partition).is_tracked()
        for each in after.threads_of(broker)
    )


def a_new_epoch_begins_with_truncating(
    before: Cluster,
    after: Cluster,
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


def an_answer_is_used_in_the_epoch_in_which_it_was_asked(
    before: Cluster,
    after: Cluster,
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
    if not old.is_tracked():
        return True
    if not after.threads[follower][leader][fetcher].exists():
        return True
    if after.fetch_states[follower][leader][fetcher][partition].is_delayed:
        return True
    return bool(old.has_epoch(asked.current_epoch))


def an_incomplete_round_lowers_the_latest_epoch(
    before: Cluster,
    after: Cluster,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> bool:
    """Truncating by epochs comes to an end (V-1; known to be violated, K-8)."""
    thread = Thread(follower, leader, fetcher)
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
    if not after.fetch_state(thread, partition).is_truncating():
        return True
    if not before.fetch_state(thread, partition).has_epoch(asked.current_epoch):
        return True
    latest = after.logs[follower][partition].latest_epoch
    return latest is None or bool(latest < asked.epoch)


def whoever_is_served_waits_for_the_others(
    before: Cluster,
    after: Cluster,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
    other: PartitionId,
) -> bool:
    """Where an answer is limited, partitions are served in turn (V-3; holds)."""
    if not before.bounds.fetch_size or partition == other:
        return True
    call = before.calls[follower][leader][fetcher][partition]
    if after.calls[follower][leader][fetcher][partition] is call:
        return True
    if not call.has_record():
        return True
    thread = Thread(follower, leader, fetcher)
    if before.call(thread, other).has_record():
        return True
    if not after.fetch_state(thread, other).is_ready_for_fetch():
        return True
    if not after.fetch_state(thread, partition).is_ready_for_fetch():
        return True
    order = after.orders[follower][leader][fetcher].partitions
    return bool(order.index(partition) > order.index(other))


STEPS = (
    a_leaders_high_watermark_never_falls,
    a_replicas_leader_epoch_never_goes_back,
    only_a_newer_epoch_is_obeyed,
    a_new_epoch_gives_a_failed_partition_another_try,
    a_failed_partition_stays_failed,
    a_thread_gives_up_only_what_failed,
    a_follower_that_was_told_is_fetched_or_failed,
    a_new_epoch_begins_with_truncating,
    an_answer_is_used_in_the_epoch_in_which_it_was_asked,
    an_incomplete_round_lowers_the_latest_epoch,
    whoever_is_served_waits_for_the_others,
)
