"""Mutations of how a controller starts, and is told of ISRs."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.isr import isr_changes
from replicheck.model.cluster.cells.controller.tasks import (
    ListNotifications,
    StartReplicaStateMachine,
)
from replicheck.model.cluster.controller import failover
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId


def start_without_asking(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new controller asks no broker about replicas (M-20, C-INIT-1)."""
    if not cluster.threads[controller].is_at(StartReplicaStateMachine):
        return
    for after in failover.start_replica_state_machine(cluster, controller):
        yield after.evolve(
            channels={
                (controller, broker): cluster.channels[controller][broker].clear()
                for broker in cluster.bounds.broker_ids
            }
        )


def delete_notifications_last(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A new controller deletes what came during its start (M-21, C-INIT-1).

    It lists the notifications again, after all brokers were asked.
    """
    if not cluster.threads[controller].is_at(StartReplicaStateMachine):
        return
    for after in failover.start_replica_state_machine(cluster, controller):
        tasks = (ListNotifications(),)
        yield after.evolve(threads={controller: after.threads[controller].begin(tasks)})


def drop_isr_changes(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A leader forgets which ISRs it stored (Z-ISRN-1)."""
    for after in isr_changes.propagate_isr_changes(cluster, broker):
        told = after.changed_partitions[broker]
        yield cluster.evolve(changed_partitions={broker: told})


MUTATIONS: dict[str, Protocol] = {
    "m-20-start-without-asking": KAFKA_2_5.replacing(
        failover.start_replica_state_machine, by=start_without_asking
    ),
    "m-21-delete-notifications-last": KAFKA_2_5.replacing(
        failover.start_replica_state_machine, by=delete_notifications_last
    ),
    "z-isrn-1-drop-isr-changes": KAFKA_2_5.replacing(
        isr_changes.propagate_isr_changes, by=drop_isr_changes
    ),
}
