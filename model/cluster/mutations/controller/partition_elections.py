"""Mutations of the controller's elections."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.events import Strategy
from replicheck.model.cluster.cells.controller.tasks import WriteElection
from replicheck.model.cluster.controller.controller_election import (
    fail_event,
    is_fenced,
)
from replicheck.model.cluster.controller.partitions import partition_states
from replicheck.model.cluster.controller.partitions.election_algorithms import (
    ALGORITHMS,
    Elected,
    elect_among,
    elect_offline,
)
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, PartitionId


def elect_any_live_broker(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A replica on an offline directory can be elected (M-4, C-CTX-1)."""

    def any_live_broker(
        context: ControllerContext, partition: PartitionId, content: LeaderAndIsr
    ) -> Elected | None:
        assignment = context.assignment_of(partition)
        live = tuple(broker for broker in assignment if context.is_live(broker))
        return elect_among(live, content)

    yield from partition_states.plan_election(
        cluster, controller, {**ALGORITHMS, Strategy.OFFLINE: any_live_broker}
    )


def elect_over_any_version(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """What a leader wrote since the read is lost (M-10, C-PSM-3)."""
    if not cluster.threads[controller].is_at(WriteElection):
        return
    if is_fenced(cluster, controller):
        yield fail_event(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, WriteElection)
    yield partition_states.store_election(cluster, controller, task)


def elect_from_the_cached_isr(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Only the version is read; the ISR is what was known before (M-11, C-PSM-3)."""

    def by_cache(
        context: ControllerContext, partition: PartitionId, content: LeaderAndIsr
    ) -> Elected | None:
        known = context.info_of(partition) or content
        return elect_offline(context, partition, known)

    yield from partition_states.plan_election(
        cluster, controller, {**ALGORITHMS, Strategy.OFFLINE: by_cache}
    )


def elect_uncleanly_at_once(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The first online replica is elected, in sync or not (C-ELECT-2)."""

    def first_online(
        context: ControllerContext, partition: PartitionId, content: LeaderAndIsr
    ) -> Elected | None:
        online = context.online_replicas(partition)
        return Elected(online[0], frozenset(online[:1]), online) if online else None

    yield from partition_states.plan_election(
        cluster, controller, {**ALGORITHMS, Strategy.UNCLEAN: first_online}
    )


MUTATIONS: dict[str, Protocol] = {
    "m-4-elect-any-live-broker": KAFKA_2_5.replacing(
        partition_states.read_for_election, by=elect_any_live_broker
    ),
    "m-10-elect-over-any-version": KAFKA_2_5.replacing(
        partition_states.write_election, by=elect_over_any_version
    ),
    "election-unclean-at-once": KAFKA_2_5.replacing(
        partition_states.read_for_election, by=elect_uncleanly_at_once
    ),
    "m-11-elect-from-the-cached-isr": KAFKA_2_5.replacing(
        partition_states.read_for_election, by=elect_from_the_cached_isr
    ),
}
