"""Mutations of the controller's elections."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.context import ControllerContext
from replicheck.model.cluster.cells.thread import Strategy
from replicheck.model.cluster.cells.znodes import LeaderAndIsr
from replicheck.model.cluster.controller import partition_states
from replicheck.model.cluster.controller.election_algorithms import (
    ALGORITHMS,
    Elected,
    elect_among,
)
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, PartitionId


def elect_any_live_broker(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A replica on an offline directory can be elected (M-4, C-CTX-1)."""

    def any_live_broker(
        context: ControllerContext, partition: PartitionId, content: LeaderAndIsr
    ) -> Elected | None:
        assignment = context.assignment_of(partition)
        live = tuple(each for each in assignment if context.is_live(each))
        return elect_among(live, content)

    yield from partition_states.plan_election(
        cluster, controller, {**ALGORITHMS, Strategy.OFFLINE: any_live_broker}
    )


MUTATIONS: dict[str, Protocol] = {
    "m-4-elect-any-live-broker": KAFKA_2_5.replacing(
        partition_states.read_for_election, by=elect_any_live_broker
    ),
}
