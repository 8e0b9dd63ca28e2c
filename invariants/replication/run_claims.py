"""What fair runs of the abstract partition do in the end: followers that come along.

The controller may stop deciding at any time, and it alone brings epochs.
"""

from __future__ import annotations

from replicheck.model.modelling.run_claims import leads_to
from replicheck.model.replication.state import AbstractCluster
from replicheck.model.vocabulary import BrokerId


def leader_has_uncommitted_records(cluster: AbstractCluster, leader: BrokerId) -> bool:
    """The leader of the partition knows that it leads, and has not committed all."""
    if not cluster.is_true_leader(leader):
        return False
    committed = cluster.replicas[leader].high_watermark
    return cluster.logs[leader].end_offset > committed


def leader_commits_or_is_deposed(cluster: AbstractCluster, leader: BrokerId) -> bool:
    """All is committed, or another epoch has begun."""
    return not leader_has_uncommitted_records(cluster, leader)


def replica_is_in_past_epoch(cluster: AbstractCluster, replica: BrokerId) -> bool:
    """The partition has a leader, in an epoch that a replica is not in."""
    if cluster.partition_state.leader is None:
        return False
    return cluster.replicas[replica].epoch != cluster.partition_state.epoch


def replica_obeys_or_leader_is_gone(
    cluster: AbstractCluster, replica: BrokerId
) -> bool:
    """The replica is in the epoch, or the partition has no leader."""
    return not replica_is_in_past_epoch(cluster, replica)


RUN_CLAIMS = (
    leads_to(leader_has_uncommitted_records, leader_commits_or_is_deposed),
    leads_to(replica_is_in_past_epoch, replica_obeys_or_leader_is_gone),
)
