"""How the controller's requests get into the channels to the brokers."""

from __future__ import annotations

from collections.abc import Iterable

from replicheck.model.cluster.cells.context import ControllerContext
from replicheck.model.cluster.cells.messages import (
    Batch,
    LeaderAndIsrRequest,
    PartitionMetadata,
    Request,
    StopReplicaRequest,
    UpdateMetadataRequest,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, ControllerEpoch


def send_batch(
    cluster: Cluster, controller: BrokerId, context: ControllerContext, batch: Batch
) -> Cluster:
    """Send LeaderAndIsr, then UpdateMetadata, then StopReplica; none to the dead.

    Rules: C-BATCH-1, C-BATCH-4, X-1.
    Source: AbstractControllerBrokerRequestBatch.sendRequestsToBrokers.
    """
    for entry in batch.leader_and_isr:
        to = context.live[entry.broker]
        if to is not None:
            request = LeaderAndIsrRequest(
                _epoch_of(context), to, entry.content, entry.is_new
            )
            cluster = _send(cluster, controller, entry.broker, request)
    if batch.updates_metadata:
        everyone = context.live_brokers
        cluster = send_metadata(cluster, controller, context, everyone, batch.metadata)
    for broker in batch.stop_replica:
        to = context.live[broker]
        if to is not None:
            stop = StopReplicaRequest(_epoch_of(context), to)
            cluster = _send(cluster, controller, broker, stop)
    return cluster


def send_metadata(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    brokers: Iterable[BrokerId],
    partition: PartitionMetadata | None,
) -> Cluster:
    """Send UpdateMetadata to live brokers, if the bounds have metadata at all.

    Rules: C-UMR-1, C-UMR-2, X-1.  Source: sendUpdateMetadataRequests.
    """
    if not cluster.bounds.metadata:
        return cluster
    for broker in sorted(brokers):
        to = context.live[broker]
        if to is not None:
            request = UpdateMetadataRequest(
                _epoch_of(context), to, context.live_brokers, partition
            )
            cluster = _send(cluster, controller, broker, request)
    return cluster


def _send(
    cluster: Cluster, controller: BrokerId, broker: BrokerId, request: Request
) -> Cluster:
    channel = cluster.channels[controller][broker]
    return cluster.evolve(channels={(controller, broker): channel.append(request)})


def _epoch_of(context: ControllerContext) -> ControllerEpoch:
    assert context.epoch is not None, "only an active controller sends"
    return context.epoch


def epochs_of(
    brokers: Iterable[BrokerId], epochs: tuple[BrokerEpoch | None, ...]
) -> tuple[tuple[BrokerId, BrokerEpoch], ...]:
    """Return the live ones of some brokers with their epochs."""
    found = []
    for broker in brokers:
        epoch = epochs[broker]
        if epoch is not None:
            found.append((broker, epoch))
    return tuple(found)
