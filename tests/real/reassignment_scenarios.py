"""Scenarios of reassignments that another controller meets, or that are cancelled."""

from __future__ import annotations

import time

from cluster_clients import (
    EVENT,
    cancel_reassignment,
    elect,
    move_controller,
    reassign,
)
from fault_scenarios import SPARE, Roles, Scenario
from real_cluster import RealCluster


def reassignment_goes_on(cluster: RealCluster) -> None:
    """A controller goes on with a reassignment that another one began."""
    roles = Roles.given(cluster)
    cluster.stop(SPARE)
    replicas = (roles.leader, roles.controller, SPARE)
    reassign(cluster, replicas)
    time.sleep(EVENT)
    move_controller(cluster)
    cluster.start_broker(SPARE)
    cluster.wait_for_isr(roles.leader, replicas)
    cluster.wait_for(
        "reassignment ended", lambda: not cluster.exists("/admin/reassign_partitions")
    )
    time.sleep(EVENT)


def reassignment_cancelled(cluster: RealCluster) -> None:
    """A reassignment to a broker that is down is cancelled."""
    _reassigned_to_spare(cluster)
    cancel_reassignment(cluster)
    time.sleep(EVENT)


def reassignment_cancelled_by_another(cluster: RealCluster) -> None:
    """A later controller cancels a reassignment, and the first is elected again."""
    roles = _reassigned_to_spare(cluster)
    elect(cluster, roles.other)
    cancel_reassignment(cluster)
    time.sleep(EVENT)
    elect(cluster, roles.controller)


def _reassigned_to_spare(cluster: RealCluster) -> Roles:
    roles = Roles.given(cluster, records=1)
    cluster.stop(SPARE)
    time.sleep(EVENT)
    reassign(cluster, (roles.leader, roles.controller, SPARE))
    time.sleep(EVENT)
    return roles


REASSIGNMENT_SCENARIOS: tuple[Scenario, ...] = (
    reassignment_goes_on,
    reassignment_cancelled,
    reassignment_cancelled_by_another,
)
"""Each needs a spare broker."""
