"""The voice of the abstract replication model."""

from __future__ import annotations

from replicheck.invariants.describers.actor_describer import Voice, documents_of
from replicheck.invariants.describers.log_strips import Place, Strip, strip
from replicheck.model.replication.protocols import PROTOCOLS
from replicheck.model.replication.state import Cluster


def _logs(cluster: Cluster) -> tuple[Strip, ...]:
    return tuple(
        strip(
            Place(broker),
            cluster.logs[broker].records,
            cluster.replicas[broker],
            cluster.partition_state,
        )
        for broker in cluster.bounds.broker_ids
    )


def _left(cluster: Cluster) -> dict[str, int]:
    bounds = cluster.bounds
    return {
        "records": bounds.records - cluster.next_record,
        "max_leader_epoch": bounds.max_leader_epoch + 1 - cluster.next_leader_epoch,
    }


VOICE = Voice(
    store="controller",
    stored=frozenset({"partition_state", "requests", "next_leader_epoch"}),
    strips=_logs,
    documents=documents_of(PROTOCOLS),
    left=_left,
    decides=frozenset({"elect_leader", "remove_from_isr"}),
    hears=frozenset({"become_leader"}),
)
