"""Mutations of the failure of a log directory, and of its notification."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.cluster.broker import log_dirs
from replicheck.model.cluster.cells.controller.tasks import DeleteNotifications
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller import controller_election, events
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, DirectoryId


def notify_before_marking(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
    """The handler notifies the controller first of all (M-18, B-LDF-3).

    What it has to do after that, it does in one step.
    """
    if not log_dirs.may_begin(cluster, broker, directory):
        return
    handler = cluster.handlers[broker]
    if handler.directory is None:
        cluster = fire_watches(cluster, ZooKeeperPath.LOG_DIR_EVENTS)
        yield cluster.evolve(
            notifications=cluster.notifications.create(broker),
            handlers={broker: evolve(handler, directory=directory)},
        )
    elif handler.directory == directory:
        (marked,) = log_dirs.mark_replicas_offline(cluster, broker, directory)
        (closed,) = log_dirs.close_directory(marked, broker, directory)
        yield closed.evolve(handlers={broker: closed.handlers[broker].finish()})


def delete_all_notifications(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Notifications that came after the list are deleted too (M-19, Z-LDE-1)."""
    if not cluster.threads[controller].is_at(DeleteNotifications):
        return
    if controller_election.is_fenced(cluster, controller):
        yield controller_election.resign(cluster, controller)
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
    ),
    "m-19-delete-all-notifications": KAFKA_2_5.replacing(
        events.delete_notifications, by=delete_all_notifications
    ),
    "m-31-run-on-without-a-directory": KAFKA_2_5.replacing(
        log_dirs.close_directory, by=run_on_without_a_directory
    ),
}
