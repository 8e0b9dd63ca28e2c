"""Scenarios that meet rules which the eleven do not, to rule out their mutants."""

from __future__ import annotations

import time
from collections.abc import Mapping

from answer_scenarios import ANSWER_SCENARIOS, ANSWER_SETTINGS, LONG_SESSIONS
from cluster_clients import (
    EVENT,
    LEARNING,
    create_topic,
    create_topic_znode,
    delete_topic_without_controller,
    halt_followers,
    move_controller,
    produce,
)
from fault_scenarios import (
    ISR_NOTIFICATION,
    Roles,
    Scenario,
    all_directories,
)
from real_cluster import REGULAR, RealCluster
from reassignment_scenarios import REASSIGNMENT_SCENARIOS

NEARLY_EXPIRED = 6.3
"""Seconds of a pause after which a long session has not expired yet, but soon will."""


def replaced_directory(cluster: RealCluster) -> None:
    """A follower starts with an empty directory in the place of that with its log."""
    roles = Roles.given(cluster)
    directory = cluster.directory_of(roles.other)
    cluster.stop(roles.other)
    cluster.wait_for_isr(roles.leader, (roles.leader, roles.controller))
    cluster.fail_directory(roles.other, directory)
    cluster.replace_directory(roles.other, directory)
    cluster.start_broker(roles.other)
    cluster.wait_for_isr(roles.leader, range(REGULAR))
    time.sleep(ISR_NOTIFICATION)


def no_replica_in_sync(cluster: RealCluster) -> None:
    """The only member of the ISR is killed; a replica out of sync starts before it."""
    roles = Roles.of(cluster)
    leader, follower = replicas = roles.leader, roles.controller
    create_topic(cluster, 0, replicas)
    produce(cluster, 1)
    cluster.kill(follower)
    cluster.wait_for_isr(leader, (leader,))
    produce(cluster, 1)
    cluster.kill(leader)
    cluster.wait_for("no leader", lambda: cluster.state()["leader"] == -1)
    cluster.start_broker(follower)
    cluster.wait_until_registered(follower)
    time.sleep(EVENT)
    move_controller(cluster)
    cluster.start_broker(leader)
    cluster.wait_for_isr(leader, replicas)
    time.sleep(ISR_NOTIFICATION)


def leader_dies_after_isr_shrinks(cluster: RealCluster) -> None:
    """The leader shrinks the ISR, and is killed before it has told the controller."""
    roles = Roles.given(cluster)
    # A follower that has all records does not lag, however long it does not fetch.
    halt_followers(cluster, roles.leader, (roles.other,), 1)
    cluster.wait_for_isr(roles.leader, (roles.leader, roles.controller))
    cluster.kill(roles.leader)
    cluster.go_on(roles.other)
    cluster.wait_for_isr(roles.controller, (roles.other, roles.controller))
    produce(cluster, 1)
    time.sleep(ISR_NOTIFICATION)


def unreplicated_records(cluster: RealCluster) -> None:
    """The leader is killed with records that no follower has, and starts again."""
    roles = Roles.given(cluster)
    followers = roles.other, roles.controller
    halt_followers(cluster, roles.leader, followers, 2)
    cluster.kill(roles.leader)
    for follower in followers:
        cluster.go_on(follower)
    cluster.wait_for_isr(roles.other, followers)
    produce(cluster, 1)
    cluster.start_broker(roles.leader)
    cluster.wait_for_isr(roles.other, range(REGULAR))
    time.sleep(ISR_NOTIFICATION)


def bounce(cluster: RealCluster) -> None:
    """A session expires and another begins while the controller is halted."""
    roles = Roles.given(cluster)
    cluster.halt(roles.other)
    time.sleep(NEARLY_EXPIRED)
    cluster.halt(roles.controller)
    cluster.wait_for("expiry", lambda: not cluster.is_registered(roles.other))
    cluster.go_on(roles.other)
    cluster.wait_until_registered(roles.other)
    cluster.go_on(roles.controller)
    cluster.wait_for_isr(roles.leader, range(REGULAR))
    time.sleep(ISR_NOTIFICATION)


def deletion_goes_on(cluster: RealCluster) -> None:
    """A controller goes on with a deletion that another began; then a broker leaves."""
    roles = Roles.given(cluster)
    cluster.create("/admin/delete_topics/t0")
    move_controller(cluster)
    cluster.wait_for("topic gone", lambda: not cluster.exists("/brokers/topics/t0"))
    cluster.stop(roles.other)
    cluster.wait_for("broker gone", lambda: not cluster.is_registered(roles.other))
    cluster.start_broker(roles.other)
    cluster.wait_until_registered(roles.other)
    time.sleep(EVENT)


