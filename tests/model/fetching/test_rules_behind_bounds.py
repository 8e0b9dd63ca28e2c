"""Rules that only a bound opens: each test fails with the rule as it was."""

from __future__ import annotations

import pytest

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import run
from replicheck.model.fetching.bounds import FetcherId, FetchingBounds
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.initial_states import with_leader
from replicheck.model.fetching.protocols import fetching_model
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId

LEADER, FOLLOWER, FIRST = BrokerId(0), BrokerId(1), PartitionId(0)
THREAD = ThreadId(FOLLOWER, LEADER, FetcherId(0))
APPENDS = "append_records_to_leader(leader=0, partition=0)"
ASKS = "maybe_fetch(follower=1, leader=0, fetcher=0)"
COPIES = (
    ASKS,
    "handle_fetch_request(follower=1, leader=0, fetcher=0)",
    "process_fetch_request(follower=1, leader=0, fetcher=0)",
)


def state_after(bounds: FetchingBounds, *steps: str) -> Brokers:
    """The state to which steps lead from a leader with followers in sync."""
    model = fetching_model(bounds=bounds)
    found: Brokers = run(model, with_leader(bounds), steps, Place("test"))
    return found


def high_watermark(bounds: FetchingBounds, *steps: str) -> int:
    """The high watermark of the leader after some steps."""
    return state_after(bounds, *steps).replicas[LEADER][FIRST].high_watermark


def test_a_position_is_recorded_in_a_later_epoch_than_it_was_read_in() -> None:
    """L-FU-2: Partition.updateFollowerFetchState takes no epoch."""
    bounds = FetchingBounds(stalled_handlers=1)
    stalls = "stall_after_read(follower=1, leader=0, fetcher=0, partition=0)"
    leads_on = (
        "elect_leader(leader=0, partition=0)",
        "make_leaders(broker=0, partition=0)",
        "make_leader(broker=0)",
    )
    late = (APPENDS, *COPIES, ASKS, stalls, *leads_on)
    assert high_watermark(bounds, *late) == 0
    assert high_watermark(bounds, *late, "record_late(leader=0)") == 1


def test_a_replica_goes_offline_whose_log_cannot_be_created() -> None:
    """LogManager.getOrCreateLog finds no log, and no directory for a new one."""
    bounds = FetchingBounds(
        isr_shrinks=1, stops=1, directory_failures=1, failed_creations=1
    )
    gone = (
        APPENDS,
        "maybe_shrink_isr(leader=0, partition=0, follower=1)",
        "elect_leader(leader=0, partition=0)",
        "stop_and_delete_replica(broker=1, partition=0)",
    )
    follows = ("make_followers(broker=1, partition=0)", "replace_fetcher(broker=1)")
    created = state_after(bounds, *gone, *follows)
    assert not created.logs[FOLLOWER][FIRST].is_gone
    fails = ("fail_directory(broker=1, directory=0)",)
    refuses = "fail_to_create_log(broker=1, partition=0)"
    refused = state_after(bounds, *gone, *fails, refuses)
    assert refused.replicas[FOLLOWER][FIRST].is_offline()
    assert refused.inboxes[FOLLOWER][FIRST].is_empty()


BEGINS_MOVE = "alter_replica_log_dirs(broker=0, partition=0, directory=1)"
RESTARTS = ("crash(broker=0)", "restart(broker=0)")
FAILS = "fail_directory(broker=0, directory=1)"
LEADS = ("make_leaders(broker=0, partition=0)", "make_leader(broker=0)")


@pytest.mark.parametrize(
    ("steps", "goes_on"),
    [
        ((BEGINS_MOVE, *RESTARTS, *LEADS), True),
        ((BEGINS_MOVE, *RESTARTS, FAILS, *LEADS), False),
        ((BEGINS_MOVE, FAILS, "elect_leader(leader=0, partition=0)", *LEADS), True),
    ],
    ids=["found", "found in a failing directory", "hosted in a failing directory"],
)
def test_a_found_future_log_is_hosted_from_a_good_directory_only(
    steps: tuple[str, ...], goes_on: bool
) -> None:
    """Partition.createLog reads its checkpoint, and that error ends the request."""
    bounds = FetchingBounds(
        directories=2, moves=1, crashes=1, restarts=1, directory_failures=1
    )
    cluster = state_after(bounds, *steps)
    assert cluster.presumes_leadership(LEADER, FIRST)
    assert cluster.handlers[LEADER].is_idle() is not goes_on
    assert cluster.future_logs[LEADER][FIRST].is_hosted is goes_on


def test_a_dead_thread_keeps_its_partitions_and_gets_others() -> None:
    """AbstractFetcherManager has it until it has no partition, and then ends it."""
    bounds = FetchingBounds(partitions=2, thread_errors=1, stops=2)
    dies = "break_thread(follower=1, leader=0, fetcher=0)"
    dead = state_after(bounds, dies)
    assert dead.thread(THREAD).is_at(ThreadPhase.DEAD)
    assert dead.fetch_state(THREAD, FIRST).is_tracked()
    again = (
        "elect_leader(leader=0, partition=0)",
        "make_followers(broker=1, partition=0)",
        "replace_fetcher(broker=1)",
    )
    added = state_after(bounds, dies, *again)
    assert added.thread(THREAD).is_at(ThreadPhase.DEAD)
    assert added.fetch_state(THREAD, FIRST).is_tracked_in(Epoch(1))
    stops = [f"stop_replica(broker=1, partition={number})" for number in (0, 1)]
    assert not state_after(bounds, dies, *stops).thread(THREAD).exists()
