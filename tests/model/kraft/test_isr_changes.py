"""KRaft: a leader asks the controller for another ISR, and is answered."""

from __future__ import annotations

import pytest

from kafka_tests.kraft_runs import after, stepper
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.model.kraft.cells.alter_partition import AlterPartitionError

ANSWER = "handle_alter_partition_response(leader=0)"
TWO = {"brokers": 2, "min_isr": 1, "isr_shrinks": 1}


def test_a_change_is_pending_until_it_is_answered() -> None:
    """The committed ISR is the one before, and the maximal ISR is as large."""
    cluster = after("shrink_isr(leader=0)", **TWO)
    partition = cluster.partitions[0]
    assert partition.proposed == frozenset({0})
    assert partition.maximal_isr == {0, 1}
    answered = after(
        "shrink_isr(leader=0)", "handle_alter_partition(broker=0)", ANSWER, **TWO
    )
    assert answered.partitions[0].isr == {0}
    assert answered.partitions[0].partition_epoch == 1


def test_an_answer_waits_for_the_commit() -> None:
    """What can be lost in a failover is told to no leader."""
    bounds = TWO | {"controller_failovers": 1}
    steps = ["shrink_isr(leader=0)", "handle_alter_partition(broker=0)"]
    with pytest.raises(CannotTake):
        stepper(**bounds).take([*steps, ANSWER])
    answered = after(*steps, "commit_metadata", ANSWER, **bounds)
    assert answered.partitions[0].isr == {0}


def test_a_fenced_follower_is_refused() -> None:
    """The leader's cache lags behind; it goes back to its committed state."""
    refused = after(
        "shrink_isr(leader=0)",
        "handle_alter_partition(broker=0)",
        ANSWER,
        "fetch(follower=1)",
        "expand_isr(leader=0, follower=1)",
        "fence_broker(broker=1)",
        "handle_alter_partition(broker=0)",
        **TWO,
        fences=1,
    )
    assert refused.channels[0].answer is AlterPartitionError.INELIGIBLE_REPLICA


def test_a_record_of_the_same_partition_epoch_withdraws_a_proposal() -> None:
    """The answer came before the record, and the next proposal between them."""
    cluster = after(
        "shrink_isr(leader=0)",
        "handle_alter_partition(broker=0)",
        ANSWER,
        "fetch(follower=1)",
        "expand_isr(leader=0, follower=1)",
        "publish_metadata(broker=0)",
        **TWO,
    )
    assert not cluster.partitions[0].is_pending()
    assert cluster.channels[0].awaits_controller()


def test_a_failover_sends_requests_again() -> None:
    """The controller that is active next has not seen them."""
    cluster = after(
        "shrink_isr(leader=0)",
        "handle_alter_partition(broker=0)",
        "fail_over_controller [1]",
        **TWO,
        controller_failovers=1,
    )
    assert cluster.stored.isr == {0, 1}
    assert cluster.channels[0].awaits_controller()
