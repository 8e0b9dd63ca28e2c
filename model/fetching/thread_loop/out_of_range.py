"""What a thread does when the leader does not have the offset that it asked for.

The leader is asked for its end and its start while the lock of the partitions is held.
Abstraction: both questions and their answers are one step.
"""

from __future__ import annotations

from replicheck.model.fetching.broker.fetch_requests import get_local_log
from replicheck.model.fetching.cells.calls import Error
from replicheck.model.fetching.fetchers.log_truncation import (
    OffsetTruncationState,
    can_truncate,
    truncate_and_mark,
)
from replicheck.model.fetching.fetchers.own_logs import (
    own_directory,
    own_log,
    with_own_high_watermark,
    with_own_log,
)
from replicheck.model.fetching.fetchers.partition_errors import (
    delay_partitions,
    on_partition_fenced,
)
from replicheck.model.fetching.fetchers.partition_states import update_and_move_to_end
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import Epoch, Offset, PartitionId


@rule
def handle_out_of_range_error(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, epoch: Epoch
) -> Brokers:
    """Reset the offset to the leader's end or start; every error but one is retried.

    Rules: F-OOR, L-LIST, F-FENCE, F-FAIL-2.
    Source: AbstractFetcherThread.handleOutOfRangeError.
    """
    if not cluster.processes[thread.leader].is_running:
        return delay_partitions(cluster, thread, partition)
    error = find_offsets_of(cluster, thread, partition)
    if error is Error.FENCED_LEADER_EPOCH:
        return on_partition_fenced(cluster, thread, partition, epoch)
    if error is not Error.NONE:
        return delay_partitions(cluster, thread, partition)
    return fetch_offset_and_truncate(cluster, thread, partition)


def find_offsets_of(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Error:
    """The error of a question for end and start of the log to be copied, if any.

    A broker that asks itself compares no epochs.

    Rules: L-LIST, F-ALT-2.
    Source: AbstractFetcherThread.fetchLatestOffsetFromLeader.
    """
    if thread.moves_logs():
        hosted = cluster.replicas[thread.leader][partition].is_online()
        return Error.NONE if hosted else Error.STORAGE_ERROR
    current = cluster.fetch_state(thread, partition).epoch
    assert current is not None, "a partition that is tracked has an epoch"
    return get_local_log(cluster, thread, partition, current)


@rule
def fetch_offset_and_truncate(
    cluster: Brokers, thread: ThreadId, partition: PartitionId
) -> Brokers:
    """Cut to the leader's end if it is below; else go on, at its start if need be.

    Epochs are not compared, and truncating does not begin anew.

    Rules: F-OOR, L-LIST.  Source: AbstractFetcherThread.fetchOffsetAndTruncate.
    """
    leader_log = cluster.logs[thread.leader][partition]
    end = own_log(cluster, thread, partition).end_offset
    if leader_log.end_offset < end:
        offset = leader_log.end_offset
        if not can_truncate(cluster, thread, partition, offset):
            return delay_partitions(cluster, thread, partition)
        state = OffsetTruncationState(offset, is_completed=True)
        cluster = truncate_and_mark(cluster, thread, partition, state)
    else:
        offset = max(leader_log.start_offset, end)
        if offset > end:
            if not own_directory(cluster, thread, partition).is_good():
                return delay_partitions(cluster, thread, partition)
            cluster = truncate_fully_and_start_at(cluster, thread, partition, offset)
    reset = cluster.fetch_state(thread, partition).fetched_up_to(offset)
    return update_and_move_to_end(cluster, thread, partition, reset)


@rule
def truncate_fully_and_start_at(
    cluster: Brokers, thread: ThreadId, partition: PartitionId, offset: Offset
) -> Brokers:
    """Empty a log, which begins anew at an offset, as does its high watermark.

    Rules: F-OOR, G-FULL.  Source: ReplicaFetcherThread.truncateFullyAndStartAt.
    """
    log = own_log(cluster, thread, partition).truncate_fully_and_start_at(offset)
    cluster = with_own_log(cluster, thread, partition, log)
    return with_own_high_watermark(cluster, thread, partition, offset)
