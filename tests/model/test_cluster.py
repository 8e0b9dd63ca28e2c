"""The cluster: the document's runs, all interleavings of each, both engines, purity."""

from __future__ import annotations

import pytest
from attrs import frozen

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import state_after
from replicheck.model.cluster.cells.controller.state_machines import ReplicaState
from replicheck.model.cluster.state import Cluster
from replicheck.model.shared.replica import Hosting
from replicheck.model.vocabulary import BrokerId, PartitionId
from shipped import CATALOGUE


@frozen
class Final:
    """What the document says of the end of a scenario; brokers count from 0.

    ``partition`` is leader, epoch, ISR and version of the stored state; ``offline`` are
    the offline replicas in the metadata of every live broker, whose ISR is ``shown``.
    ``number`` is that of the partition.
    """

    partition: tuple[int | None, int, set[int], int]
    offline: set[int]
    marked: set[int]
    shown: set[int]
    controller: tuple[int, int] = (2, 1)
    live: tuple[int, ...] = (0, 1, 2)
    number: int = 0


FINAL = [
    ("topic-is-created", Final((0, 0, {0, 1, 2}, 0), set(), set(), {0, 1, 2})),
    (
        "topic-created-beside-failed-disk",
        Final((0, 0, {0, 1, 2}, 0), set(), set(), {0, 1, 2}),
    ),
    ("leader-disk-fails", Final((1, 1, {1, 2}, 1), {0}, {0}, {1, 2})),
    ("follower-disk-fails", Final((0, 1, {0, 2}, 1), {1}, {1}, {0, 2})),
    ("only-in-sync-disk-fails", Final((None, 1, {0}, 3), {0}, {0}, {0})),
    ("broker-starts-with-failed-disk", Final((1, 1, {1, 2}, 1), {0}, {0}, {1, 2})),
    ("new-replica-is-refused", Final((0, 1, {0, 2}, 1), {1}, {1}, {0, 2})),
    (
        "topic-created-while-broker-off",
        Final((0, 0, {0, 1, 2}, 1), set(), set(), {0, 2}),
    ),
    (
        "all-leader-disks-fail",
        Final((1, 1, {1, 2}, 1), {0}, set(), {1, 2}, live=(1, 2)),
    ),
    ("restart-with-only-disk-failed", Final((None, 4, {0}, 6), {0}, {0}, {0})),
    (
        "controller-fails-before-replica-creation",
        Final((0, 2, {0}, 2), {1, 2}, {1}, {0}, (0, 2), (0, 1)),
    ),
    ("broker-session-expires", Final((1, 1, {0, 1, 2}, 2), set(), set(), {1, 2})),
    (
        "disk-replaced-with-isr-notifications",
        Final((1, 1, {0, 1, 2}, 2), set(), set(), {0, 1, 2}),
    ),
    # Without ISR notifications the metadata keep the ISR of before (Z-ISRN-1).
    ("failed-disk-is-replaced", Final((1, 1, {0, 1, 2}, 2), set(), set(), {1, 2})),
    (
        "controller-fails-with-disk-offline",
        Final((1, 2, {1}, 2), {0, 2}, {0}, {1}, (1, 2), (0, 1)),
    ),
    ("disk-and-broker-fail", Final((2, 2, {2}, 2), {0, 1}, {0}, {2}, live=(0, 2))),
    ("disk-and-broker-come-back", Final((2, 2, {0, 1, 2}, 4), set(), set(), {2})),
    ("broker-shuts-down", Final((1, 1, {1, 2}, 1), {0}, set(), {1, 2}, live=(1, 2))),
    (
        "preferred-leader-after-disk-replacement",
        Final((0, 2, {0, 1, 2}, 3), set(), set(), {0, 1, 2}),
    ),
    ("unclean-leader-is-elected", Final((1, 2, {1, 2}, 5), {0}, {0}, {1})),
    ("leader-restarts-with-failed-disk", Final((1, 1, {1, 2}, 1), {0}, {0}, {1, 2})),
    ("leader-disk-fails-two-partitions", Final((1, 1, {1, 2}, 1), {0}, {0}, {1, 2})),
    (
        "leader-disk-fails-two-partitions",
        Final((0, 0, {0, 1, 2}, 0), set(), set(), {0, 1, 2}, number=1),
    ),
    (
        "leader-with-failed-disk-alone",
        Final((0, 2, {0}, 2), {1, 2}, set(), {0}, (0, 2), (0,), 1),
    ),
    ("follower-disk-fails-two-partitions", Final((0, 1, {0, 2}, 1), {1}, {1}, {0, 2})),
    (
        "follower-disk-fails-two-partitions",
        Final((0, 0, {0, 1, 2}, 0), set(), set(), {0, 1, 2}, number=1),
    ),
    (
        "follower-with-failed-disk-alone",
        Final((1, 3, {1}, 3), {0, 2}, set(), {1}, (1, 2), (1,), 1),
    ),
]


