"""The voice of the brokers with replica fetcher threads."""

from __future__ import annotations

from replicheck.invariants.describing.strips import Place, Strip, strip
from replicheck.invariants.describing.voices import (
    GHOSTS,
    Voice,
    documents_of,
    faults_left,
)
from replicheck.model.fetching.mutations import MUTATIONS
from replicheck.model.fetching.state import Cluster
from replicheck.model.fetching.versions import PROTOCOLS


def _logs(cluster: Cluster) -> tuple[Strip, ...]:
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


VOICE = Voice(
    store="controller",
    stored=frozenset({"partition_nodes", "inboxes"}),
    strips=_logs,
    documents=documents_of([*MUTATIONS, *PROTOCOLS]),
    left=faults_left,
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
)
