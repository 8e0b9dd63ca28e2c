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


def a_move_is_in_the_epoch_of_its_replica(
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


def a_move_goes_on_at_the_end_of_its_log(
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


def a_log_is_moved_to_another_directory(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> bool:
    """A log and its copy are in two directories (KIP-113; holds)."""
    directory = cluster.locations[broker][partition]
    return not cluster.future_logs[broker][partition].is_in(directory)


def no_two_logs_are_copied_at_a_time(
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


def only_a_copy_replaces_a_log(
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


def a_request_gives_a_failed_move_another_try(
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


def a_move_that_was_begun_goes_first(
    before: Brokers,
    after: Brokers,
    broker: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
    neighbour: PartitionId,
) -> bool:
    """No other log is copied while the one in progress is ready (F-ALT-4; holds)."""
    if partition == neighbour or before.in_progress[broker][fetcher] != partition:
        return True
    thread = ThreadId(broker, broker, fetcher)
    if after.call(thread, neighbour) is before.call(thread, neighbour):
        return True
    if not after.call(thread, neighbour).asks_records():
        return True
    return not before.fetch_state(thread, partition).is_ready_for_fetch()


MOVES = (
    moved_partitions_have_future_logs,
    a_move_is_in_the_epoch_of_its_replica,
    a_move_goes_on_at_the_end_of_its_log,
    a_log_is_moved_to_another_directory,
    no_two_logs_are_copied_at_a_time,
)

MOVE_STEPS = (
    only_a_copy_replaces_a_log,
    a_request_gives_a_failed_move_another_try,
    a_move_that_was_begun_goes_first,
)
