"""What a leader in KRaft mode makes of the requests of fetcher threads."""

from __future__ import annotations

from typing import cast

from replicheck.model.fetching.broker import fetch_requests
from replicheck.model.fetching.cells.calls import Error, FetchAnswer, FetchAsked
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.versions.diverging_epochs import (
    read_records_or_out_of_range,
)
from replicheck.model.kraft.broker import high_watermark, replication
from replicheck.model.kraft_composed.fetcher_view import seen_by_fetchers, whole_of
from replicheck.model.kraft_composed.state import KraftComposed
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


@rule
def read_for_replica(
    view: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> FetchAnswer:
    """Refuse a broker that has no replica, as far as the leader knows.

    Rules: KR-FET-2.  Source: Partition.fetchRecords, Partition.followerReplicaOrThrow.
    """
    error = fetch_requests.get_local_log(view, thread, partition, asked.current_epoch)
    known = whole_of(view).partitions[thread.leader]
    if error is Error.NONE and not known.has_replica(thread.follower):
        return FetchAnswer(Error.UNKNOWN_LEADER_EPOCH)
    return read_for_live_process(view, thread, partition, asked)


def read_for_live_process(
    view: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> FetchAnswer:
    """Refuse a process of which the leader's image has a later one.

    Rules: KR-FET-2, KR-FET-3, KR-FET-4.
    Source: Partition.fetchRecords, Replica.updateFetchStateOrThrow.
    """
    answer = read_records_or_out_of_range(view, thread, partition, asked)
    if answer.error is not Error.NONE or answer.diverging is not None:
        return answer
    whole = whole_of(view)
    if replication.is_of_older_process(whole, thread.leader, thread.follower):
        return FetchAnswer(Error.NOT_LEADER)
    return answer


def expand_no_isr(
    view: Brokers, leader: BrokerId, partition: PartitionId, offset: Offset
) -> bool:
    """No fetch expands the ISR by itself: the leader proposes it in a later step.

    Rules: KR-PEND-2.  Source: Partition.maybeExpandIsr.
    """
    return False


def increment_high_watermark(
    view: Brokers, leader: BrokerId, partition: PartitionId
) -> Brokers:
    """Commit what the maximal ISR has, if the ISR is large enough.

    Rules: KR-HW-1, KR-HW-2.  Source: Partition.maybeIncrementLeaderHW.
    """
    committed = high_watermark.increment_high_watermark(whole_of(view), leader)
    return seen_by_fetchers(cast(KraftComposed, committed))
