"""KRaft: a replica is moved between the log directories of its broker."""

from __future__ import annotations

import pytest

from kafka_tests.kraft_runs import after, after_under, stepper
from replicheck.cli.tasks.run_properties import property_of
from replicheck.cli.testing import assert_holds, assert_violated
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.invariants.kraft import run_claims
from replicheck.model.kraft.cells.log_move import Promotion
from replicheck.model.kraft.protocols import KEEPS_TOLD_MOVES, RECOVERS_LOST_LOGS

ONE = {"brokers": 1, "min_isr": 1, "directories": 2, "moves": 1}
THREE = ONE | {"directories": 3, "moves": 2}
MOVE = "alter_replica_log_dirs(broker=0, directory=1)"
TO_THIRD = "alter_replica_log_dirs(broker=0, directory=2)"
PROMOTE = "promote_future_log(broker=0)"
SEND = "send_assignment(broker=0)"
HANDLE = "handle_assignment(broker=0)"
ANSWER = "receive_assignment_answer(broker=0)"
PUBLISH = "publish_metadata(broker=0)"
COPY = "copy_to_future_log(broker=0)"
APPEND = "append(leader=0)"
TOLD = (MOVE, PROMOTE, SEND, HANDLE)
"""A replica is moved, and the controller has its new directory."""


def test_the_controller_has_the_directory_before_the_replica_lies_there() -> None:
    """Two rounds: it is told, and then the future log takes the log's place."""
    told = after(*TOLD, ANSWER, **ONE)
    assert told.stored.directories == (1,)
    assert told.disks[0].used == 0
    moved = after(*TOLD, ANSWER, PROMOTE, **ONE)
    assert moved.disks[0].used == 1
    assert not moved.moves[0].exists


def test_a_future_log_waits_until_it_has_every_record() -> None:
    """What was appended after the controller was told is copied first."""
    behind = (*TOLD, ANSWER, APPEND)
    with pytest.raises(CannotTake):
        after(*behind, PROMOTE, **ONE)
    assert after(*behind, COPY, PROMOTE, **ONE).logs[0].end_offset == 1


AGAIN = "alter_replica_log_dirs(broker=0, directory=0)"
MOVED_WITH_ONE_ASSIGNMENT_LEFT = (
    *(MOVE, PROMOTE, SEND, TO_THIRD, PROMOTE),
    *(HANDLE, ANSWER, PROMOTE),
)
"""The answer to the first assignment counted for the second move, which is over."""


def test_an_answer_counts_for_a_move_of_the_same_thread() -> None:
    """A thread that has nothing to copy is there until the next delta (R-12)."""
    bounds = THREE | {"moves": 3}
    moved = (*MOVED_WITH_ONE_ASSIGNMENT_LEFT, AGAIN)
    told = after(*moved, SEND, HANDLE, ANSWER, **bounds)
    assert told.disks[0].used == 2
    assert told.moves[0].directory == 0
    assert told.moves[0].promotion is Promotion.ACCEPTED


def test_a_delta_ends_the_thread_of_a_move_that_is_over() -> None:
    """An answer to what that thread told counts for no later move."""
    bounds = THREE | {"moves": 3, "partition_epochs": 5}
    published = (*MOVED_WITH_ONE_ASSIGNMENT_LEFT, PUBLISH, AGAIN)
    told = after(*published, SEND, HANDLE, ANSWER, **bounds)
    assert told.moves[0].directory == 0
    assert told.moves[0].promotion is Promotion.NONE


def test_an_assignment_has_the_broker_epoch_of_the_image() -> None:
    """A process registered anew tells the epoch of before until it publishes."""
    restarted = (
        MOVE,
        "crash(broker=0)",
        "restart(broker=0)",
        PUBLISH,
        PROMOTE,
        "register_broker(broker=0)",
        SEND,
    )
    bounds = ONE | {"crashes": 1, "restarts": 1, "partition_epochs": 5}
    sent = after(*restarted, **bounds).assignments[0].sent
    assert sent is not None
    assert sent.epoch == 0
    refused = after(*restarted, HANDLE, **bounds)
    assert refused.stored.directories == (0,)
    assert refused.processes[0].assignment == 1
    published = after(*restarted, HANDLE, PUBLISH, PROMOTE, SEND, HANDLE, **bounds)
    assert published.stored.directories == (1,)


def test_a_process_that_is_not_registered_tells_by_the_epoch_of_before() -> None:
    """The controller takes it for the process that was registered last."""
    steps = (MOVE, "crash(broker=0)", "restart(broker=0)", PUBLISH, PROMOTE, SEND)
    bounds = ONE | {"crashes": 1, "restarts": 1}
    assert after(*steps, HANDLE, **bounds).stored.directories == (1,)


def test_a_log_is_made_where_no_future_log_lies() -> None:
    """The directory with the fewest logs is taken, not the first one that works."""
    steps = (
        MOVE,
        "crash(broker=0)",
        "fail_directory(broker=0, directory=0)",
        "remove_directory(broker=0, directory=0)",
        "restart(broker=0)",
        PUBLISH,
    )
    bounds = THREE | {
        "crashes": 1,
        "restarts": 1,
        "directory_failures": 1,
        "removed_directories": 1,
    }
    made = after(*steps, **bounds)
    assert made.moves[0].directory == 1
    assert made.disks[0].used == 2


