"""The controller's side of AlterPartition: each request is judged and answered.

Source: ReplicationControlManager.alterPartition.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.cells.alter_partition import (
    AlterPartitionError,
    AlterPartitionRequest,
)
from replicheck.model.kraft.controller.change_targets import PartitionChange
from replicheck.model.kraft.controller.events import kind_allowed, write
from replicheck.model.kraft.controller.partition_change import build
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId


def handle_alter_partition(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """The controller answers a request, and stores the ISR if nothing is against it.

    A leader whose request has completed a reassignment without it is told so.

    Rules: KR-AP-1, KR-AP-3, KR-AP-4.  Source: ReplicationControlManager.alterPartition.
    """
    channel = cluster.channels[broker]
    request = channel.request
    if request is None or not channel.awaits_controller():
        return
    error = verdict(cluster, broker, request)
    if error is not None:
        answered = channel.reply(error, _answer_offset(cluster, error))
        yield cluster.evolve(channels={broker: answered})
        return
    change = PartitionChange(
        isr=request.isr,
        acceptable=cluster.acceptable(),
        kind=kind_allowed(cluster),
        ends_recovery=True,
    )
    partition = build(cluster, change)
    if partition == cluster.stored:
        answered = channel.reply(partition, cluster.metadata.end)
        yield cluster.evolve(channels={broker: answered})
        return
    if partition.leader != broker:
        answered = channel.reply(
            AlterPartitionError.NEW_LEADER_ELECTED, cluster.metadata.end + 1
        )
    else:
        answered = channel.reply(partition, cluster.metadata.end + 1)
    after = cluster.evolve(stored=partition, channels={broker: answered})
    yield from write(cluster, after)


def _answer_offset(cluster: KraftCluster, error: AlterPartitionError) -> int:
    """An error of the whole request is answered at once, others after the commit."""
    if error is AlterPartitionError.STALE_BROKER_EPOCH:
        return 0
    return cluster.metadata.end


@rule
def verdict(
    cluster: KraftCluster, broker: BrokerId, request: AlterPartitionRequest
) -> AlterPartitionError | None:
    """The first error of a request, in the order of the controller's checks.

    Rules: KR-AP-1, KR-AP-2.
    Source: ReplicationControlManager.validateAlterPartitionData.
    """
    stored = cluster.stored
    if not cluster.is_registered(broker, request.broker_epoch):
        return AlterPartitionError.STALE_BROKER_EPOCH
    if not stored.is_of(request.topic_id) or not stored.replicas:
        return AlterPartitionError.UNKNOWN_TOPIC_ID
    if is_ahead(cluster, request):
        return AlterPartitionError.NOT_CONTROLLER
    if request.leader_epoch < stored.leader_epoch:
        return AlterPartitionError.FENCED_LEADER_EPOCH
    if stored.leader != broker:
        return AlterPartitionError.INVALID_REQUEST
    if request.partition_epoch < stored.partition_epoch:
        return AlterPartitionError.INVALID_UPDATE_VERSION
    if broker not in request.isr or not request.isr <= frozenset(stored.replicas):
        return AlterPartitionError.INVALID_REQUEST
    if ineligible(cluster, request):
        return AlterPartitionError.INELIGIBLE_REPLICA
    return None


def is_ahead(cluster: KraftCluster, request: AlterPartitionRequest) -> bool:
    """Tell whether a leader knows more than the controller.

    Rules: KR-AP-2.
    Source: ReplicationControlManager.validateAlterPartitionData.
    """
    stored = cluster.stored
    return (
        request.leader_epoch > stored.leader_epoch
        or request.partition_epoch > stored.partition_epoch
    )


@rule
def ineligible(
    cluster: KraftCluster, request: AlterPartitionRequest
) -> frozenset[BrokerId]:
    """The proposed members that are not active, or of another broker epoch.

    Rules: KR-AP-2.
    Source: ReplicationControlManager.ineligibleReplicasForIsr.
    """
    of_other_process = frozenset(
        member
        for member, epoch in request.member_epochs
        if epoch is not None and not cluster.is_registered(member, epoch)
    )
    return (request.isr - cluster.active()) | of_other_process
