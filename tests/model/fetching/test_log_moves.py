"""Moves between directories: what Kafka's ReplicaAlterLogDirsThreadTest expects.

Each test names those of Kafka 2.5.1 that it restates. Logs are real here, and mocks
there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import pytest
from attrs import evolve

from kafka_tests.fetcher_bench import LOOP
from kafka_tests.vectors import log_of
from replicheck.model.fetching.bounds import FetcherId, FetchingBounds
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.cells.future_log import FutureLog
from replicheck.model.fetching.fetchers.fetcher_manager import (
    add_fetcher_for_partitions,
)
from replicheck.model.fetching.initial_states import with_leader
from replicheck.model.fetching.log_moves.alter_log_dirs import add_mover
from replicheck.model.fetching.metrics import failed_partitions_count
from replicheck.model.fetching.state import Brokers, FetcherManager, ThreadId
from replicheck.model.vocabulary import (
    BrokerId,
    DirectoryId,
    Epoch,
    Offset,
    PartitionId,
)

BROKER, P0, P1 = BrokerId(0), PartitionId(0), PartitionId(1)
MOVER = ThreadId(BROKER, BROKER, FetcherId(0))
EPOCH = Epoch(6)


def broker_with(current: str, copy: str | None) -> Brokers:
    """A broker that leads in epoch 6, with these logs of both partitions."""
    cluster = with_leader(FetchingBounds(brokers=1, partitions=2, directories=2))
    for partition in (P0, P1):
        index = (BROKER, partition)
        replica = evolve(cluster.replicas[BROKER][partition], epoch=EPOCH)
        cluster = cluster.evolve(
            logs={index: log_of(current, None)}, replicas={index: replica}
        )
        if copy is not None:
            future = FutureLog(DirectoryId(1 - partition), log_of(copy, None))
            cluster = cluster.evolve(future_logs={index: future})
    return cluster


def do_work(cluster: Brokers) -> Brokers:
    """Go once through the loop; a delay of before is over."""
    for partition in (P0, P1):
        expired = cluster.fetch_state(MOVER, partition).expire()
        cluster = cluster.evolve(fetch_states={MOVER.at(partition): expired})
    while (after := next_of(cluster)) is not None:
        cluster = after
        if cluster.thread(MOVER).is_at(ThreadPhase.MAYBE_TRUNCATE):
            break
    return cluster


def next_of(cluster: Brokers) -> Brokers | None:
    """The thread's next action, None if it waits."""
    states: Iterator[Brokers] = chain.from_iterable(
        action(cluster, *MOVER.index)
        for action in LOOP.get(cluster.thread(MOVER).phase, ())
    )
    return next(states, None)


def is_moved(cluster: Brokers, partition: PartitionId) -> bool:
    """Tell whether the thread has a partition."""
    return cluster.fetch_state(MOVER, partition).is_tracked()


def failed_moves(cluster: Brokers) -> int:
    """The metric of the thread's manager."""
    return failed_partitions_count(cluster, BROKER, FetcherManager.ALTER_LOG_DIRS)


def test_what_has_no_future_log_is_not_added() -> None:
    """shouldNotAddPartitionIfFutureLogIsNotDefined."""
    cluster = add_mover(broker_with("e5", None), BROKER, P0, Offset(0))
    assert not is_moved(cluster, P0)
    assert failed_moves(cluster) == 0


def test_a_fenced_partition_fails_until_it_is_added_in_the_new_epoch() -> None:
    """shouldUpdateLeaderEpochAfterFencedEpochError."""
    cluster = broker_with("e5", "e5")
    cluster = add_fetcher_for_partitions(
        cluster, BROKER, P0, BROKER, Epoch(4), Offset(0)
    )
    cluster = do_work(cluster)
    assert not is_moved(cluster, P0)
    assert failed_moves(cluster) == 1
    cluster = add_mover(cluster, BROKER, P0, Offset(0))
    assert failed_moves(cluster) == 0
    cluster = do_work(cluster)
    assert not is_moved(cluster, P0)
    assert failed_moves(cluster) == 0
    assert cluster.locations[BROKER][P0] == 1


def test_a_copy_that_caught_up_replaces_its_log() -> None:
    """shouldReplaceCurrentLogDirWhenCaughtUp."""
    cluster = do_work(add_mover(broker_with("e5", "e5"), BROKER, P0, Offset(0)))
    assert cluster.locations[BROKER][P0] == 1
    assert not cluster.future_logs[BROKER][P0].exists()
    assert not is_moved(cluster, P0)


@pytest.mark.parametrize(("current", "cut"), [(190, 190), (192, 191)])
def test_a_copy_is_cut_to_where_its_log_ends(current: int, cut: int) -> None:
    """shouldTruncateToReplicaOffset: the copy ends at 191."""
    cluster = broker_with(f"e2*{current}", "e2*191")
    cluster = until(ThreadPhase.MAYBE_FETCH, add_mover(cluster, BROKER, P0, Offset(0)))
    assert cluster.future_logs[BROKER][P0].log.end_offset == cut
    assert cluster.fetch_state(MOVER, P0).is_at(Offset(cut))


