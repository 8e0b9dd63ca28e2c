"""Rules that were wrong once: each test fails with the rule as it was."""

from __future__ import annotations

import pytest

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import run
from replicheck.model.fetching.bounds import FetcherId, FetchingBounds
from replicheck.model.fetching.cells.calls import Error, FetchAnswer
from replicheck.model.fetching.cells.log import EpochEntry
from replicheck.model.fetching.initial_states import with_leader
from replicheck.model.fetching.protocols import fetching_model
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.versions.history import KAFKA_18991, KAFKA_18991_REPAIRED
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId
from shipped import CATALOGUE

LEADER, FOLLOWER = BrokerId(0), BrokerId(1)
FIRST, SECOND = PartitionId(0), PartitionId(1)
THREAD = ThreadId(FOLLOWER, LEADER, FetcherId(0))
ASKS = "maybe_fetch(follower=1, leader=0, fetcher=0)"
ANSWERS = "handle_fetch_request(follower=1, leader=0, fetcher=0)"
USES = "process_fetch_request(follower=1, leader=0, fetcher=0)"
COPIES = (ASKS, ANSWERS, USES)


def appends(partition: int = 0) -> str:
    """The step by which the leader appends a record."""
    return f"append_records_to_leader(leader=0, partition={partition})"


def state_after(bounds: FetchingBounds, *steps: str) -> Brokers:
    """The state to which steps lead from a leader with followers in sync."""
    model = fetching_model(bounds=bounds)
    found: Brokers = run(model, with_leader(bounds), steps, Place("test"))
    return found


def answer(cluster: Brokers, partition: PartitionId = FIRST) -> FetchAnswer:
    """The answer to a fetch that is on its way to the follower."""
    found = cluster.call(THREAD, partition).answer
    assert isinstance(found, FetchAnswer)
    return found


def test_a_refused_request_ends_idle_threads() -> None:
    """ReplicaManager.becomeLeaderOrFollower ends them whatever the request says."""
    bounds = FetchingBounds(log_errors=1, repeated_requests=1)
    fails = (appends(), "break_log(broker=1, partition=0)", *COPIES)
    idle = state_after(bounds, *fails)
    assert idle.thread(THREAD).exists()
    told = ("repeat_request(broker=1, partition=0)",)
    refuses = "refuse_leader_and_isr(broker=1, partition=0)"
    after = state_after(bounds, *fails, *told, refuses)
    assert not after.thread(THREAD).exists()


def test_an_empty_answer_beside_a_record_has_the_high_watermark_of_before() -> None:
    """All of a request is read before anything is learned from it."""
    bounds = FetchingBounds(partitions=2)
    cluster = state_after(bounds, appends(1), *COPIES, appends(0), ASKS, ANSWERS)
    assert cluster.replicas[LEADER][SECOND].high_watermark == 1
    assert answer(cluster, SECOND).high_watermark == 0


def test_an_empty_answer_can_come_with_the_high_watermark_of_before() -> None:
    """KIP-392: it does not wait if the leader has a high watermark to send."""
    bounds = FetchingBounds(immediate_answers=1)
    responds = ANSWERS.replace("handle_fetch_request", "respond_immediately")
    steps = (appends(), *COPIES, ASKS)
    told = [answer(state_after(bounds, *steps, last)) for last in (responds, ANSWERS)]
    assert [found.high_watermark for found in told] == [0, 1]


def test_a_fetch_at_the_end_of_a_log_touches_no_disk() -> None:
    """It succeeds in a failing directory, and the leader learns from it."""
    bounds = FetchingBounds(directory_failures=1)
    fails = "fail_directory(broker=0, directory=0)"
    cluster = state_after(bounds, appends(), *COPIES, fails, ASKS, ANSWERS)
    assert answer(cluster).error is Error.NONE
    assert cluster.replicas[LEADER][FIRST].high_watermark == 1


def test_a_look_up_that_fails_is_no_storage_error() -> None:
    """RecordBatchIterator makes a KafkaException of it, which has no code."""
    bounds = FetchingBounds(directory_failures=1)
    fails = "fail_directory(broker=0, directory=0)"
    cluster = state_after(bounds, appends(), fails, ASKS, ANSWERS)
    assert answer(cluster).error is Error.UNKNOWN_SERVER_ERROR


def test_an_epoch_is_cached_although_it_cannot_be_written() -> None:
    """LeaderEpochFileCache.assign adds it before it writes; a new process lacks it."""
    bounds = FetchingBounds(directory_failures=1, crashes=1)
    leads = (
        "fail_directory(broker=0, directory=0)",
        "elect_leader(leader=0, partition=0)",
        "make_leaders(broker=0, partition=0)",
        "make_leader(broker=0)",
    )
    cluster = state_after(bounds, appends(), *leads)
    assert cluster.logs[LEADER][FIRST].latest_epoch == 1
    cluster = state_after(bounds, appends(), *leads, "crash(broker=0)")
    assert cluster.logs[LEADER][FIRST].latest_epoch == 0


