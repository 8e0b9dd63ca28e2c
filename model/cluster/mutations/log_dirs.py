"""Mutations of the failure of a log directory, and of its notification."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import leader_and_isr, log_dirs
from replicheck.model.cluster.cells.tasks import DeleteNotifications
from replicheck.model.cluster.cells.znodes import ZooKeeperPath
from replicheck.model.cluster.controller import election, events
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watching import fire_watches
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, DirectoryId


def notify_before_marking(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """The handler notifies the controller first of all (M-18, B-LDF-3)."""
    if not log_dirs.may_begin(cluster, broker, directory):
        return
    cluster = fire_watches(cluster, ZooKeeperPath.LOG_DIR_EVENTS)
    yield cluster.evolve(
        notifications=cluster.notifications.create(broker),
        handlers={broker: cluster.handlers[broker].mark(directory)},
    )


def mark_when_closing(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """The handler marks replicas when it closes, and ends with that (M-18, B-LDF-3)."""
    if not cluster.handlers[broker].has_marked(directory):
        return
    for partition in cluster.bounds.partition_ids:
        replica = cluster.replicas[broker][partition]
        if replica.is_online() and replica.is_in_directory(directory):
            cluster = leader_and_isr.mark_offline(cluster, broker, partition)
    cluster = log_dirs.take_out_of_use(cluster, broker, directory)
    yield cluster.evolve(handlers={broker: cluster.handlers[broker].finish()})


def delete_all_notifications(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Notifications that came after the list are deleted too (M-19, Z-LDE-1)."""
    if not cluster.threads[controller].is_at(DeleteNotifications):
        return
    if election.is_fenced(cluster, controller):
        yield election.resign(cluster, controller)
        return
    cluster = fire_watches(cluster, ZooKeeperPath.LOG_DIR_EVENTS)
    nodes = cluster.notifications.nodes
    yield cluster.evolve(
        notifications=cluster.notifications.delete(nodes),
        threads={controller: cluster.threads[controller].finish(())},
    )


def run_on_without_a_directory(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """A broker whose last directory fails does not halt (M-31, B-LDF-2)."""
    if cluster.handlers[broker].has_marked(directory):
        yield log_dirs.take_out_of_use(cluster, broker, directory)


MUTATIONS: dict[str, Protocol] = {
    "m-18-notify-before-marking": KAFKA_2_5.replacing(
        log_dirs.mark_replicas_offline, by=notify_before_marking
    ).replacing(log_dirs.close_directory, by=mark_when_closing),
    "m-19-delete-all-notifications": KAFKA_2_5.replacing(
        events.delete_notifications, by=delete_all_notifications
    ),
    "m-31-run-on-without-a-directory": KAFKA_2_5.replacing(
        log_dirs.close_directory, by=run_on_without_a_directory
    ),
}
