"""Moves between log directories, in the model `kraft` and in Kafka 4.1.1."""

from __future__ import annotations

from typing import Any

import pytest

from command_line.kraft_harness import cells, taken
from replicheck.cli.conformance.lockstep import Ending, RunOutcome

ONE = {"brokers": 1, "min_isr": 1, "directories": 2, "moves": 1}
THREE = ONE | {"directories": 3, "moves": 3}
RESTART = {"crashes": 1, "restarts": 1}
TOLD = """
    alter_replica_log_dirs(broker=0, directory=1)
    promote_future_log(broker=0)
    send_assignment(broker=0)
    handle_assignment(broker=0)
"""
"""A replica is moved, and the controller has its new directory."""
ACCEPTED = f"{TOLD}\nreceive_assignment_answer(broker=0)"
TO_THIRD = "alter_replica_log_dirs(broker=0, directory=2)"
PROMOTE = "promote_future_log(broker=0)"
TELL = """
    send_assignment(broker=0)
    handle_assignment(broker=0)
    receive_assignment_answer(broker=0)
"""
MOVED_WITH_ONE_ASSIGNMENT_LEFT = f"""
    alter_replica_log_dirs(broker=0, directory=1)
    promote_future_log(broker=0)
    send_assignment(broker=0)
    {TO_THIRD}
    promote_future_log(broker=0)
    handle_assignment(broker=0)
    receive_assignment_answer(broker=0)
    promote_future_log(broker=0)
"""
"""The answer to the first assignment counted for the second move, which is over."""
AGAIN = "alter_replica_log_dirs(broker=0, directory=0)"
RESTARTED = """
    crash(broker=0)
    restart(broker=0)
    publish_metadata(broker=0)
"""
TOLD_TOO_EARLY = f"""
    alter_replica_log_dirs(broker=0, directory=1)
    {RESTARTED}
    promote_future_log(broker=0)
    register_broker(broker=0)
    send_assignment(broker=0)
"""
"""A process tells its directory before it has published its own registration."""


def lines(*parts: str) -> str:
    """The steps of several parts, one a line."""
    told = "\n".join(parts)
    return "\n".join(line.strip() for line in told.splitlines() if line.strip())


def move(outcome: RunOutcome) -> Any:
    """What Kafka's broker has of the move in the end."""
    assert outcome.ending is Ending.SAME
    return outcome.kafka["brokers"]["broker 0"]["move"]


def test_a_log_is_moved_in_two_rounds() -> None:
    """The log lies in the new directory once the controller has it, and not before."""
    accepted = taken(lines(ACCEPTED), ONE)
    assert move(accepted)["thread"] == {"promotion": "ACCEPTED", "origin": 0}
    assert accepted.kafka["brokers"]["broker 0"]["partition"]["directory"] == 0
    moved = taken(lines(ACCEPTED, PROMOTE), ONE)
    assert move(moved)["future log"] == "none"
    assert moved.kafka["brokers"]["broker 0"]["partition"]["directory"] == 1


def test_a_future_log_is_copied_record_by_record_and_cut_where_it_differs() -> None:
    """Broker 0 moves its log, and has a record that the next leader has not."""
    run = """
    append(leader=0)
    alter_replica_log_dirs(broker=0, directory=1)
    copy_to_future_log(broker=0)
    fence_broker(broker=0)
    publish_metadata(broker=1)
    append(leader=1)
    publish_metadata(broker=0)
    fetch(follower=0)
    copy_to_future_log(broker=0)
    """
    bounds = ONE | {"brokers": 2, "fences": 1, "records": 2}
    cut = taken(lines(run), bounds)
    assert move(cut)["future log"] == {"directory": 1, "end": 0, "log": []}
    steps = ("fetch(follower=0)", "copy_to_future_log(broker=0)")
    copied = taken(lines(run, *steps), bounds)
    assert move(copied)["future log"]["log"] == [[1, 1]]


@pytest.mark.parametrize(
    ("steps", "promotion"),
    [
        ((AGAIN, TELL), "ACCEPTED"),
        (("publish_metadata(broker=0)", AGAIN, TELL), "NONE"),
    ],
    ids=["thread-that-lives-on", "thread-that-ended"],
)
def test_an_answer_counts_for_a_later_move_of_the_same_thread(
    steps: tuple[str, ...], promotion: str
) -> None:
    """A delta ends a thread that has no future log, and what it waits for."""
    run = lines(MOVED_WITH_ONE_ASSIGNMENT_LEFT, *steps)
    found = taken(run, THREE)
    assert move(found)["thread"]["promotion"] == promotion


def test_an_assignment_has_the_broker_epoch_of_the_image() -> None:
    """The controller refuses that of the process before, and it is queued again."""
    sent = taken(lines(TOLD_TOO_EARLY), ONE | RESTART)
    assert move(sent)["told"] == {"epoch": 0, "directory": 1, "topic": 0}
    handled = lines(TOLD_TOO_EARLY, "handle_assignment(broker=0)")
    refused = taken(handled, ONE | RESTART)
    assert move(refused)["told"] == "nothing"
    assert move(refused)["to be told"] == 1
    assert refused.kafka["answer"] == {"error": "STALE_BROKER_EPOCH"}


