"""The describer of the cluster of KIP-112."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from replicheck.invariants.describers.log_strips import (
    LogPlace,
    LogStrip,
    idle_strip,
    on_failed_disk,
    strip,
)
from replicheck.invariants.describers.model_describer import (
    Link,
    MessageInFlight,
    ModelDescriber,
    documents_of,
    faults_left,
)
from replicheck.model.cluster.cells.channels import Request
from replicheck.model.cluster.mutations.mutated_protocols import MUTATIONS
from replicheck.model.cluster.protocols import KAFKA_2_5, PROTOCOLS
from replicheck.model.cluster.reductions.merged_responses import with_known_at_once
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId

GHOSTS: Mapping[str, None] = {"committed": None, "next_records": None}
"""Fields that no broker owns: history that exists for properties only."""


def _brokers(cluster: Cluster) -> Sequence[BrokerId]:
    return cluster.bounds.broker_ids


def _strips(cluster: Cluster) -> tuple[LogStrip, ...]:
    return tuple(_logs(cluster))


def _logs(cluster: Cluster) -> Iterator[LogStrip]:
    partitions = cluster.bounds.partition_ids
    for broker in cluster.bounds.broker_ids:
        for partition in partitions:
            number = partition if len(partitions) > 1 else None
            stored = cluster.partition_nodes[partition].content
            replica = cluster.replicas[broker][partition]
            for directory in cluster.bounds.directory_ids:
                log = cluster.logs[broker][partition][directory]
                place = LogPlace(broker, number, directory)
                if not log.exists:
                    continue
                disk = cluster.directories[broker][directory]
                told = f"directory {disk.status.value}"
                if replica.is_online() and replica.is_in_directory(directory):
                    used = strip(place, log.records, replica, stored)
                    yield used if disk.is_good() else on_failed_disk(used, told)
                else:
                    why = f"not in use, {told}"
                    idle = idle_strip(place, log.records, stored, why)
                    yield idle if disk.is_good() else on_failed_disk(idle)


def in_flight(cluster: Cluster) -> tuple[MessageInFlight, ...]:
    """Fired watches, requests of controllers, and answers of brokers."""
    return (*_fired_watches(cluster), *_requests(cluster))


def _fired_watches(cluster: Cluster) -> Iterator[MessageInFlight]:
    for broker, watches in enumerate(cluster.watches):
        for path in sorted(watches.fired, key=lambda path: path.name):
            kind = f"watch of {path.value}"
            yield MessageInFlight("ZooKeeper", f"broker {broker}", kind)
        for partition in sorted(watches.fired_states):
            kind = f"watch of the state of partition {partition}"
            yield MessageInFlight("ZooKeeper", f"broker {broker}", kind)


def _requests(cluster: Cluster) -> Iterator[MessageInFlight]:
    for controller, channels in enumerate(cluster.channels):
        for broker, channel in enumerate(channels):
            source, target = f"broker {controller}", f"broker {broker}"
            unanswered = channel.requests
            if channel.is_answered():
                kind = f"{_kind(channel.head)} response"
                yield MessageInFlight(target, source, kind)
                unanswered = channel.requests[1:]
            for request in unanswered:
                yield MessageInFlight(source, target, f"{_kind(request)} request")


def _kind(request: Request) -> str:
    return type(request).__name__.removesuffix("Request")


DESCRIBER = ModelDescriber(
    store="ZooKeeper",
    stored=frozenset(
        {
            "broker_nodes",
            "controller_nodes",
            "notifications",
            "partition_nodes",
            "topic_nodes",
        }
    ),
    strips=_strips,
    in_flight=in_flight,
    noun="broker",
    participants=_brokers,
    documents=documents_of([*MUTATIONS, *PROTOCOLS, with_known_at_once(KAFKA_2_5)]),
    left=faults_left,
    budgets=faults_left,
    owner=GHOSTS,
    decides=frozenset(
        {
            "create_topic",
            "delete_topic",
            "end_session",
            "expire_session",
            "move_controller",
        }
    ),
    hears=frozenset(
        {
            "deliver_state_watch",
            "deliver_watch",
            "list_isr_changes",
            "list_notifications",
            "read_brokers",
            "read_deletions",
            "read_for_election",
            "read_for_epoch",
            "read_for_isr_removal",
            "read_partition_state",
            "read_reassignments",
            "read_topics",
        }
    ),
    acting=("broker", "controller", "follower", "leader"),
    writing=("leader",),
    actors={
        "cache_isr_before_write": "leader",
        "catch_up": "leader",
        "fall_behind": "leader",
        "leave_the_own_isr": "leader",
        "lose_reply_to_expansion": "leader",
        "lose_reply_to_shrink": "leader",
        "receive_response": "controller",
        "receive_unknown": "controller",
        "shrink_isr": "leader",
    },
    links=(
        Link(
            "controller",
            "broker",
            replies=frozenset({"receive_response", "receive_unknown"}),
        ),
        Link("leader", "follower", only_news=True),
    ),
)