def test_a_stray_log_leaves_no_trace_of_its_directory() -> None:
    """The log of a later topic is made in the first of directories without a log."""
    steps = (
        *(*TOLD, ANSWER, PROMOTE),
        "crash(broker=0)",
        "delete_topic",
        "create_topic [1]",
        "restart(broker=0)",
        PUBLISH,
    )
    bounds = ONE | {
        "crashes": 1,
        "restarts": 1,
        "topic_deletions": 1,
        "topic_creations": 1,
        "partition_epochs": 5,
    }
    made = after(*steps, **bounds)
    assert made.partitions[0].topic_id == 1
    assert made.disks[0].used == 0


def test_a_move_that_is_cancelled_is_taken_back_at_the_controller() -> None:
    """A replica that stays is told of, once the new directory was (KAFKA-16297)."""
    cancelled = after(*TOLD, ANSWER, TO_THIRD, **THREE)
    assert cancelled.processes[0].assignment == 0
    assert cancelled.moves[0].promotion is Promotion.NONE


def test_a_move_that_told_nothing_leaves_nothing_to_take_back() -> None:
    """The controller knows where the replica lies."""
    assert after(MOVE, TO_THIRD, **THREE).processes[0].assignment is None


def test_no_move_begins_while_a_directory_is_dead() -> None:
    """A future log is never new, so it is not made."""
    bounds = THREE | {"directory_failures": 1}
    with pytest.raises(CannotTake):
        after("fail_directory(broker=0, directory=2)", MOVE, **bounds)


def test_a_dead_target_cancels_a_move() -> None:
    """The replica stays where it is, and says so."""
    bounds = ONE | {"directory_failures": 1}
    failed = after(*TOLD, "fail_directory(broker=0, directory=1)", **bounds)
    assert not failed.moves[0].exists
    assert failed.processes[0].assignment == 0
    assert not failed.partitions[0].is_offline


def test_the_record_of_a_move_begins_it_anew() -> None:
    """And the present directory is told, which undoes the assignment (R-17)."""
    published = after(*TOLD, PUBLISH, **ONE)
    assert published.moves[0].promotion is Promotion.NONE
    assert published.processes[0].assignment == 0
    kept = after_under(KEEPS_TOLD_MOVES, *TOLD, PUBLISH, **ONE)
    assert kept.moves[0].promotion is Promotion.QUEUED
    assert kept.processes[0].assignment is None


def test_an_answer_counts_for_a_later_move() -> None:
    """It names the partition, and no directory (R-12)."""
    late = (*TOLD, TO_THIRD, ANSWER)
    assert after(*late, **THREE).moves[0].promotion is Promotion.ACCEPTED
    kept = after_under(KEEPS_TOLD_MOVES, *late, **THREE)
    assert kept.moves[0].promotion is Promotion.NONE


RESTARTED = (
    *TOLD,
    "begin_controlled_shutdown(broker=0)",
    APPEND,
    "end_controlled_shutdown(broker=0)",
    "restart(broker=0)",
    "register_broker(broker=0)",
    PUBLISH + " [2]",
)


def test_a_restart_drops_a_log_for_a_future_log_that_has_less() -> None:
    """The directory that the metadata names decides, whatever the log has."""
    bounds = ONE | {"shutdowns": 1, "restarts": 1, "partition_epochs": 5}
    assert after(*RESTARTED, **bounds).logs[0].end_offset == 0
    resumed = after_under(RECOVERS_LOST_LOGS, *RESTARTED, **bounds)
    assert resumed.logs[0].end_offset == 1
    assert resumed.moves[0].is_copied


def test_a_moved_log_takes_the_place_of_one_on_a_dead_disk() -> None:
    """A new process finds the log that the controller knows of (KAFKA-16082)."""
    steps = (
        *TOLD,
        "crash(broker=0)",
        "fail_directory(broker=0, directory=0)",
        "restart(broker=0)",
        PUBLISH,
    )
    bounds = ONE | {"crashes": 1, "restarts": 1, "directory_failures": 1}
    recovered = after(*steps, **bounds)
    assert recovered.disks[0].used == 1
    assert not recovered.partitions[0].is_offline


def test_moves_take_no_step_unless_they_are_asked_for() -> None:
    """Without the bound there is no such action."""
    names = {
        action.__name__ for action in stepper(brokers=1, directories=2).model.actions
    }
    assert "alter_replica_log_dirs" not in names
    assert "send_assignment" not in names


@pytest.mark.parametrize("epochs", [1, 2, 3])
def test_a_move_uses_up_every_partition_epoch_that_there_is(epochs: int) -> None:
    """Each round of it takes four steps and one epoch more (R-17, KLIVE-6)."""
    violation = assert_violated(
        "kraft-replica-is-moved",
        property_of(run_claims.MOVED),
        bounds={"records": 0, "partition_epochs": epochs},
        states=5 + 4 * epochs,
    )
    assert violation.loop == 4 + 4 * epochs


def test_a_move_that_is_not_begun_anew_ends() -> None:
    """It needs one partition epoch, and no more."""
    assert_holds(
        "kraft-replica-is-moved-once",
        property_of(run_claims.MOVED),
        bounds={"moves": 1, "partition_epochs": 1},
    )
