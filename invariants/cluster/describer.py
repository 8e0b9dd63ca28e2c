"""The voice of the cluster of KIP-112."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.invariants.describers.actor_describer import (
    GHOSTS,
    Voice,
    documents_of,
    faults_left,
)
from replicheck.invariants.describers.log_strips import Place, Strip, idle_strip, strip
from replicheck.model.cluster.mutations import MUTATIONS
from replicheck.model.cluster.protocols import PROTOCOLS
from replicheck.model.cluster.state import Cluster


def _strips(cluster: Cluster) -> tuple[Strip, ...]:
    return tuple(_logs(cluster))


def _logs(cluster: Cluster) -> Iterator[Strip]:
    partitions = cluster.bounds.partition_ids
    for broker in cluster.bounds.broker_ids:
        for partition in partitions:
            number = partition if len(partitions) > 1 else None
            stored = cluster.partition_nodes[partition].content
            replica = cluster.replicas[broker][partition]
            for directory in cluster.bounds.directory_ids:
                log = cluster.logs[broker][partition][directory]
                place = Place(broker, number, directory)
                if not log.exists:
                    continue
                if replica.is_online() and replica.is_in_directory(directory):
                    yield strip(place, log.records, replica, stored)
                else:
                    status = cluster.directories[broker][directory].status.value
                    why = f"not in use, directory {status}"
                    yield idle_strip(place, log.records, stored, why)


VOICE = Voice(
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
    documents=documents_of([*MUTATIONS, *PROTOCOLS]),
    left=faults_left,
    owner=GHOSTS,
    decides=frozenset({"create_topic", "delete_topic", "move_controller"}),
)
