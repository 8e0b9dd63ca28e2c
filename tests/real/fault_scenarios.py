"""Eleven scenarios that a real cluster is taken through, most of them of KIP-112."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from attrs import frozen
from cluster_clients import create_topic, produce, reassign
from real_cluster import REGULAR, RealCluster

EXPIRY, LAG = 7, 2.3
"""Seconds of a pause: a session expires, or a follower leaves the ISR."""
ISR_NOTIFICATION = 8
"""Seconds until a leader has told the controller of a changed ISR."""
SPARE = 3
"""The broker that has no replica at first, where there is one."""


@frozen
class Roles:
    """Brokers by what they are at first; the controller has the last replica."""

    leader: int
    other: int
    controller: int

    @classmethod
    def of(cls, cluster: RealCluster) -> Roles:
        """Roles before there is a topic."""
        controller = cluster.controller
        assert controller is not None, "a cluster that has started has a controller"
        leader, other = (broker for broker in range(REGULAR) if broker != controller)
        return cls(leader, other, controller)

    @classmethod
    def given(cls, cluster: RealCluster, records: int = 3, topics: int = 1) -> Roles:
        """Create topics, and produce to the first of them."""
        roles = cls.of(cluster)
        for topic in range(topics):
            replicas = (roles.leader, roles.other, roles.controller)
            create_topic(cluster, topic, replicas)
        produce(cluster, records)
        return roles


def leaders_directory(cluster: RealCluster) -> None:
    """The leader's log directory fails while the broker runs."""
    roles = Roles.given(cluster)
    cluster.fail_directory(roles.leader, cluster.directory_of(roles.leader))
    cluster.wait_for_isr(roles.other, (roles.other, roles.controller))
    produce(cluster, 2)


def restart_with_bad_directory(cluster: RealCluster) -> None:
    """A broker starts with a directory that does not work."""
    roles = Roles.given(cluster)
    directory = cluster.directory_of(roles.leader)
    cluster.stop(roles.leader)
    cluster.wait_for_isr(roles.other, (roles.other, roles.controller))
    cluster.fail_directory(roles.leader, directory)
    _start(cluster, roles.leader)
    time.sleep(3)
    produce(cluster, 1)


def crash_and_restart(cluster: RealCluster) -> None:
    """The leader's process is killed, and starts again."""
    roles = Roles.given(cluster)
    cluster.kill(roles.leader)
    cluster.wait_for_isr(roles.other, (roles.other, roles.controller))
    produce(cluster, 1)
    cluster.start_broker(roles.leader)
    cluster.wait_for_isr(roles.other, range(REGULAR))
    time.sleep(ISR_NOTIFICATION)


def controller_crash(cluster: RealCluster) -> None:
    """The controller, which leads no partition, is killed; another is elected."""
    roles = Roles.given(cluster)
    cluster.kill(roles.controller)
    former = (None, roles.controller)
    cluster.wait_for("a controller", lambda: cluster.controller not in former)
    cluster.wait_for_isr(roles.leader, (roles.leader, roles.other))
    produce(cluster, 1)


def delete_with_offline_replica(cluster: RealCluster) -> None:
    """A topic is deleted while a replica of it is on an offline directory."""
    roles = Roles.given(cluster)
    directory = cluster.directory_of(roles.leader)
    cluster.fail_directory(roles.leader, directory)
    cluster.wait_for_isr(roles.other, (roles.other, roles.controller))
    cluster.create("/admin/delete_topics/t0")
    time.sleep(4)
    cluster.stop(roles.leader)
    cluster.replace_directory(roles.leader, directory)
    cluster.start_broker(roles.leader)
    cluster.wait_for("topic gone", lambda: not cluster.exists("/brokers/topics/t0"))


def reassignment(cluster: RealCluster) -> None:
    """A spare broker takes the place of a follower on an offline directory."""
    roles = Roles.given(cluster)
    cluster.fail_directory(roles.other, cluster.directory_of(roles.other))
    cluster.wait_for_isr(roles.leader, (roles.leader, roles.controller))
    replicas = (roles.leader, roles.controller, SPARE)
    reassign(cluster, replicas)
    cluster.wait_for_isr(roles.leader, replicas)
    cluster.wait_for(
        "reassignment ended", lambda: not cluster.exists("/admin/reassign_partitions")
    )


def all_directories(cluster: RealCluster) -> None:
    """All directories of the leader fail, and the broker halts."""
    # A directory without a log is never written to, so its failure is not met.
    roles = Roles.given(cluster, topics=2)
    for directory in range(2):
        cluster.fail_directory(roles.leader, directory)
    cluster.wait_for("broker halted", lambda: not cluster.is_running(roles.leader))
    cluster.wait_for_isr(roles.other, (roles.other, roles.controller))


def leaders_session_expires(cluster: RealCluster) -> None:
    """The leader's process is halted until its session expired, and goes on."""
    roles = Roles.given(cluster)
    _expire_session(cluster, roles.leader, later_leader=roles.other)


def controllers_session_expires(cluster: RealCluster) -> None:
    """The controller's process is halted until another is elected, and goes on."""
    roles = Roles.given(cluster)
    _expire_session(cluster, roles.controller, later_leader=roles.leader)


def isr_shrinks(cluster: RealCluster) -> None:
    """A follower is late to fetch, for less than its session, and catches up."""
    roles = Roles.given(cluster)
    cluster.pause(roles.other, LAG)
    cluster.wait_for_isr(roles.leader, range(REGULAR))
    time.sleep(ISR_NOTIFICATION)


def bad_target(cluster: RealCluster) -> None:
    """A replica moves to a broker that cannot use one of its directories."""
    roles = Roles.given(cluster)
    cluster.stop(SPARE)
    cluster.fail_directory(SPARE, 0)
    _start(cluster, SPARE)
    time.sleep(2)
    reassign(cluster, (roles.leader, roles.controller, SPARE))
    time.sleep(ISR_NOTIFICATION)


def _expire_session(cluster: RealCluster, broker: int, later_leader: int) -> None:
    cluster.pause(broker, EXPIRY)
    cluster.wait_for_isr(later_leader, range(REGULAR))
    produce(cluster, 1)
    time.sleep(ISR_NOTIFICATION)


def _start(cluster: RealCluster, broker: int) -> None:
    cluster.start_broker(broker)
    cluster.wait_until_registered(broker)


Scenario = Callable[[RealCluster], None]
SCENARIOS: Mapping[str, Scenario] = {
    scenario.__name__: scenario
    for scenario in (
        leaders_directory,
        restart_with_bad_directory,
        crash_and_restart,
        controller_crash,
        delete_with_offline_replica,
        reassignment,
        all_directories,
        leaders_session_expires,
        controllers_session_expires,
        isr_shrinks,
        bad_target,
    )
}
WITH_SPARE_BROKER = frozenset({reassignment.__name__, bad_target.__name__})
