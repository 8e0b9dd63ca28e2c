"""Scenarios in which a broker's answer tells what it did with a replica or a record."""

from __future__ import annotations

import time
from collections.abc import Mapping

from cluster_clients import (
    EVENT,
    create_topic,
    halt_before_record,
    produce,
)
from fault_scenarios import ISR_NOTIFICATION, Roles, Scenario
from real_cluster import REGULAR, RealCluster


def new_log_beside_failed_directory(cluster: RealCluster) -> None:
    """A log is to be created in a directory that failed unnoticed."""
    roles = Roles.given(cluster, records=1, topics=2)
    cluster.fail_directory(roles.other, cluster.directory_of(roles.other))
    create_topic(cluster, 2, (roles.leader, roles.other, roles.controller))
    cluster.wait_for_isr(roles.leader, (roles.leader, roles.controller))
    time.sleep(EVENT)
    produce(cluster, 1, topic=1)


def deletion_of_offline_replica(cluster: RealCluster) -> None:
    """A topic is deleted before the controller hears of a failed directory."""
    roles = Roles.given(cluster)
    cluster.halt(roles.controller)
    cluster.create("/admin/delete_topics/t0")
    cluster.fail_directory(roles.other, cluster.directory_of(roles.other))
    cluster.wait_for("notification", lambda: _has_notification(cluster))
    cluster.go_on(roles.controller)
    time.sleep(ISR_NOTIFICATION)


def too_few_in_sync(cluster: RealCluster) -> None:
    """A record gets replicated as the follower that lacks it leaves the ISR."""
    roles = Roles.given(cluster, records=1)
    finish = halt_before_record(cluster, roles.leader, (roles.other,))
    cluster.wait_for_isr(roles.leader, (roles.leader, roles.controller))
    finish()
    cluster.go_on(roles.other)
    cluster.wait_for_isr(roles.leader, range(REGULAR))
    produce(cluster, 1)
    time.sleep(ISR_NOTIFICATION)


def producer_waits_at_failed_directory(cluster: RealCluster) -> None:
    """The leader's directory fails while a producer waits for a follower."""
    roles = Roles.given(cluster, records=1)
    finish = halt_before_record(cluster, roles.leader, (roles.other,))
    cluster.fail_directory(roles.leader, cluster.directory_of(roles.leader))
    finish()
    cluster.go_on(roles.other)
    cluster.wait_for_isr(roles.other, (roles.other, roles.controller))
    time.sleep(ISR_NOTIFICATION)


def _has_notification(cluster: RealCluster) -> bool:
    return bool(cluster.client.get_children("/log_dir_event_notification"))


LONG_SESSIONS: Mapping[str, object] = {"zookeeper.session.timeout.ms": 9500}
UNNOTICED: Mapping[str, object] = {
    "replica.high.watermark.checkpoint.interval.ms": 60_000,
    "log.flush.offset.checkpoint.interval.ms": 60_000,
}
"""Nothing opens a file of a directory by its name while a scenario lasts."""
ANSWER_SETTINGS = {
    deletion_of_offline_replica.__name__: LONG_SESSIONS,
    too_few_in_sync.__name__: {**LONG_SESSIONS, "min.insync.replicas": REGULAR},
    producer_waits_at_failed_directory.__name__: {
        **LONG_SESSIONS,
        "replica.lag.time.max.ms": 30_000,
    },
    new_log_beside_failed_directory.__name__: UNNOTICED,
}
"""Settings of brokers that a scenario needs."""
ANSWER_SCENARIOS: tuple[Scenario, ...] = (
    new_log_beside_failed_directory,
    deletion_of_offline_replica,
    too_few_in_sync,
    producer_waits_at_failed_directory,
)
