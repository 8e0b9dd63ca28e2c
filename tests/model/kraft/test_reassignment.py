"""KRaft: replicas come and go, and what the ELR and leaders remember of them."""

from __future__ import annotations

import pytest

from kafka_tests.kraft_runs import after, after_under
from replicheck.model.kraft.bounds import KraftBounds
from replicheck.model.kraft.protocols import (
    COMPLETES_WITH_ADDED,
    FORGETS_AT_EACH_EPOCH,
    HAS_ELR_OF_REPLICAS,
)

TO_0 = "reassign_partition [1]"
TWO = {"brokers": 2, "min_isr": 1, "reassignments": 2}
ONE = TWO | {"replicas": 1, "records": 0}


def test_a_reassignment_without_new_replicas_is_complete_at_once() -> None:
    """The replica that is removed begins a leader epoch."""
    stored = after(TO_0, **TWO).stored
    assert stored.replicas == (0,)
    assert stored.isr == {0}
    assert stored.leader == 0
    assert stored.leader_epoch == 1


def test_a_new_replica_is_added_when_it_joins_the_isr() -> None:
    """Until then the old one stays."""
    stored = after("reassign_partition [1]", **ONE).stored
    assert stored.replicas == (1, 0)
    assert stored.adding == {1}
    assert stored.removing == {0}
    done = after(
        "reassign_partition [1]",
        "publish_metadata(broker=0)",
        "publish_metadata(broker=1)",
        "fetch(follower=1)",
        "expand_isr(leader=0, follower=1)",
        "handle_alter_partition(broker=0)",
        **ONE,
    )
    assert done.stored.replicas == (1,)
    assert done.stored.leader == 1


def test_a_removed_replica_is_deleted() -> None:
    """Its broker learns of it from the metadata."""
    cluster = after(
        "append(leader=0)",
        "fetch(follower=1)",
        TO_0,
        "publish_metadata(broker=1)",
        **TWO,
    )
    assert cluster.logs[1].end_offset == 0
    assert cluster.partitions[1].leader is None


def test_the_elr_has_who_has_no_replica_any_more() -> None:
    """The first partition of the topic has two replicas, and so needs two in sync."""
    bounds = TWO | {"min_isr": 2, "first_partition_replicas": 2}
    assert after(TO_0, **bounds).stored.elr == {1}
    assert not after_under(HAS_ELR_OF_REPLICAS, TO_0, **bounds).stored.elr


def test_a_redirected_reassignment_forgets_who_is_to_stay() -> None:
    """It removes no replica, and keeps what the one before removes (R-14)."""
    cluster = after("reassign_partition [1]", "reassign_partition [3]", **ONE)
    assert cluster.asked_replicas == {0, 1}
    assert cluster.stored.target == {1}


def test_a_reassignment_back_waits_for_what_it_removes() -> None:
    """By the rule of 4.3; that of 4.1.1 completes it (R-14)."""
    steps = ["reassign_partition [2]", "reassign_partition [1]"]
    assert not after(*steps, **ONE).stored.is_reassigned()
    assert after_under(COMPLETES_WITH_ADDED, *steps, **ONE).stored.is_reassigned()


def test_a_leader_remembers_a_replica_that_was_removed_in_between() -> None:
    """It publishes the removal and the return as one."""
    steps = [
        "append(leader=0)",
        "fetch(follower=1)",
        "fetch(follower=1)",
        TO_0,
        "reassign_partition [2]",
        "publish_metadata(broker=0) [2]",
    ]
    assert after(*steps, **TWO).followers[0][1].end == 1
    forgets = after_under(FORGETS_AT_EACH_EPOCH, *steps, **TWO)
    assert forgets.followers[0][1].end is None


def test_a_cancelled_reassignment_leaves_the_replicas_before() -> None:
    """What was added goes."""
    steps = ["reassign_partition [1]", "cancel_reassignment"]
    stored = after(*steps, **ONE, reassignment_cancels=1).stored
    assert stored.replicas == (0,)
    assert not stored.is_reassigned()


def test_without_a_leader_a_downgrade_of_elr_leaves_no_candidate() -> None:
    """The next change clears the ELR while the ISR is empty (R-8)."""
    cluster = after(
        "fence_broker(broker=0)",
        "fence_broker(broker=1)",
        "fence_broker(broker=2)",
        "switch_elr_off",
        "unfence_broker(broker=0)",
        fences=3,
        elr_downgrades=1,
        partition_epochs=5,
    )
    assert not cluster.stored.candidates


def test_an_index_that_was_not_cleared_refuses_a_broker_for_ever() -> None:
    """It names a topic that is gone (R-5)."""
    steps = [
        "crash(broker=0)",
        "fence_stale_broker(broker=0)",
        "restart(broker=0)",
        "change_min_isr",
        "delete_topic",
    ]
    bounds = {"crashes": 1, "restarts": 1, "min_isr_changes": 1, "topic_deletions": 1}
    cluster = after(*steps, brokers=2, **bounds)
    assert not cluster.stored.elr
    assert cluster.elr_index == {0}


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"first_leader": 3}, "'first_leader' must be <= 2"),
        ({"first_leader": 1, "replicas": 1}, "'first_leader' must be <= 0"),
        ({"brokers": 2, "replicas": 3}, "'replicas' must be <= 2"),
    ],
)
def test_who_leads_at_first_has_a_replica(bounds: dict[str, int], message: str) -> None:
    """A search would begin with a violation in place of a cluster."""
    with pytest.raises(ValueError, match=message):
        KraftBounds(**bounds)
