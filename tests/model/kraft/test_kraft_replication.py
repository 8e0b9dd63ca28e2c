"""KRaft: records are fetched, acknowledged, cut, and what a leader knows of them."""

from __future__ import annotations

from kafka_tests.kraft_runs import after, after_under
from replicheck.model.kraft.protocols import FORGETS_AFTER_SKIPPED_EPOCH

ACKNOWLEDGE = [
    "append(leader=0)",
    "fetch(follower=1)",
    "fetch(follower=1)",
]
SKIP = [
    "append(leader=1)",
    "fetch(follower=2)",
    "fetch(follower=2)",
    "elect_preferred_leader",
    "publish_metadata(broker=0)",
    "publish_metadata(broker=2)",
    "fetch(follower=2)",
    "fence_broker(broker=0)",
    "publish_metadata(broker=1) [2]",
]
SKIP_BOUNDS = {"first_leader": 1, "preferred_elections": 1, "fences": 1}


def test_a_record_is_acknowledged_when_all_in_sync_have_told_so() -> None:
    """A follower tells with its next fetch that it has a record."""
    assert not after(*ACKNOWLEDGE[:2], brokers=2).acknowledged.has_any()
    assert after(*ACKNOWLEDGE, brokers=2).acknowledged.has_any()


def test_the_high_watermark_stays_while_the_isr_is_too_small() -> None:
    """The leader alone acknowledges nothing."""
    cluster = after(
        "append(leader=0)",
        "fence_broker(broker=1)",
        "publish_metadata(broker=0)",
        brokers=2,
        fences=1,
    )
    assert cluster.partitions[0].isr == {0}
    assert cluster.partitions[0].high_watermark == 0


def test_a_follower_cuts_what_the_leader_of_a_later_epoch_lacks() -> None:
    """The answer says where the follower's last epoch ends."""
    cluster = after(*SKIP[:7], **SKIP_BOUNDS)
    assert cluster.logs[2].end_offset == 0


def test_a_leader_that_missed_an_epoch_keeps_old_ends() -> None:
    """It acknowledges a record that no follower has any more (R-15)."""
    cluster = after(*SKIP, **SKIP_BOUNDS)
    assert cluster.acknowledged.has_any()
    assert cluster.logs[2].end_offset == 0


def test_a_leader_that_forgets_after_an_epoch_it_missed_acknowledges_nothing() -> None:
    """The least change that ends R-15."""
    cluster = after_under(FORGETS_AFTER_SKIPPED_EPOCH, *SKIP, **SKIP_BOUNDS)
    assert not cluster.acknowledged.has_any()


def test_a_restarted_broker_serves_nothing_before_it_is_unfenced() -> None:
    """Its first image may still say that it leads."""
    cluster = after(
        "crash(broker=0)",
        "restart(broker=0)",
        "publish_metadata(broker=0)",
        brokers=2,
        crashes=1,
        restarts=1,
    )
    assert cluster.leads(cluster.bounds.broker_ids[0])
    assert not cluster.follows(*reversed(cluster.bounds.broker_ids))
