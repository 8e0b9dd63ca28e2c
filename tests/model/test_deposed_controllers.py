"""What reaches a controller that is one no more, or whose process has ended."""

from __future__ import annotations

import pytest

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import run
from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.cells.controller.events import (
    AlterPartitionReassignment,
)
from replicheck.model.cluster.cells.controller.reassignment_tasks import DropRequest
from replicheck.model.cluster.controller.reassignment.reassignment_requests import (
    drop_request,
    handle_alter_reassignment,
)
from replicheck.model.cluster.environment.administration import repeat_shutdown_request
from replicheck.model.cluster.protocols import cluster_model
from replicheck.model.cluster.state import Cluster, with_topic
from replicheck.model.vocabulary import BrokerId, PartitionId

LEADER, CONTROLLER, FIRST = BrokerId(0), BrokerId(1), PartitionId(0)


def deposed(requested: tuple[BrokerId, ...]) -> Cluster:
    """Another controller was elected; a reassignment of the topic may be requested."""
    cluster = with_topic(Bounds(brokers=2, reassignments=1))
    queue = cluster.event_queues[CONTROLLER].append(AlterPartitionReassignment(FIRST))
    return cluster.evolve(
        topic_nodes={FIRST: cluster.topic_nodes[FIRST].request(requested)},
        controller_nodes=cluster.controller_nodes.elect(LEADER),
        event_queues={CONTROLLER: queue},
    )


@pytest.mark.parametrize(("requested", "is_active"), [((LEADER,), False), ((), True)])
def test_a_deposed_controller_resigns_by_a_cancellation_if_anything_is_requested(
    requested: tuple[BrokerId, ...], is_active: bool
) -> None:
    """Z-REASG-1: it writes what is requested, also where nothing is to be cancelled."""
    (after,) = handle_alter_reassignment(deposed(requested), CONTROLLER)
    assert after.contexts[CONTROLLER].is_active() is is_active
    assert after.event_queues[CONTROLLER].is_empty()
    assert after.topic_nodes[FIRST].requested == requested


@pytest.mark.parametrize(("requested", "is_active"), [((LEADER,), False), ((), True)])
def test_a_request_that_is_dropped_is_written_only_if_it_is_there(
    requested: tuple[BrokerId, ...], is_active: bool
) -> None:
    """Z-REASG-1: without a request a deposed controller does not learn that it is."""
    cluster = deposed(requested)
    thread = cluster.threads[CONTROLLER].begin((DropRequest(FIRST),))
    (after,) = drop_request(cluster.evolve(threads={CONTROLLER: thread}), CONTROLLER)
    assert after.contexts[CONTROLLER].is_active() is is_active


def test_a_request_to_shut_down_does_not_reach_a_process_that_has_ended() -> None:
    """N-4: its session lives on, so that it is the controller still."""
    bounds = Bounds(brokers=3, crashes=1, shutdowns=1, late_shutdowns=1)
    model, stops = cluster_model(bounds=bounds, start=with_topic(bounds)), BrokerId(1)
    asked: tuple[str, ...] = ("shut_down(controller=2, broker=1)",)
    runs: Cluster = run(model, with_topic(bounds), asked, Place("test"))
    assert list(repeat_shutdown_request(runs, stops))
    asked = (*asked, "crash(broker=2)")
    dead: Cluster = run(model, with_topic(bounds), asked, Place("test"))
    assert dead.controller_nodes.is_held_by(BrokerId(2))
    assert not list(repeat_shutdown_request(dead, stops))
