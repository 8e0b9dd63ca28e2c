"""The describer of the cluster in KRaft mode."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from replicheck.invariants.describers.log_strips import (
    LogPlace,
    LogStrip,
    on_failed_disk,
    strip,
)
from replicheck.invariants.describers.model_describer import (
    MessageInFlight,
    ModelDescriber,
    documents_of,
    faults_left,
)
from replicheck.model.kraft.cells.alter_partition import AlterPartitionChannel
from replicheck.model.kraft.mutations import MUTATIONS
from replicheck.model.kraft.protocols import PROTOCOLS
from replicheck.model.kraft.releases import RELEASES
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.vocabulary import BrokerId, Epoch, Offset


def _brokers(cluster: KraftCluster) -> Sequence[BrokerId]:
    return cluster.bounds.broker_ids


@frozen
class _Belief:
    """What a broker believes of the partition, as strips of logs show it."""

    leader: BrokerId | None
    epoch: Epoch | None
    isr: frozenset[BrokerId]
    high_watermark: Offset


def _logs(cluster: KraftCluster) -> tuple[LogStrip, ...]:
    return tuple(_log(cluster, broker) for broker in cluster.bounds.broker_ids)


def _log(cluster: KraftCluster, broker: BrokerId) -> LogStrip:
    records, belief = cluster.logs[broker].records, _belief(cluster, broker)
    found = strip(LogPlace(broker), records, belief, cluster.stored)
    is_lost = cluster.disks[broker].has_lost_log()
    return on_failed_disk(found, "disk failed") if is_lost else found


def _belief(cluster: KraftCluster, broker: BrokerId) -> _Belief:
    partition = cluster.partitions[broker]
    return _Belief(
        partition.leader,
        partition.leader_epoch,
        partition.isr,
        partition.high_watermark,
    )


def in_flight(cluster: KraftCluster) -> tuple[MessageInFlight, ...]:
    """Requests of leaders for another ISR, and the controller's answers."""
    return tuple(
        _alter_partition(f"broker {broker}", channel)
        for broker, channel in enumerate(cluster.channels)
        if not channel.is_free()
    )


def _alter_partition(leader: str, channel: AlterPartitionChannel) -> MessageInFlight:
    if channel.awaits_controller():
        return MessageInFlight(leader, "controller", "AlterPartition request")
    return MessageInFlight("controller", leader, "AlterPartition response")


DESCRIBER = ModelDescriber(
    store="controller",
    stored=frozenset(
        {
            "elr_index",
            "has_elr",
            "metadata",
            "min_isr",
            "registrations",
            "sessions",
            "shutdown_offsets",
            "stored",
        }
    ),
    strips=_logs,
    acting=("broker", "follower", "leader"),
    noun="broker",
    in_flight=in_flight,
    participants=_brokers,
    documents=documents_of([*MUTATIONS, *PROTOCOLS, *RELEASES]),
    left=faults_left,
    budgets=faults_left,
    owner={
        "acknowledged": None,
        "next_record": None,
        "asked_replicas": None,
        "appended": None,
        "behind_no_op": None,
    },
    decides=frozenset(
        {
            "cancel_reassignment",
            "change_min_isr",
            "create_topic",
            "delete_topic",
            "reassign_partition",
            "switch_elr_off",
            "commit_metadata",
            "elect_preferred_leader",
            "elect_unclean_leader",
            "end_controlled_shutdown",
            "append_no_op_record",
            "fail_over_controller",
            "fence_broker",
            "fence_stale_broker",
            "handle_alter_partition",
            "assign_replica_to_directory",
            "handle_assignment",
            "refresh_registration",
            "register_broker",
            "report_offline_directories",
            "unfence_broker",
            "unregister_broker",
        }
    ),
    actors={"expand_isr": "leader"},
)
