"""The voice of each model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from replicheck.invariants.describing.strips import Place, Strip, idle_strip, strip
from replicheck.invariants.describing.voices import Voice, documents_of
from replicheck.model.cluster import mutations
from replicheck.model.cluster import protocols as cluster_protocols
from replicheck.model.cluster.state import Cluster as Kafka
from replicheck.model.fetching import protocols as fetching_protocols
from replicheck.model.fetching.state import Cluster as Fetching
from replicheck.model.replication import protocols as replication_protocols
from replicheck.model.replication.state import Cluster as Partition

GHOSTS: Mapping[str, None] = {"committed": None, "next_records": None}


def _of_partition(cluster: Partition) -> tuple[Strip, ...]:
    return tuple(
        strip(
            Place(broker),
            cluster.logs[broker].records,
            cluster.replicas[broker],
            cluster.partition_state,
        )
        for broker in cluster.bounds.broker_ids
    )


def _of_kafka(cluster: Kafka) -> tuple[Strip, ...]:
    return tuple(_logs_of_kafka(cluster))


def _logs_of_kafka(cluster: Kafka) -> Iterator[Strip]:
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


def _of_fetching(cluster: Fetching) -> tuple[Strip, ...]:
    partitions = cluster.bounds.partition_ids
    return tuple(
        strip(
            Place(broker, partition if len(partitions) > 1 else None),
            cluster.logs[broker][partition].records,
            cluster.replicas[broker][partition],
            cluster.partition_nodes[partition].content,
        )
        for partition in partitions
        for broker in cluster.bounds.broker_ids
    )


VOICES: Mapping[str, Voice] = {
    "replication": Voice(
        store="controller",
        stored=frozenset({"partition_state", "requests", "next_leader_epoch"}),
        strips=_of_partition,
        documents=documents_of(replication_protocols.PROTOCOLS),
        decides=frozenset({"elect_leader", "remove_from_isr"}),
        hears=frozenset({"become_leader"}),
    ),
    "cluster": Voice(
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
        strips=_of_kafka,
        documents=documents_of([*mutations.MUTATIONS, *cluster_protocols.PROTOCOLS]),
        owner=GHOSTS,
        decides=frozenset({"create_topic", "move_controller"}),
    ),
    "fetching": Voice(
        store="controller",
        stored=frozenset({"partition_nodes", "inboxes"}),
        strips=_of_fetching,
        documents=documents_of(fetching_protocols.PROTOCOLS),
        owner=GHOSTS,
        decides=frozenset({"elect_leader", "elect_leader_uncleanly"}),
        hears=frozenset({"make_leaders", "make_followers"}),
        asks=frozenset({"maybe_fetch", "fetch_truncating_partitions"}),
        alone=frozenset(
            {
                "process_fetch_request",
                "truncate_to_epoch_end_offsets",
                "truncate_to_high_watermark",
                "expire_delay",
                "maybe_shrink_isr",
            }
        ),
    ),
}