@pytest.mark.parametrize(("name", "expected"), FINAL)
def test_the_documents_run_ends_as_it_says(name: str, expected: Final) -> None:
    """Epochs, versions, ISR, markers and offline lists are those of KIP-112."""
    cluster, at = end_of(name), PartitionId(expected.number)
    content = cluster.partition_nodes[at].content
    assert content is not None
    leader, epoch, isr, version = expected.partition
    assert (content.leader, content.epoch, content.version) == (leader, epoch, version)
    assert content.isr == isr
    assert cluster.notifications.is_empty()
    nodes = cluster.controller_nodes
    assert (nodes.holder, nodes.epoch) == expected.controller
    context = cluster.contexts[expected.controller[0]]
    marked = {
        int(broker)
        for broker in cluster.bounds.broker_ids
        if cluster.replicas[broker][at].hosting is Hosting.OFFLINE
    }
    assert marked == expected.marked
    assert set(map(int, context.partitions[at].on_offline_dirs)) == expected.marked
    assert all(
        context.state_of(BrokerId(number), at) is ReplicaState.OFFLINE
        for number in marked
    )
    for broker in expected.live:
        partition = cluster.metadata[broker].partitions[at]
        assert partition is not None
        assert (partition.leader, partition.epoch) == (leader, epoch)
        assert set(map(int, partition.offline)) == expected.offline
        assert set(map(int, partition.isr)) == expected.shown


@pytest.mark.parametrize(
    "name", ["offline-replica-is-reassigned", "whole-reassignment"]
)
def test_a_removed_replica_leaves_its_marker_and_its_log(name: str) -> None:
    """Scenario 7: the controller forgets it, whatever its broker answers."""
    cluster = end_of(name)
    content = cluster.partition_nodes[0].content
    assert content is not None
    assert (content.leader, content.epoch, content.version) == (1, 3, 4)
    assert content.isr == {1, 2, 3}
    assert cluster.topic_nodes[0].assignment.replicas == (1, 2, 3)
    assert not cluster.topic_nodes[0].requested
    context = cluster.contexts[2]
    assert context.state_of(BrokerId(0), PartitionId(0)) is ReplicaState.NON_EXISTENT
    assert cluster.replicas[0][0].hosting is Hosting.OFFLINE
    assert cluster.logs[0][0][0].exists
    told = [broker.partitions[0] for broker in cluster.metadata]
    assert all(
        partition is not None and partition.offline == set() for partition in told
    )


def test_a_replica_that_was_alone_in_sync_hands_over_to_the_added_one() -> None:
    """Scenario 7 with two replicas: the leader and its new follower are in sync."""
    cluster = end_of("reassignment-of-two-replicas")
    content = cluster.partition_nodes[0].content
    assert content is not None
    assert (content.leader, content.epoch, content.version) == (1, 3, 4)
    assert content.isr == {1, 2}
    assert cluster.topic_nodes[0].assignment.replicas == (1, 2)
    assert cluster.replicas[0][0].hosting is Hosting.OFFLINE


def test_a_topic_with_an_offline_replica_waits_for_it() -> None:
    """Scenario 8: the others are deleted, and only the epoch grew."""
    cluster = end_of("topic-deleted-with-disk-offline")
    content = cluster.partition_nodes[0].content
    assert content is not None
    assert (content.leader, content.epoch, len(content.isr)) == (None, 3, 1)
    assert (cluster.topic_nodes[0].exists, cluster.topic_nodes[0].is_marked) == (1, 1)
    logs = [any(log.exists for log in logs[0]) for logs in cluster.logs]
    assert logs == [True, False, False]
    assert [broker.partitions[0] for broker in cluster.metadata] == [None, None, None]


def test_a_topic_is_gone_once_its_last_broker_is_back() -> None:
    """Scenario 8: no znode and no log is left."""
    cluster = end_of("deletion-ends-after-repair")
    assert not cluster.topic_nodes[0].exists
    assert not cluster.topic_nodes[0].is_marked
    assert cluster.partition_nodes[0].content is None
    assert not any(log.exists for logs in cluster.logs for log in logs[0])


def end_of(name: str) -> Cluster:
    """The state at the end of a scenario's sequence."""
    large = {
        scenario.name: scenario for scenario in CATALOGUE.suites["large"].scenarios
    }
    scenario = {**large, **CATALOGUE.scenarios}[name]
    system = CATALOGUE.systems["cluster"]
    found: Cluster = state_after(scenario, system, scenario.sequence, Place(name))
    return found


def test_a_bad_directory_keeps_its_replica_from_being_created_elsewhere() -> None:
    """Scenario 3: no log of the partition is on the broker's good directory."""
    logs = end_of("broker-starts-with-failed-disk").logs[0][0]
    assert [log.exists for log in logs] == [True, False]


def test_a_new_replica_is_created_beside_a_bad_directory() -> None:
    """Scenario 1: a new replica goes to the directory that is good."""
    logs = end_of("topic-created-beside-failed-disk").logs[1][0]
    assert [log.exists for log in logs] == [False, True]
