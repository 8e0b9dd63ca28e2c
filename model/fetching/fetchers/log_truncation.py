"""How one log is cut, and what becomes of errors.

Source: AbstractFetcherThread.doTruncate, ReplicaFetcherThread.truncate, Log.
"""

from __future__ import annotations

from attrs import frozen

from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.fetchers.fetcher_manager import (
    mark_partitions_for_truncation,
)
from replicheck.model.fetching.fetchers.own_logs import (
    has_own_log,
    own_directory,
    own_high_watermark,
    own_log,
    with_own_high_watermark,
    with_own_log,
)
from replicheck.model.fetching.fetchers.partition_errors import (
    Caught,
    handle_truncation_error,
)
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import Offset, PartitionId


@frozen
class OffsetTruncationState:
    """Where to cut a log, and whether it agrees then.

    Source: OffsetTruncationState.
    """

    offset: Offset
    is_completed: bool


@rule
def do_truncate(
    cluster: Brokers,
    thread: ThreadId,
    partition: PartitionId,
    state: OffsetTruncationState,
) -> tuple[Brokers, OffsetTruncationState | None]:
    """Cut a log; any error makes the partition fail.

    Rules: F-DOTRUNC, F-FAIL-2.  Source: AbstractFetcherThread.doTruncate.
    """
    log = own_log(cluster, thread, partition)
    if log.is_broken:
        caught = Caught.UNEXPECTED
        cluster = with_own_log(cluster, thread, partition, log.repair())
    elif not can_truncate(cluster, thread, partition, state.offset):
        caught = Caught.STORAGE_ERROR
    else:
        return truncate_and_mark(cluster, thread, partition, state), state
    return handle_truncation_error(cluster, thread, partition, caught), None


@rule
def can_truncate(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> bool:
    """Tell whether cutting a log raises no error; at its end nothing is done.

    Rules: F-TRUNC-RFT, G-TRUNC-1.  Source: ReplicaFetcherThread.truncate.
    """
    if not has_own_log(cluster, thread, partition):
        return False
    if own_directory(cluster, thread, partition).is_good():
        return True
    return own_log(cluster, thread, partition).end_offset <= offset


def truncate_and_mark(
    cluster: Brokers,
    thread: ThreadId,
    partition: PartitionId,
    state: OffsetTruncationState,
) -> Brokers:
    """Cut a log, and have its future log cut as well, once it agrees with the leader's.

    Abstraction: both are one step; Kafka gives up the lock of the log in between.

    Rules: F-TRUNC-RFT, F-MARK.  Source: ReplicaFetcherThread.truncate.
    """
    cluster = truncate(cluster, thread, partition, state.offset)
    if thread.moves_logs() or not state.is_completed:
        return cluster
    return mark_partitions_for_truncation(
        cluster, thread.follower, partition, state.offset
    )


@rule
def truncate(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> Brokers:
    """Cut a log, and lower its high watermark if it was above.

    Rules: F-TRUNC-RFT, G-TRUNC-1.
    Source: ReplicaFetcherThread.truncate, Log.truncateTo.
    """
    log = truncate_log(cluster, thread, partition, offset)
    cluster = with_own_log(cluster, thread, partition, log)
    capped = min(own_high_watermark(cluster, thread, partition), offset)
    return with_own_high_watermark(cluster, thread, partition, capped)


@rule
def truncate_log(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> PartitionLog:
    """The log without the records from an offset on.

    Rules: G-TRUNC-1.  Source: Log.truncateTo.
    """
    return own_log(cluster, thread, partition).truncate_to(offset)
