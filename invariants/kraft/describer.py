"""The describer of the cluster in KRaft mode."""

from __future__ import annotations

from collections.abc import Sequence

from replicheck.invariants.describers.model_describer import (
    ModelDescriber,
    documents_of,
    faults_left,
)
from replicheck.model.kraft.protocols import PROTOCOLS
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.vocabulary import BrokerId


def _brokers(cluster: KraftCluster) -> Sequence[BrokerId]:
    return cluster.bounds.broker_ids


DESCRIBER = ModelDescriber(
    store="controller",
    stored=frozenset({"metadata", "shutdown_offsets"}),
    acting=("broker", "follower", "leader"),
    noun="broker",
    participants=_brokers,
    documents=documents_of(PROTOCOLS),
    left=faults_left,
    budgets=faults_left,
    owner={"acknowledged": None, "next_record": None},
    decides=frozenset(
        {
            "change_min_isr",
            "commit_metadata",
            "elect_preferred_leader",
            "elect_unclean_leader",
            "end_controlled_shutdown",
            "fail_over_controller",
            "fence_broker",
            "handle_alter_partition",
            "register_broker",
            "unfence_broker",
        }
    ),
    actors={"expand_isr": "leader"},
)
