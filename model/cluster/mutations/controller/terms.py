"""Mutations of what a broker keeps or does beyond its time as the controller."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster import watches
from replicheck.model.cluster.cells.controller.events import LogDirEventNotification
from replicheck.model.cluster.cells.controller.tasks import StartReplicaStateMachine
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller import controller_election, failover
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId


def keep_offline_replicas(cluster: Cluster, controller: BrokerId) -> Cluster:
    """A resigned controller remembers offline replicas (KAFKA-6630, C-CTX-2)."""
    after = original(controller_election.resign)(cluster, controller)
    known, context = cluster.contexts[controller], after.contexts[controller]
    for partition in cluster.bounds.partition_ids:
        for broker in sorted(known.partitions[partition].on_offline_dirs):
            context = context.mark_offline(broker, partition)
    return after.evolve(contexts={controller: context})


def consume_notifications_when_inactive(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A broker that is no controller deletes the notifications (KAFKA-5642)."""
    if cluster.contexts[controller].is_active():
        return
    if not cluster.event_queues[controller].head_is(LogDirEventNotification):
        yield from controller_election.ignore_event(cluster, controller)
        return
    for after in controller_election.ignore_event(cluster, controller):
        nodes = after.notifications.nodes
        if nodes:
            after = fire_watches(after, ZooKeeperPath.LOG_DIR_EVENTS)
        yield after.evolve(notifications=after.notifications.delete(nodes))


def keep_offline_replicas_in_isr(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A new controller takes no replica out of an ISR (KAFKA-3143, C-INIT-2)."""
    if not cluster.threads[controller].is_at(StartReplicaStateMachine):
        return
    thread = cluster.threads[controller].finish(())
    for after in failover.start_replica_state_machine(cluster, controller):
        yield after.evolve(threads={controller: thread})


def follow_the_stored_epoch(
    cluster: Cluster, controller: BrokerId, path: ZooKeeperPath
) -> Iterator[Cluster]:
    """A deposed controller takes over its successor's epoch (KAFKA-1096, Z-CTRL-2)."""
    for after in watches.deliver_watch(cluster, controller, path):
        context = after.contexts[controller]
        if path is ZooKeeperPath.CONTROLLER and context.is_active():
            epoch = cluster.controller_nodes.epoch
            after = after.evolve(contexts={controller: context.start(epoch)})
        yield after


MUTATIONS: dict[str, Protocol] = {
    "kafka-6630-keep-offline-replicas": KAFKA_2_5.replacing(
        controller_election.resign, by=keep_offline_replicas
    ),
    "kafka-5642-consume-notifications-when-inactive": KAFKA_2_5.replacing(
        controller_election.ignore_event, by=consume_notifications_when_inactive
    ),
    "kafka-3143-keep-offline-replicas-in-isr": KAFKA_2_5.replacing(
        failover.start_replica_state_machine, by=keep_offline_replicas_in_isr
    ),
    "kafka-1096-follow-the-stored-epoch": KAFKA_2_5.replacing(
        watches.deliver_watch, by=follow_the_stored_epoch
    ),
}