def test_a_partition_that_left_the_thread_is_answered() -> None:
    """The leader learns where the follower was when it asked."""
    bounds = FetchingBounds(partitions=2, fetch_size=1, stops=1)
    stops = "stop_replica(broker=1, partition=0)"
    cluster = state_after(bounds, appends(0), *COPIES, ASKS, stops, ANSWERS)
    assert answer(cluster, FIRST).error is Error.NONE
    end = cluster.logs[FOLLOWER][FIRST].end_offset
    assert cluster.remotes[LEADER][FIRST].is_at(FOLLOWER, end)


def test_who_caught_up_of_late_holds_the_high_watermark_back() -> None:
    """Partition.maybeIncrementLeaderHW waits also for who is in no ISR any more."""
    bounds = FetchingBounds(records=2, isr_shrinks=1, caught_up_followers=1)
    shrinks = "maybe_shrink_isr(leader=0, partition=0, follower=1)"
    alone = (appends(), shrinks)
    assert high_watermark(bounds, *alone, appends()) == 2
    catches_up = "catch_up(leader=0, partition=0, follower=1)"
    waits = (*alone, catches_up, appends())
    assert high_watermark(bounds, *waits) == 1
    falls_behind = "fall_behind(leader=0, partition=0, follower=1)"
    assert high_watermark(bounds, *waits, falls_behind) == 1


def high_watermark(bounds: FetchingBounds, *steps: str) -> int:
    """The high watermark of the leader after some steps."""
    return state_after(bounds, *steps).replicas[LEADER][FIRST].high_watermark


def test_a_cut_in_the_epoch_of_its_answer_loses_nothing() -> None:
    """With KAFKA-18991 alone a log is cut by an answer that was used epochs ago."""
    scenario = CATALOGUE.scenarios["fetching-late-response-truncates-log"]
    comes_back = (
        "elect_leader(leader=1, partition=0)",
        "make_followers(broker=2, partition=0)",
        "replace_fetcher(broker=2)",
        "truncate_on_fetch_response(follower=2, leader=1, fetcher=0)",
    )
    ends = []
    for protocol in (KAFKA_18991, KAFKA_18991_REPAIRED):
        bounds = FetchingBounds(**scenario.bounds)
        model = fetching_model(protocol, bounds)
        (start,) = model.initial_states()
        steps = (*scenario.setup, *comes_back)
        found: Brokers = run(model, start, steps, Place("test"))
        ends.append(found.logs[BrokerId(2)][FIRST].end_offset)
    assert ends == [0, 1]


def deletes(leader: int = 0) -> str:
    """The step by which a leader deletes its first record."""
    return f"delete_records(leader={leader}, partition=0)"


def test_a_deleted_record_is_there_again_after_a_crash() -> None:
    """Log starts are on disk once a minute only (LogManager)."""
    bounds = FetchingBounds(deletions=1, crashes=1, lost_log_starts=1)
    gone = (appends(), *COPIES, ASKS, ANSWERS, deletes(), "crash(broker=0)")
    assert state_after(bounds, *gone).logs[LEADER][FIRST].start_offset == 1
    comes_back = "lose_log_start(broker=0, partition=0)"
    found = state_after(bounds, *gone, comes_back).logs[LEADER][FIRST]
    assert (found.start_offset, found.end_offset) == (0, 1)


def test_a_second_crash_brings_the_epoch_of_a_deleted_record_back() -> None:
    """LogSegment.recover reads it from the batch that is still in the segment."""
    bounds = FetchingBounds(
        max_leader_epoch=3, deletions=1, crashes=2, restarts=1, lost_log_starts=1
    )
    leads = (
        "elect_leader(leader=0, partition=0)",
        "make_leaders(broker=0, partition=0)",
        "make_leader(broker=0)",
        "make_followers(broker=1, partition=0)",
        "replace_fetcher(broker=1)",
        "fetch_truncating_partitions(follower=1, leader=0, fetcher=0)",
        "truncate_to_high_watermark(follower=1, leader=0, fetcher=0)",
    )
    crash = "crash(broker=0)"
    once = (*leads, appends(), *COPIES, ASKS, ANSWERS, deletes(), crash)
    assert state_after(bounds, *once).logs[LEADER][FIRST].latest_epoch is None
    twice = state_after(bounds, *once, "restart(broker=0)", crash)
    assert twice.logs[LEADER][FIRST].latest_epoch == 1