def controller_elected_again(cluster: RealCluster) -> None:
    """A directory is replaced while another broker is the controller for a while."""
    roles = Roles.given(cluster)
    directory = cluster.directory_of(roles.other)
    cluster.fail_directory(roles.other, directory)
    cluster.wait_for_isr(roles.leader, (roles.leader, roles.controller))
    time.sleep(EVENT)
    while cluster.controller == roles.controller:
        move_controller(cluster)
    cluster.stop(roles.other)
    cluster.replace_directory(roles.other, directory)
    cluster.start_broker(roles.other)
    cluster.wait_for_isr(roles.leader, range(REGULAR))
    while cluster.controller != roles.controller:
        move_controller(cluster)
    create_topic(cluster, 1, (roles.leader, roles.other, roles.controller))
    time.sleep(EVENT)


def halted_broker_starts(cluster: RealCluster) -> None:
    """A broker that halted without a directory starts with empty directories."""
    all_directories(cluster)
    halted = next(b for b in range(REGULAR) if not cluster.is_running(b))
    for directory in range(2):
        cluster.replace_directory(halted, directory)
    cluster.start_broker(halted)
    cluster.wait_until_registered(halted)
    time.sleep(ISR_NOTIFICATION)


def deletion_awaits_broker(cluster: RealCluster) -> None:
    """A topic is deleted while a replica's broker is down; then a broker leaves."""
    roles = Roles.given(cluster)
    cluster.stop(roles.other)
    cluster.wait_for_isr(roles.leader, (roles.leader, roles.controller))
    cluster.create("/admin/delete_topics/t0")
    time.sleep(EVENT)
    cluster.start_broker(roles.other)
    cluster.wait_for("topic gone", lambda: not cluster.exists("/brokers/topics/t0"))
    time.sleep(EVENT)
    cluster.stop(roles.leader)
    time.sleep(EVENT)


def deletion_without_controller(cluster: RealCluster) -> None:
    """A topic is marked for deletion while there is no controller."""
    Roles.given(cluster)
    delete_topic_without_controller(cluster)
    cluster.wait_for("topic gone", lambda: not cluster.exists("/brokers/topics/t0"))
    time.sleep(EVENT)


def late_requests(cluster: RealCluster) -> None:
    """Requests for a process come to it in its next session."""
    roles = Roles.given(cluster)
    cluster.halt(roles.other)
    begun = time.monotonic()
    for topic in (1, 2):
        replicas = (roles.leader, roles.other, roles.controller)
        create_topic_znode(cluster, topic, replicas)
    time.sleep(NEARLY_EXPIRED - (time.monotonic() - begun))
    cluster.halt(roles.controller)
    cluster.wait_for("expiry", lambda: not cluster.is_registered(roles.other))
    cluster.go_on(roles.other)
    cluster.wait_until_registered(roles.other)
    cluster.go_on(roles.controller)
    time.sleep(ISR_NOTIFICATION)


def deposed_controllers_request(cluster: RealCluster) -> None:
    """A request of a controller waits at a broker while another is elected."""
    roles = Roles.given(cluster)
    cluster.halt(roles.other)
    create_topic_znode(cluster, 1, (roles.leader, roles.other, roles.controller))
    time.sleep(LEARNING)
    move_controller(cluster)
    cluster.go_on(roles.other)
    time.sleep(ISR_NOTIFICATION)


def unclean_election_allowed(cluster: RealCluster) -> None:
    """The leader dies where any replica may lead, and one in sync is live."""
    leader_dies_after_isr_shrinks(cluster)


SETTINGS = {
    **ANSWER_SETTINGS,
    bounce.__name__: LONG_SESSIONS,
    leader_dies_after_isr_shrinks.__name__: LONG_SESSIONS,
    late_requests.__name__: LONG_SESSIONS,
    deposed_controllers_request.__name__: LONG_SESSIONS,
    unclean_election_allowed.__name__: {
        **LONG_SESSIONS,
        "unclean.leader.election.enable": "true",
    },
}
"""Settings of brokers that a scenario needs."""
FURTHER_SCENARIOS: Mapping[str, Scenario] = {
    scenario.__name__: scenario
    for scenario in (
        replaced_directory,
        no_replica_in_sync,
        leader_dies_after_isr_shrinks,
        unreplicated_records,
        bounce,
        deletion_goes_on,
        controller_elected_again,
        halted_broker_starts,
        deletion_awaits_broker,
        deletion_without_controller,
        late_requests,
        deposed_controllers_request,
        unclean_election_allowed,
        *REASSIGNMENT_SCENARIOS,
        *ANSWER_SCENARIOS,
    )
}
