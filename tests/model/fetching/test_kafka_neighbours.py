"""Kafka's tests beside those of the fetchers: what the model can be asked of them.

They are those of ReplicaAlterLogDirsThreadTest, and single ones of PartitionTest and
ReplicaManagerTest, of Kafka 2.5.1; `REPLAYED` and `LEFT_OUT` have their names.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from kafka_tests.moving_bench import (
    FIRST,
    FOLLOWER,
    LEADER,
    MOVER,
    SECOND,
    add,
    end_of,
    moving,
    work,
)
from kafka_tests.vectors import log_of
from replicheck.model.fetching.bounds import FetcherId, FetchingBounds
from replicheck.model.fetching.broker import fetch_requests, leader
from replicheck.model.fetching.broker.replica_manager import (
    is_newer,
    make_followers,
    replace_fetcher,
)
from replicheck.model.fetching.cells.calls import Call, Error, FetchAsked
from replicheck.model.fetching.cells.fetch_state import UNTRACKED, ThreadPhase
from replicheck.model.fetching.cells.future_log import FutureLog
from replicheck.model.fetching.cells.requests import Inbox
from replicheck.model.fetching.initial_states import with_leader
from replicheck.model.fetching.state import Brokers, FetcherManager, ThreadId
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import ControllerEpoch, Epoch, Offset
from shipped import CATALOGUE


def test_a_partition_without_future_log_is_not_added() -> None:
    """The thread does not track it."""
    cluster = moving("e5", "").evolve(future_logs={(LEADER, FIRST): FutureLog()})
    cluster = cluster.evolve(fetch_states={MOVER.at(FIRST): UNTRACKED})
    assert not add(cluster, FIRST, 5, 0).fetch_state(MOVER, FIRST).is_tracked()


def test_a_fenced_move_fails_and_completes_in_the_next_epoch() -> None:
    """It was added in epoch 4, and the replica is in epoch 5."""
    cluster = moving("e4", "")
    state = cluster.fetch_state(MOVER, FIRST).in_epoch(Epoch(4))
    cluster = work(cluster.evolve(fetch_states={MOVER.at(FIRST): state}))
    assert cluster.failed_of(LEADER, FetcherManager.ALTER_LOG_DIRS).has(FIRST)
    assert not cluster.fetch_state(MOVER, FIRST).is_tracked()
    cluster = work(work(add(cluster, FIRST, 5, 0)))
    assert not cluster.failed_of(LEADER, FetcherManager.ALTER_LOG_DIRS).has(FIRST)
    assert not cluster.fetch_state(MOVER, FIRST).is_tracked()
    assert cluster.locations[LEADER][FIRST] == 1


def test_the_future_log_is_cut_where_the_current_log_ends() -> None:
    """To 190 where that ends at 190, and to its own end, 191, where it ends at 192."""
    for current, expected in (("e2*190", 190), ("e2*192", 191)):
        cluster = work(moving(current, "e2*191"), ThreadPhase.MAYBE_FETCH)
        assert end_of(cluster) == expected


def test_the_future_log_is_cut_in_two_rounds() -> None:
    """To 191, where its epoch 3 ends, then to 190, where that of the other does."""
    cluster = work(
        moving("e3*190 e4*10 e6", "e3*191 e5*4", epoch=6), ThreadPhase.MAYBE_FETCH
    )
    assert end_of(cluster) == 191
    assert cluster.fetch_state(MOVER, FIRST).is_truncating()
    cluster = work(work(cluster, ThreadPhase.MAYBE_TRUNCATE), ThreadPhase.MAYBE_FETCH)
    assert end_of(cluster) == 190
    assert not cluster.fetch_state(MOVER, FIRST).is_truncating()


def test_without_an_epoch_the_future_log_is_cut_to_the_initial_offset() -> None:
    """Its cache has no epoch."""
    cluster = moving("e2*200", "e2*111", offset=100)
    future = cluster.future_logs[LEADER][FIRST]
    bare = future.with_log(evolve(future.log, epochs=()))
    cluster = work(
        cluster.evolve(future_logs={(LEADER, FIRST): bare}), ThreadPhase.MAYBE_FETCH
    )
    assert end_of(cluster) == 100


def test_the_future_log_is_cut_once() -> None:
    """The thread copies on from there, whatever the loop does later."""
    cluster = moving("e2*195", "e2*191")
    ends = []
    for _ in range(3):
        cluster = work(cluster)
        ends.append(end_of(cluster))
    assert ends == [192, 193, 194]


def test_one_partition_is_fetched_at_a_time() -> None:
    """The first that is ready; a delayed or truncating one is left out."""
    cluster = work(moving("e2*2", "", partitions=2), ThreadPhase.FETCH_ASKED)
    asked = [
        cluster.call(MOVER, partition).asks_records() for partition in (FIRST, SECOND)
    ]
    assert asked == [True, False]
    delayed = cluster.fetch_state(MOVER, FIRST).delay()
    again = work(moving("e2*2", "", partitions=2), ThreadPhase.MAYBE_FETCH)
    again = again.evolve(fetch_states={MOVER.at(FIRST): delayed})
    again = work(again, ThreadPhase.FETCH_ASKED)
    asked = [
        again.call(MOVER, partition).asks_records() for partition in (FIRST, SECOND)
    ]
    assert asked == [False, True]


def test_nothing_is_asked_where_no_partition_is_ready() -> None:
    """The thread stays where it is."""
    cluster = work(moving("e2", ""), ThreadPhase.MAYBE_FETCH)
    delayed = cluster.fetch_state(MOVER, FIRST).delay()
    cluster = cluster.evolve(fetch_states={MOVER.at(FIRST): delayed})
    assert not work(cluster, ThreadPhase.FETCH_ASKED).call(MOVER, FIRST).asks_records()


def test_a_storage_error_is_that_of_its_partition() -> None:
    """The replica of one log is offline; the move of the other goes on."""
    cluster = work(moving("e2*2", "", partitions=2), ThreadPhase.MAYBE_FETCH)
    offline = cluster.replicas[LEADER][FIRST].mark_offline()
    cluster = cluster.evolve(replicas={(LEADER, FIRST): offline})
    asked = FetchAsked(Epoch(5), Offset(0))
    errors = [
        fetch_requests.read_records(cluster, MOVER, partition, asked).error
        for partition in (FIRST, SECOND)
    ]
    assert errors == [Error.STORAGE_ERROR, Error.NONE]


def leading(end: int, epoch_start: int, high_watermark: int) -> Brokers:
    """A leader, alone in its ISR, with a log, and a follower."""
    cluster = with_leader(FetchingBounds(brokers=2))
    content = cluster.partition_nodes[FIRST].content
    assert content is not None
    node = cluster.partition_nodes[FIRST].write(content.with_isr(frozenset({LEADER})))
    assert node.content is not None
    replica = evolve(
        cluster.replicas[LEADER][FIRST].with_isr(
            node.content.isr, node.content.version
        ),
        epoch_start=Offset(epoch_start),
        high_watermark=Offset(high_watermark),
    )
    return cluster.evolve(
        partition_nodes={FIRST: node},
        replicas={(LEADER, FIRST): replica},
        logs={(LEADER, FIRST): log_of(f"e0*{end}")},
    )


def test_a_follower_joins_at_the_start_of_the_leaders_epoch() -> None:
    """At the high watermark it does not join, if the epoch began above."""
    cluster = leading(end=12, epoch_start=6, high_watermark=3)
    for offset, joins in ((0, False), (3, False), (6, True)):
        after = leader.update_follower_fetch_state(
            cluster, LEADER, FIRST, FOLLOWER, Offset(offset)
        )
        assert (FOLLOWER in after.replicas[LEADER][FIRST].isr) is joins, offset


def test_a_follower_obeys_a_newer_epoch_of_the_same_leader_once() -> None:
    """From epoch 1 to 4 it does, and to 4 once more it does not."""
    cluster = with_leader(FetchingBounds(brokers=2))
    assert is_newer(cluster, FOLLOWER, FIRST, Epoch(4))
    replica = evolve(cluster.replicas[FOLLOWER][FIRST], epoch=Epoch(4))
    cluster = cluster.evolve(replicas={(FOLLOWER, FIRST): replica})
    assert not is_newer(cluster, FOLLOWER, FIRST, Epoch(4))


def test_a_read_that_fails_says_nothing_of_the_follower() -> None:
    """What the leader knows of it stays."""
    cluster = leading(end=2, epoch_start=0, high_watermark=0)
    thread = ThreadId(FOLLOWER, LEADER, FetcherId(0))
    call = Call(FetchAsked(Epoch(0), Offset(99)))
    cluster = cluster.evolve(calls={thread.at(FIRST): call})
    answers = fetch_requests.read_from_local_log(cluster, thread)
    assert answers[FIRST].error is Error.OFFSET_OUT_OF_RANGE
    after = fetch_requests.learn_from_reads(cluster, thread, answers)
    assert after.remotes == cluster.remotes


def test_a_follower_that_missed_an_update_begins_anew_with_the_same_leader() -> None:
    """Its log is cut in the epoch of now, though the leader is the one that it had."""
    cluster = with_leader(FetchingBounds(brokers=2))
    isr = frozenset({LEADER, FOLLOWER})
    content = LeaderAndIsr(LEADER, Epoch(3), isr, ControllerEpoch(1), 3)
    cluster = cluster.evolve(inboxes={(FOLLOWER, FIRST): Inbox((content,))})
    (cluster,) = make_followers(cluster, FOLLOWER, FIRST)
    (cluster,) = replace_fetcher(cluster, FOLLOWER)
    state = cluster.fetch_state(ThreadId(FOLLOWER, LEADER, FetcherId(0)), FIRST)
    assert state.is_truncating()
    assert state.has_epoch(Epoch(3))


REPLAYED: dict[str, Callable[[], None]] = {
    "shouldNotAddPartitionIfFutureLogIsNotDefined": (
        test_a_partition_without_future_log_is_not_added
    ),
    "shouldUpdateLeaderEpochAfterFencedEpochError": (
        test_a_fenced_move_fails_and_completes_in_the_next_epoch
    ),
    "shouldReplaceCurrentLogDirWhenCaughtUp": (
        test_a_fenced_move_fails_and_completes_in_the_next_epoch
    ),
    "issuesEpochRequestFromLocalReplica": (
        test_the_future_log_is_cut_where_the_current_log_ends
    ),
    "shouldTruncateToReplicaOffset": (
        test_the_future_log_is_cut_where_the_current_log_ends
    ),
    "shouldTruncateToEndOffsetOfLargestCommonEpoch": (
        test_the_future_log_is_cut_in_two_rounds
    ),
    "shouldTruncateToInitialFetchOffsetIfReplicaReturnsUndefinedOffset": (
        test_without_an_epoch_the_future_log_is_cut_to_the_initial_offset
    ),
    "shouldFetchLeaderEpochOnFirstFetchOnly": test_the_future_log_is_cut_once,
    "shouldFetchOneReplicaAtATime": test_one_partition_is_fetched_at_a_time,
    "shouldFetchNonDelayedAndNonTruncatingReplicas": (
        test_nothing_is_asked_where_no_partition_is_ready
    ),
    "fetchEpochsFromLeaderShouldHandleExceptionFromGetLocalReplica": (
        test_a_storage_error_is_that_of_its_partition
    ),
    "testFollowerDoesNotJoinISRUntilCaughtUpToOffsetWithinCurrentLeaderEpoch": (
        test_a_follower_joins_at_the_start_of_the_leaders_epoch
    ),
    "testMakeFollowerWithNoLeaderIdChange": (
        test_a_follower_obeys_a_newer_epoch_of_the_same_leader_once
    ),
    "testFollowerStateNotUpdatedIfLogReadFails": (
        test_a_read_that_fails_says_nothing_of_the_follower
    ),
    "testBecomeFollowerWhenLeaderIsUnchangedButMissedLeaderUpdate": (
        test_a_follower_that_missed_an_update_begins_anew_with_the_same_leader
    ),
}
LEFT_OUT = {
    "shouldPollIndefinitelyIfReplicaNotAvailable": (
        "A broker that moves a log has its current log here, whatever is asked."
    ),
    "testFencedErrorCausedByBecomeLeader": (
        "All its interleavings are the scenario fetching-leader-changes-during-move."
    ),
    "shouldFollowLeaderEpochBasicWorkflow": (
        "With all interleavings it is the scenario fetching-two-brokers-change-roles."
    ),
    "shouldNotAllowDivergentLogs": (
        "It is the scenario fetching-unflushed-record-is-lost."
    ),
    "offsetsShouldNotGoBackwards": (
        "It is the scenario fetching-unflushed-record-is-lost."
    ),
    "shouldSurviveFastLeaderChange": (
        "It is the scenario fetching-unflushed-record-is-lost."
    ),
    "logsShouldNotDivergeOnUncleanLeaderElections": (
        "It is the scenario fetching-unclean-elections."
    ),
}
"""Kafka's tests that are not replayed step by step, and why."""


def test_what_is_left_out_is_a_scenario_or_has_a_reason() -> None:
    """Each scenario that stands for one of Kafka's tests is there."""
    shipped = CATALOGUE.scenarios
    for reason in LEFT_OUT.values():
        _, found, name = reason.rstrip(".").partition("scenario ")
        assert not found or name in shipped, reason
    assert not REPLAYED.keys() & LEFT_OUT.keys()
    assert len(REPLAYED) == 15