MOVES = (
    "alter_replica_log_dirs(broker=0, partition=0, directory=1)",
    "fetch_truncating_partitions(follower=0, leader=0, fetcher=0)",
    "truncate_to_high_watermark(follower=0, leader=0, fetcher=0)",
    "maybe_fetch(follower=0, leader=0, fetcher=0)",
    "handle_fetch_request(follower=0, leader=0, fetcher=0)",
)
REPLACES = "process_fetch_request(follower=0, leader=0, fetcher=0)"
WRITES = "checkpoint_high_watermarks(broker=0)"


def test_the_high_watermark_on_disk_is_that_of_the_new_directory() -> None:
    """The file of the directory to which a log was moved need not name it yet."""
    bounds = FetchingBounds(directories=2, moves=1, checkpoints=2)
    written = (appends(), *COPIES, ASKS, ANSWERS, WRITES)
    assert state_after(bounds, *written).checkpoints[LEADER][FIRST] == 1
    moved = state_after(bounds, *written, *MOVES, REPLACES)
    assert moved.locations[LEADER][FIRST] == 1
    assert moved.checkpoints[LEADER][FIRST] == 0
    again = state_after(bounds, *written, *MOVES, REPLACES, WRITES)
    assert again.checkpoints[LEADER][FIRST] == 1


def test_a_copy_that_is_lower_replaces_a_log() -> None:
    """A deletion between read and replacement is undone: only ends are compared."""
    bounds = FetchingBounds(directories=2, moves=1, deletions=1)
    read = (appends(), *COPIES, ASKS, ANSWERS, *MOVES)
    deleted = state_after(bounds, *read, deletes())
    assert deleted.logs[LEADER][FIRST].start_offset == 1
    replaced = state_after(bounds, *read, deletes(), REPLACES)
    assert replaced.logs[LEADER][FIRST].start_offset == 0


def test_a_clean_shutdown_leaves_what_no_recovery_reads_again() -> None:
    """High watermark and start are on disk; the next process deletes the marker."""
    bounds = FetchingBounds(
        deletions=1, clean_shutdowns=1, restarts=1, lost_log_starts=1, lost_tails=1
    )
    steps = (appends(), *COPIES, ASKS, ANSWERS, deletes(), "shut_down(broker=0)")
    ended = state_after(bounds, *steps)
    assert ended.checkpoints[LEADER][FIRST] == 1
    assert ended.markers[LEADER].is_present
    assert ended.logs[LEADER][FIRST].deleted == ()
    started = state_after(bounds, *steps, "restart(broker=0)")
    assert not started.markers[LEADER].is_present


@pytest.mark.parametrize(
    ("protocol", "is_marked"),
    [("kafka-2.6.1", False), ("kafka-2.8.1", True), ("kafka-3.5.0", False)],
)
def test_a_start_that_fails_marks_in_kafka_2_8(protocol: str, is_marked: bool) -> None:
    """KafkaServer.shutdown finds a LogManager that could not load, and ends it."""
    bounds = FetchingBounds(crashes=1, failed_starts=1)
    model = fetching_model(
        CATALOGUE.systems["fetching"].protocols_by_name[protocol], bounds
    )
    steps = ("crash(broker=1)", "fail_to_start(broker=1)")
    after: Brokers = run(
        model, next(iter(model.initial_states())), steps, Place("test")
    )
    assert after.markers[1].is_present is is_marked


@pytest.mark.parametrize(
    ("protocol", "epochs"),
    [("kafka-2.5.1", ()), ("kafka-2.6.1", (EpochEntry(Epoch(0), Offset(1)),))],
)
def test_kafka_2_6_brings_epoch_0_back(
    protocol: str, epochs: tuple[EpochEntry, ...]
) -> None:
    """LogSegment.recover of 2.6 caches the epochs of all batches (KAFKA-10432)."""
    bounds = FetchingBounds(
        isr_shrinks=1, deletions=1, lost_log_starts=1, crashes=2, restarts=1
    )
    model = fetching_model(
        CATALOGUE.systems["fetching"].protocols_by_name[protocol], bounds
    )
    steps = (
        appends(),
        "maybe_shrink_isr(leader=0, partition=0, follower=1)",
        "delete_records(leader=0, partition=0)",
        "crash(broker=0)",
        "restart(broker=0)",
        "crash(broker=0)",
    )
    start = next(iter(model.initial_states()))
    after: Brokers = run(model, start, steps, Place("test"))
    assert after.logs[0][0].epochs == epochs


def test_a_shutdown_that_knows_no_partition_writes_no_high_watermark() -> None:
    """ReplicaManager.checkpointHighWatermarks leaves a file that it has none for."""
    bounds = FetchingBounds(isr_shrinks=1, clean_shutdowns=2, restarts=1)
    shrinks = "maybe_shrink_isr(leader=0, partition=0, follower=1)"
    ends = "shut_down(broker=0)"
    after = state_after(bounds, appends(), shrinks, ends, "restart(broker=0)", ends)
    assert after.checkpoints[0][0] == 1