def test_a_log_is_made_where_no_future_log_lies() -> None:
    """The old disk is taken away, and its log is not made beside the future log."""
    run = """
    alter_replica_log_dirs(broker=0, directory=1)
    crash(broker=0)
    fail_directory(broker=0, directory=0)
    remove_directory(broker=0, directory=0)
    restart(broker=0)
    publish_metadata(broker=0)
    """
    faults = {"directory_failures": 1, "removed_directories": 1}
    made = taken(run, THREE | RESTART | faults)
    assert move(made)["future log"]["directory"] == 1
    assert made.kafka["brokers"]["broker 0"]["partition"]["directory"] == 2


def test_a_future_log_beside_its_log_is_not_copied_to() -> None:
    """There is one live directory, so the new log is made there, too."""
    run = """
    alter_replica_log_dirs(broker=0, directory=1)
    fail_directory(broker=0, directory=0)
    crash(broker=0)
    restart(broker=0)
    publish_metadata(broker=0)
    """
    faults = {"unassigned": 1, "directory_failures": 1}
    made = taken(run, ONE | RESTART | faults)
    assert move(made)["future log"]["directory"] == 1
    assert move(made)["thread"] == "none"
    assert made.kafka["brokers"]["broker 0"]["partition"]["directory"] == 1


def test_a_stray_log_leaves_no_trace_of_its_directory() -> None:
    """The log of a later topic is made in the first of directories without a log."""
    run = lines(
        ACCEPTED,
        PROMOTE,
        "crash(broker=0)",
        "delete_topic",
        "create_topic [1]",
        "restart(broker=0)",
        "publish_metadata(broker=0)",
    )
    topics = {"topic_deletions": 1, "topic_creations": 1}
    made = taken(run, ONE | RESTART | topics)
    assert made.ending is Ending.SAME
    assert made.kafka["brokers"]["broker 0"]["partition"]["directory"] == 0


def test_a_moved_log_forgets_the_epochs_without_records() -> None:
    """Its follower names such an epoch, and its fetch is not counted (KAFKA-20961)."""
    run = lines(
        "elect_preferred_leader",
        "publish_metadata(broker=0)",
        ACCEPTED,
        PROMOTE,
        "publish_metadata(broker=1) [2]",
        "fetch(follower=1)",
    )
    bounds = ONE | {"brokers": 2, "first_leader": 1, "preferred_elections": 1}
    outcome = taken(run, bounds)
    assert outcome.ending is Ending.KNOWN
    leader = outcome.kafka["brokers"]["broker 0"]["partition"]
    assert leader["followers"]["1"] == {"end": -1, "epoch": -1}


@pytest.mark.parametrize(
    ("mutant", "bounds", "steps", "cell"),
    [
        (
            "kafka-16297-keep-accepted-assignment",
            THREE,
            (ACCEPTED, TO_THIRD),
            "brokers/broker 0/move/to be told",
        ),
        (
            "kafka-16082-leave-abandoned-log",
            ONE | RESTART,
            (TOLD, RESTARTED),
            "brokers/broker 0/partition/directory",
        ),
        (
            "kafka-16886-assign-removed-replica",
            ONE | {"brokers": 2, "reassignments": 1},
            (
                "alter_replica_log_dirs(broker=1, directory=1)",
                "promote_future_log(broker=1)",
                "reassign_partition [1]",
                "publish_metadata(broker=1)",
                "send_assignment(broker=1)",
            ),
            "brokers/broker 1/move/told",
        ),
        (
            "kafka-17190-assign-deleted-topic",
            ONE | {"topic_deletions": 1},
            (
                "alter_replica_log_dirs(broker=0, directory=1)",
                "promote_future_log(broker=0)",
                "delete_topic",
                "publish_metadata(broker=0)",
                "send_assignment(broker=0)",
            ),
            "brokers/broker 0/move/told",
        ),
        (
            "kr-move-2-promote-untold",
            ONE,
            (
                "alter_replica_log_dirs(broker=0, directory=1)",
                "promote_untold(broker=0)",
            ),
            "brokers/broker 0/partition/directory",
        ),
        (
            "keeps-told-moves",
            ONE,
            (TOLD, "publish_metadata(broker=0)"),
            "brokers/broker 0/move/thread/promotion",
        ),
        (
            "checks-directory-at-registration",
            ONE | RESTART,
            (TOLD_TOO_EARLY,),
            "brokers/broker 0/move/told/epoch",
        ),
    ],
)
def test_a_wrong_rule_of_moves_differs(
    mutant: str, bounds: dict[str, int], steps: tuple[str, ...], cell: str
) -> None:
    """The comparison can fail: each run is one of a model with one rule changed."""
    outcome = taken(lines(*steps), bounds, mutant)
    assert outcome.ending is Ending.DIFFERS
    assert cell in cells(outcome)
