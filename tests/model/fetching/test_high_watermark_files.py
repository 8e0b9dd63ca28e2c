"""The files of high watermarks: one for each directory, written whole or not at all."""

from __future__ import annotations

import pytest
from attrs import evolve

from kafka_tests.vectors import log_of
from replicheck.model.fetching.bounds import FetchingBounds
from replicheck.model.fetching.cells.future_log import FutureLog
from replicheck.model.fetching.initial_states import with_leader
from replicheck.model.fetching.log_moves.alter_log_dirs import begin_move, give_up_move
from replicheck.model.fetching.log_moves.checkpoint_files import (
    without_future_log,
    write_high_watermarks,
)
from replicheck.model.fetching.log_moves.log_replacement import (
    replace_current_with_future_log,
)
from replicheck.model.fetching.state import Brokers
from replicheck.model.vocabulary import BrokerId, DirectoryId, Offset, PartitionId

BROKER, P0, P1 = BrokerId(0), PartitionId(0), PartitionId(1)
FIRST, SECOND = DirectoryId(0), DirectoryId(1)


def broker(partitions: int = 1) -> Brokers:
    """A broker with two directories; its first log ends at 2, as does what is known."""
    bounds = FetchingBounds(brokers=1, partitions=partitions, directories=2)
    cluster = with_leader(bounds)
    replica = cluster.replicas[BROKER][P0].with_high_watermark(Offset(2))
    return cluster.evolve(
        logs={(BROKER, P0): log_of("e5*2")}, replicas={(BROKER, P0): replica}
    )


def moved(cluster: Brokers, to: DirectoryId) -> Brokers:
    """The first log is moved, with all that it has."""
    cluster = begin_move(cluster, BROKER, P0, to)
    log = cluster.logs[BROKER][P0]
    future = cluster.future_logs[BROKER][P0].with_log(log)
    cluster = cluster.evolve(future_logs={(BROKER, P0): future})
    return replace_current_with_future_log(cluster, BROKER, P0)


def stored(cluster: Brokers) -> tuple[int, int]:
    """What is on disk for the first log: where it is, and in the other directory."""
    left = cluster.future_logs[BROKER][P0].stored_high_watermark
    return cluster.checkpoints[BROKER][P0], left


def test_a_log_that_comes_back_finds_what_it_left() -> None:
    """The file of a directory keeps what a log left, and nothing is in the new one."""
    cluster = write_high_watermarks(broker(), BROKER)
    assert stored(cluster) == (2, 0)
    cluster = moved(cluster, SECOND)
    assert stored(cluster) == (0, 2)
    cluster = moved(cluster, FIRST)
    assert stored(cluster) == (2, 0)


def test_a_file_without_a_log_is_not_written() -> None:
    """Only the file of the directory in which the log is now is written."""
    cluster = write_high_watermarks(moved(broker(), SECOND), BROKER)
    assert stored(cluster) == (2, 0)
    replica = cluster.replicas[BROKER][P0].with_high_watermark(Offset(1))
    cluster = cluster.evolve(replicas={(BROKER, P0): replica})
    cluster = write_high_watermarks(moved(cluster, FIRST), BROKER)
    assert stored(cluster) == (1, 2)


def test_a_file_that_another_log_needs_forgets_the_one_that_left() -> None:
    """The second partition is in the second directory."""
    cluster = write_high_watermarks(broker(partitions=2), BROKER)
    cluster = moved(moved(cluster, SECOND), FIRST)
    cluster = begin_move(cluster, BROKER, P1, FIRST)
    assert cluster.locations[BROKER] == (FIRST, SECOND)
    future = evolve(cluster.future_logs[BROKER][P0], stored_high_watermark=Offset(1))
    cluster = cluster.evolve(future_logs={(BROKER, P0): future})
    assert stored(write_high_watermarks(cluster, BROKER)) == (2, 0)


def test_a_move_that_is_given_up_leaves_its_high_watermark() -> None:
    """The next copy in the directory does not begin with it, but is checkpointed so."""
    cluster = begin_move(broker(), BROKER, P0, SECOND)
    future = cluster.future_logs[BROKER][P0].with_high_watermark(Offset(1))
    cluster = cluster.evolve(future_logs={(BROKER, P0): future})
    cluster = give_up_move(write_high_watermarks(cluster, BROKER), BROKER, P0)
    assert stored(cluster) == (2, 1)
    assert not cluster.future_logs[BROKER][P0].exists()
    again = begin_move(cluster, BROKER, P0, SECOND).future_logs[BROKER][P0]
    assert (again.high_watermark, again.stored_high_watermark) == (0, 1)


def test_a_directory_that_fails_keeps_its_file() -> None:
    """Writing raises, and the error is caught."""
    cluster = broker()
    failing = cluster.directories[BROKER][FIRST].fail()
    cluster = cluster.evolve(directories={(BROKER, FIRST): failing})
    assert stored(write_high_watermarks(cluster, BROKER)) == (0, 0)


def test_a_broker_that_knows_no_partition_writes_no_file() -> None:
    """So a new process keeps what the one before has written."""
    cluster = write_high_watermarks(broker(), BROKER)
    unknown = cluster.replicas[BROKER][P0].forget()
    cluster = cluster.evolve(replicas={(BROKER, P0): unknown})
    assert stored(write_high_watermarks(cluster, BROKER)) == (2, 0)


@pytest.mark.parametrize(("directories", "left"), [(2, 1), (3, 0)])
def test_with_three_directories_what_a_log_left_is_forgotten(
    directories: int, left: int
) -> None:
    """An abstraction: there is one place for what no directory of a log has."""
    cluster = with_leader(FetchingBounds(brokers=1, directories=directories))
    expected = FutureLog(stored_high_watermark=Offset(left))
    assert without_future_log(cluster, Offset(1)) == expected


def test_a_future_log_has_its_high_watermark_from_the_file_when_it_is_hosted() -> None:
    """It is found when the process starts; the file may be written until then."""
    log = log_of("e5*2")
    found = FutureLog(SECOND, log, stored_high_watermark=Offset(2)).load()
    assert not found.is_hosted
    assert found.checkpoint(Offset(1)).host().high_watermark == 1
    hosted = found.host()
    assert hosted.high_watermark == 2
    assert hosted.checkpoint(Offset(1)).host() == hosted.checkpoint(Offset(1))