def until(phase: ThreadPhase, cluster: Brokers) -> Brokers:
    """Go on in the loop up to a place in it."""
    while not cluster.thread(MOVER).is_at(phase):
        after = next_of(cluster)
        assert after is not None, f"{phase} is not reached"
        cluster = after
    return cluster


def test_a_copy_is_cut_in_rounds_to_the_largest_common_epoch() -> None:
    """shouldTruncateToEndOffsetOfLargestCommonEpoch."""
    cluster = broker_with("e3*190 e4*10 e6*5", "e3*195 e5*5")
    cluster = add_mover(cluster, BROKER, P0, Offset(0))
    cluster = until(ThreadPhase.MAYBE_FETCH, cluster)
    assert cluster.future_logs[BROKER][P0].log.end_offset == 195
    assert cluster.fetch_state(MOVER, P0).is_truncating()
    cluster = until(ThreadPhase.MAYBE_TRUNCATE, cluster)
    cluster = until(ThreadPhase.MAYBE_FETCH, cluster)
    assert cluster.future_logs[BROKER][P0].log.end_offset == 190
    assert cluster.fetch_state(MOVER, P0).is_ready_for_fetch()


def test_a_copy_without_epochs_is_cut_to_where_it_was_added() -> None:
    """shouldTruncateToInitialFetchOffsetIfReplicaReturnsUndefinedOffset."""
    cluster = add_mover(broker_with("e5*200", ""), BROKER, P0, Offset(100))
    cluster = until(ThreadPhase.MAYBE_FETCH, cluster)
    assert cluster.fetch_state(MOVER, P0).is_at(Offset(100))


def test_a_question_that_meets_an_error_is_asked_again() -> None:
    """shouldPollIndefinitelyIfReplicaNotAvailable; here the epoch is unknown."""
    cluster = broker_with("e2*290", "e2*300")
    cluster = add_fetcher_for_partitions(
        cluster, BROKER, P0, BROKER, Epoch(7), Offset(0)
    )
    for _ in range(3):
        cluster = do_work(cluster)
        assert cluster.fetch_state(MOVER, P0).is_delayed
        assert cluster.future_logs[BROKER][P0].log.end_offset == 300
    replica = evolve(cluster.replicas[BROKER][P0], epoch=Epoch(7))
    cluster = do_work(cluster.evolve(replicas={(BROKER, P0): replica}))
    assert cluster.logs[BROKER][P0].end_offset == 290
    assert cluster.locations[BROKER][P0] == 1


def test_one_log_is_copied_after_the_other() -> None:
    """shouldFetchOneReplicaAtATime, shouldFetchNonDelayedAndNonTruncatingReplicas."""
    cluster = broker_with("e5*3", "")
    for partition in (P0, P1):
        cluster = add_mover(cluster, BROKER, partition, Offset(0))
    cluster = do_work(cluster)
    ends = [future_log.log.end_offset for future_log in cluster.future_logs[BROKER]]
    assert ends == [1, 0]
    delayed = cluster.fetch_state(MOVER, P0).delay()
    cluster = cluster.evolve(fetch_states={MOVER.at(P0): delayed})
    cluster = until(ThreadPhase.FETCH_ASKED, cluster)
    assert not cluster.call(MOVER, P0).asks_records()
    assert cluster.call(MOVER, P1).asks_records()


def test_nothing_is_asked_while_no_log_is_ready() -> None:
    """shouldFetchNonDelayedAndNonTruncatingReplicas: no fetch without any."""
    cluster = add_mover(broker_with("e5", ""), BROKER, P0, Offset(0))
    delayed = cluster.fetch_state(MOVER, P0).delay()
    cluster = cluster.evolve(fetch_states={MOVER.at(P0): delayed})
    assert next_of(cluster) is None


def test_a_log_in_progress_is_forgotten_while_none_is_ready() -> None:
    """Then the first one is next, though the second was begun."""
    cluster = add_mover(broker_with("e5*3", ""), BROKER, P1, Offset(0))
    cluster = do_work(cluster)
    assert cluster.in_progress[BROKER] == (P1,)
    delayed = cluster.fetch_state(MOVER, P1).delay()
    found = next_of(cluster.evolve(fetch_states={MOVER.at(P1): delayed}))
    assert found is not None
    assert found.in_progress[BROKER] == (None,)
    assert next_of(found) is None
    cluster = do_work(add_mover(found, BROKER, P0, Offset(0)))
    ends = [future_log.log.end_offset for future_log in cluster.future_logs[BROKER]]
    assert ends == [1, 1]
