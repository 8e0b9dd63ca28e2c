"""The describer of the abstract replication model."""

from __future__ import annotations

from collections.abc import Sequence

from replicheck.invariants.describers.log_strips import LogPlace, LogStrip, strip
from replicheck.invariants.describers.model_describer import (
    Link,
    ModelDescriber,
    documents_of,
)
from replicheck.model.replication.protocols import PROTOCOLS
from replicheck.model.replication.state import AbstractCluster
from replicheck.model.vocabulary import BrokerId

CHANGES_OF_THE_ISR = (
    "delayed_expand_isr",
    "delayed_shrink_isr",
    "epoch_checked_expand_isr",
    "epoch_checked_shrink_isr",
    "expand_isr",
    "fenced_expand_isr",
    "fenced_shrink_isr",
    "shrink_isr",
)
"""Actions of a leader that name a follower."""


def _brokers(cluster: AbstractCluster) -> Sequence[BrokerId]:
    return cluster.bounds.broker_ids


def _logs(cluster: AbstractCluster) -> tuple[LogStrip, ...]:
    return tuple(
        strip(
            LogPlace(broker),
            cluster.logs[broker].records,
            cluster.replicas[broker],
            cluster.partition_state,
        )
        for broker in cluster.bounds.broker_ids
    )


def _left(cluster: AbstractCluster) -> dict[str, int]:
    bounds = cluster.bounds
    return {
        "records": bounds.records - cluster.next_record,
        "max_leader_epoch": bounds.max_leader_epoch + 1 - cluster.next_leader_epoch,
    }


DESCRIBER = ModelDescriber(
    store="controller",
    stored=frozenset({"partition_state", "requests", "next_leader_epoch"}),
    strips=_logs,
    noun="broker",
    participants=_brokers,
    documents=documents_of(PROTOCOLS),
    left=_left,
    decides=frozenset({"elect_leader", "remove_from_isr"}),
    hears=frozenset({"become_leader"}),
    acting=("follower", "leader"),
    actors=dict.fromkeys(CHANGES_OF_THE_ISR, "leader"),
    links=(Link("leader", "follower", only_news=True),),
)
