"""Followers outside the ISR that caught up of late, where `caught_up_followers` > 0."""

from __future__ import annotations

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import run
from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.protocols import cluster_model
from replicheck.model.cluster.state import Cluster, with_topic
from replicheck.model.vocabulary import BrokerId, PartitionId

LEADER, PARTITION = BrokerId(0), PartitionId(0)
BOUNDS = Bounds(brokers=2, records=2, isr_shrinks=1, caught_up_followers=1)
APPENDS = "append(leader=0, partition=0)"
SHRINKS = "shrink_isr(leader=0, follower=1, partition=0)"
CATCHES_UP = "catch_up(leader=0, follower=1, partition=0)"
FALLS_BEHIND = "fall_behind(leader=0, follower=1, partition=0)"


def high_watermark(*steps: str) -> int:
    """The high watermark of the leader after some steps."""
    model = cluster_model(bounds=BOUNDS)
    found: Cluster = run(model, with_topic(BOUNDS), steps, Place("test"))
    return found.replicas[LEADER][PARTITION].high_watermark


def test_the_high_watermark_waits_for_who_caught_up_of_late() -> None:
    """B-HW-1: maybeIncrementLeaderHW asks followers that caught up of late."""
    assert high_watermark(APPENDS, SHRINKS, APPENDS) == 2
    assert high_watermark(APPENDS, SHRINKS, CATCHES_UP, APPENDS) == 1


def test_nothing_follows_at_once_when_a_follower_falls_behind() -> None:
    """The next append or fetch raises the high watermark."""
    waits = (APPENDS, SHRINKS, CATCHES_UP, APPENDS)
    assert high_watermark(*waits, FALLS_BEHIND) == 1
    fetches = "fetch(leader=0, follower=1, partition=0)"
    assert high_watermark(*waits, FALLS_BEHIND, fetches) == 2
