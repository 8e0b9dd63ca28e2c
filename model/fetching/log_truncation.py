"""How one log is cut, and what becomes of errors.

Source: AbstractFetcherThread.doTruncate, ReplicaFetcherThread.truncate, Log.
"""

from __future__ import annotations

from attrs import frozen

from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.partition_errors import Caught, handle_truncation_error
from replicheck.model.fetching.state import Cluster, Thread
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
    cluster: Cluster,
    thread: Thread,
    partition: PartitionId,
    state: OffsetTruncationState,
) -> tuple[Cluster, OffsetTruncationState | None]:
    """Cut a log; whatever goes wrong makes the partition fail.

    Rules: F-DOTRUNC, F-FAIL-2.  Source: AbstractFetcherThread.doTruncate.
    """
    log = cluster.logs[thread.follower][partition]
    if log.is_broken:
        mended = {(thread.follower, partition): log.mend()}
        caught, cluster = Caught.UNEXPECTED, cluster.evolve(logs=mended)
    elif not can_truncate(cluster, thread, partition, state.offset):
        caught = Caught.STORAGE_ERROR
    else:
        return truncate(cluster, thread, partition, state.offset), state
    return handle_truncation_error(cluster, thread, partition, caught), None


@rule
def can_truncate(
    cluster: Cluster, thread: Thread, partition: PartitionId, offset: Offset
) -> bool:
    """Tell whether cutting a log raises no error; at its end nothing is done.

    Rules: F-TRUNC-RFT, G-TRUNC-1.  Source: ReplicaFetcherThread.truncate.
    """
    follower = thread.follower
    if not cluster.replicas[follower][partition].is_online():
        return False
    if cluster.directory_of(follower, partition).is_good():
        return True
    return bool(cluster.logs[follower][partition].end_offset <= offset)


@rule
def truncate(
    cluster: Cluster, thread: Thread, partition: PartitionId, offset: Offset
) -> Cluster:
    """Cut a log, and lower its high watermark if it was above.

    Rules: F-TRUNC-RFT, G-TRUNC-1.
    Source: ReplicaFetcherThread.truncate, Log.truncateTo.
    """
    index = (thread.follower, partition)
    log = truncate_log(cluster, thread, partition, offset)
    replica = cluster.replicas[thread.follower][partition]
    return cluster.evolve(
        logs={index: log},
        replicas={index: replica.cap_high_watermark(offset)},
    )


@rule
def truncate_log(
    cluster: Cluster, thread: Thread, partition: PartitionId, offset: Offset
) -> PartitionLog:
    """Return the log without the records from an offset on.

    Rules: G-TRUNC-1.  Source: Log.truncateTo.
    """
    return cluster.logs[thread.follower][partition].truncate_to(offset)
