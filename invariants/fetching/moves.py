"""What is true of moves of logs between the directories of a broker."""

from __future__ import annotations

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.vocabulary import BrokerId, PartitionId


def moved_partitions_have_future_logs(
    cluster: Brokers, broker: BrokerId, fetcher: FetcherId, partition: PartitionId
) -> bool:
    """No thread moves what is moved already (F-ADD, KAFKA-9750; holds)."""
    thread = ThreadId(broker, broker, fetcher)
    if not cluster.fetch_state(thread, partition).is_tracked():
        return True
    return cluster.future_logs[broker][partition].exists()


def move_has_leader_epoch_of_replica(
    cluster: Brokers, broker: BrokerId, fetcher: FetcherId, partition: PartitionId
) -> bool:
    """Once a request was obeyed, moves go on in its epoch (F-ALT-7; holds).

    KAFKA-9654 and KAFKA-8001 broke it: the broker would fence its own thread.
    """
    thread = ThreadId(broker, broker, fetcher)
    if not cluster.fetch_state(thread, partition).is_tracked():
        return True
    if not cluster.handlers[broker].is_idle():
        return True
    epoch = cluster.replicas[broker][partition].epoch
    return cluster.fetch_state(thread, partition).has_epoch(epoch)


def move_fetches_from_future_log_end(
    cluster: Brokers, broker: BrokerId, fetcher: FetcherId, partition: PartitionId
) -> bool:
    """The next record is copied, and no other.

    I-FETCHOFF for future logs; known to be violated: KAFKA-9087.
    """
    thread = ThreadId(broker, broker, fetcher)
    if not cluster.fetch_state(thread, partition).is_fetching():
        return True
    offset = cluster.fetch_state(thread, partition).offset
    return cluster.future_logs[broker][partition].log.ends_at(offset)


def future_log_has_own_directory(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A log and its copy are in two directories (KIP-113; holds)."""
    directory = cluster.locations[broker][partition]
    return not cluster.future_logs[broker][partition].is_in(directory)


def move_thread_copies_one_log(
    cluster: Brokers,
    broker: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
    neighbour: PartitionId,
) -> bool:
    """A thread asks for records of one log that it moves (F-ALT-4; holds)."""
    if partition >= neighbour:
        return True
    thread = ThreadId(broker, broker, fetcher)
    if not cluster.call(thread, partition).asks_records():
        return True
    return not cluster.call(thread, neighbour).asks_records()


def only_complete_copy_replaces_log(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """What was in a log is in the log that replaces it, and nothing else.

    I-FUTUREPREFIX; known to be violated: only the ends are compared, and a mark for
    truncation can be lost (F-MARK).
    """
    if after.locations[broker][partition] == before.locations[broker][partition]:
        return True
    old, new = before.logs[broker][partition], after.logs[broker][partition]
    if not new.ends_at(old.end_offset):
        return False
    return new.agrees_below(old.end_offset, old.records)


def new_request_clears_failed_move(
    before: Brokers, after: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """Once a request was obeyed, a move of its partition is not failed.

    F-FAIL-3 for future logs, KAFKA-9654; holds.
    """
    if after.handlers[broker] is before.handlers[broker]:
        return True
    if before.handlers[broker].is_idle() or not after.handlers[broker].is_idle():
        return True
    if before.handlers[broker].partition != partition:
        return True
    return not after.failed_moves[broker].has(partition)


def move_in_progress_goes_first(
    before: Brokers,
    after: Brokers,
    broker: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
    neighbour: PartitionId,
) -> bool:
    """No other log is copied while the one in progress is ready (F-ALT-4; holds)."""
    thread = ThreadId(broker, broker, fetcher)
    if after.call(thread, neighbour) is before.call(thread, neighbour):
        return True
    if partition == neighbour or before.in_progress[broker][fetcher] != partition:
        return True
    if not after.call(thread, neighbour).asks_records():
        return True
    return not before.fetch_state(thread, partition).is_ready_for_fetch()


MOVES = (
    moved_partitions_have_future_logs,
    move_has_leader_epoch_of_replica,
    move_fetches_from_future_log_end,
    future_log_has_own_directory,
    move_thread_copies_one_log,
)

MOVE_STEPS = (
    only_complete_copy_replaces_log,
    new_request_clears_failed_move,
    move_in_progress_goes_first,
)
