"""The fetching brokers: all interleavings of each scenario, both engines, purity."""

from __future__ import annotations

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import state_after
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.metrics import (
    consumer_lag,
    dead_thread_count,
    failed_partitions_count,
)
from replicheck.model.fetching.state import Brokers, FetcherManager, ThreadId
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId
from scenario_runs import final_state
from shipped import CATALOGUE

FOLLOWER = BrokerId(1)


THREAD = ThreadId(FOLLOWER, BrokerId(0), FetcherId(0))


MOVER = ThreadId(FOLLOWER, FOLLOWER, FetcherId(0))


def end_of(name: str) -> Brokers:
    """The state at the end of a scenario's sequence."""
    found: Brokers = final_state(name)
    return found


def test_roles_change_and_what_only_the_old_leader_had_is_cut() -> None:
    """Both logs have the one record that was copied, and both know of the election."""
    cluster = end_of("fetching-two-brokers-change-roles")
    (old,), (new,) = cluster.logs
    assert old.records == new.records
    assert [record.id for record in old.records if record] == [0]
    assert [entry.epoch for entry in new.epochs] == [0, 1]


def test_one_of_two_partitions_fails_and_the_other_is_committed() -> None:
    """The thread has only the other one, and the metric counts one."""
    cluster = end_of("fetching-one-partition-fails")
    assert failed_partitions_count(cluster, FOLLOWER) == 1
    assert tracked(cluster) == [1]
    assert consumer_lag(cluster, FOLLOWER, PartitionId(0)) is None
    assert consumer_lag(cluster, FOLLOWER, PartitionId(1)) == 0
    assert cluster.committed[0].records == ()
    assert len(cluster.committed[1].records) == 1


def test_a_thread_whose_partitions_all_failed_lives_on() -> None:
    """It is not dead, has nothing to do, and is not shut down (F-THREAD-3)."""
    cluster = end_of("fetching-all-partitions-fail")
    assert failed_partitions_count(cluster, FOLLOWER) == 2
    assert tracked(cluster) == []
    assert cluster.thread(THREAD).is_at(ThreadPhase.MAYBE_TRUNCATE)
    assert dead_thread_count(cluster, FOLLOWER) == 0


def test_an_unknown_leader_leaves_a_failure() -> None:
    """The broker is told of the next epoch, and has not taken it up (F-FAIL-4)."""
    cluster = end_of("fetching-leader-is-not-known")
    assert failed_partitions_count(cluster, FOLLOWER) == 1
    assert cluster.inboxes[FOLLOWER][0].is_empty()
    assert cluster.replicas[FOLLOWER][0].epoch == 0
    assert cluster.partition_nodes[0].has_epoch(Epoch(1))


def test_stop_replica_clears_a_failure() -> None:
    """The replica stays, and no thread fetches it."""
    cluster = end_of("fetching-failed-partition-is-stopped")
    assert failed_partitions_count(cluster, FOLLOWER) == 0
    assert tracked(cluster) == [1]
    assert cluster.replicas[FOLLOWER][0].is_online()


def test_the_next_leader_epoch_clears_a_failure() -> None:
    """The partition is fetched again, here from the same leader."""
    cluster = end_of("fetching-new-epoch-clears-failure")
    assert failed_partitions_count(cluster, FOLLOWER) == 0
    assert len(cluster.committed[0].records) == 1


def test_a_failed_directory_clears_a_failure() -> None:
    """The partition is marked offline instead; the one beside it goes on."""
    cluster = end_of("fetching-failed-partitions-disk-fails")
    assert failed_partitions_count(cluster, FOLLOWER) == 0
    assert cluster.replicas[FOLLOWER][0].is_offline()
    assert tracked(cluster) == [1]
    assert len(cluster.committed[1].records) == 1


def test_partitions_are_served_in_turn() -> None:
    """The second answer brings a record of the partition that got none before."""
    cluster = end_of("fetching-partitions-take-turns")
    assert [cluster.logs[FOLLOWER][partition].end_offset for partition in (0, 1)] == [
        1,
        1,
    ]
    assert cluster.order(THREAD).partitions == (0, 1)


def test_a_log_is_moved_and_grows_where_it_is_now() -> None:
    """The copy became the log, and the thread that moved it is gone."""
    cluster = end_of("fetching-log-is-moved")
    assert cluster.locations[FOLLOWER] == (1,)
    assert not cluster.future_logs[FOLLOWER][0].exists()
    assert len(cluster.logs[FOLLOWER][0].records) == 2
    assert not cluster.thread(MOVER).exists()


def test_a_fenced_move_goes_on_in_the_new_epoch() -> None:
    """It failed in between, and is over now; the broker leads with the copy."""
    scenario = CATALOGUE.scenarios["fetching-leader-changes-during-move"]
    fenced = scenario.sequence[: scenario.sequence.index("move_on(broker=1)")]
    system, place = CATALOGUE.systems["fetching"], Place(scenario.name)
    cluster = state_after(scenario, system, fenced, place)
    assert (
        failed_partitions_count(cluster, FOLLOWER, FetcherManager.ALTER_LOG_DIRS) == 1
    )
    assert failed_partitions_count(cluster, FOLLOWER) == 0
    cluster = end_of(scenario.name)
    assert (
        failed_partitions_count(cluster, FOLLOWER, FetcherManager.ALTER_LOG_DIRS) == 0
    )
    assert cluster.presumes_leadership(FOLLOWER, PartitionId(0))
    assert cluster.locations[FOLLOWER] == (1,)


def test_a_move_into_a_failed_directory_is_given_up() -> None:
    """The log is fetched where it was, and nothing is failed."""
    cluster = end_of("fetching-disk-fails-during-move")
    assert cluster.locations[FOLLOWER] == (0,)
    assert not cluster.future_logs[FOLLOWER][0].exists()
    assert (
        failed_partitions_count(cluster, FOLLOWER, FetcherManager.ALTER_LOG_DIRS) == 0
    )
    assert len(cluster.logs[FOLLOWER][0].records) == 1


def test_a_log_that_is_moved_goes_before_one_that_is_to_be() -> None:
    """Partition 1 was begun, and is moved, while partition 0 waits."""
    cluster = end_of("fetching-two-logs-are-moved")
    assert cluster.locations == ((0, 0),)
    assert cluster.future_logs[0][0].exists()
    assert cluster.future_logs[0][0].log.is_empty()


def tracked(cluster: Brokers) -> list[int]:
    """The partitions that the follower's thread has."""
    partitions = cluster.bounds.partition_ids
    return [p for p in partitions if cluster.fetch_state(THREAD, p).is_tracked()]
