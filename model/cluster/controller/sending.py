"""How the controller's requests get into the channels to the brokers."""

from __future__ import annotations

from collections.abc import Iterable

from replicheck.model.cluster.cells.channels import (
    LeaderAndIsrRequest,
    PartitionMetadata,
    Request,
    StopReplicaRequest,
    UpdateMetadataRequest,
)
from replicheck.model.cluster.cells.controller.batch import Batch
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    PartitionId,
    ReplicaId,
)


@rule
def send_batch(
    cluster: Cluster, controller: BrokerId, context: ControllerContext, batch: Batch
) -> Cluster:
    """Send LeaderAndIsr, then UpdateMetadata, then StopReplica; none to the dead.

    Each is one request to a broker, with all partitions of the batch in it, and the
    replicas of each, which need not be all that are in the ISR.

    Rules: C-BATCH-1, C-BATCH-4, C-REASG-7, X-1.
    Source: AbstractControllerBrokerRequestBatch.sendRequestsToBrokers.
    """
    for broker in context.broker_ids:
        asked = tuple(
            entry.among(context.assignment_of(entry.partition))
            for to, entry in batch.leader_and_isr
            if to == broker
        )
        to = context.live[broker]
        if asked and to is not None:
            request = LeaderAndIsrRequest(_epoch_of(context), to, asked)
            cluster = _send(cluster, controller, broker, request)
    if batch.updates_metadata:
        said = dict(batch.metadata)
        partitions = tuple(
            said.get(partition) for partition in cluster.bounds.partition_ids
        )
        brokers = context.live_or_shutting_down
        cluster = send_metadata(cluster, controller, context, brokers, partitions)
    for broker in context.broker_ids:
        cluster = _send_stop(cluster, controller, context, broker, batch.deletion, True)
        kept = batch.stop_replica
        cluster = _send_stop(cluster, controller, context, broker, kept, False)
    return cluster


def _send_stop(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    broker: BrokerId,
    replicas: tuple[ReplicaId, ...],
    deletes: bool,
) -> Cluster:
    partitions = tuple(partition for of, partition in replicas if of == broker)
    if not partitions or context.live[broker] is None:
        return cluster
    stop = stop_request(cluster, context, broker, partitions, deletes)
    return _send(cluster, controller, broker, stop)


@rule
def stop_request(
    cluster: Cluster,
    context: ControllerContext,
    broker: BrokerId,
    partitions: tuple[PartitionId, ...],
    deletes: bool,
) -> StopReplicaRequest:
    """StopReplica request to a live broker; no leader epoch is in it.

    Rules: C-STOP-1.
    Source: AbstractControllerBrokerRequestBatch.sendStopReplicaRequests.
    """
    to = context.live[broker]
    assert to is not None, "nothing is sent to the dead"
    return StopReplicaRequest(_epoch_of(context), to, partitions, deletes)


def send_collected(
    cluster: Cluster, controller: BrokerId, context: ControllerContext
) -> Cluster:
    """Send what the event's state machine has collected over several steps.

    Rules: C-RSM-1, C-BATCH-1.
    Source: AbstractControllerBrokerRequestBatch.sendRequestsToBrokers.
    """
    cluster = send_batch(cluster, controller, context, cluster.batches[controller])
    return cluster.evolve(batches={controller: cluster.batches[controller].clear()})


@rule
def send_metadata(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    brokers: Iterable[BrokerId],
    partitions: tuple[PartitionMetadata | None, ...],
) -> Cluster:
    """Send UpdateMetadata to live brokers, if the bounds have metadata at all.

    Rules: C-UMR-1, C-UMR-2, X-1.
    Source: AbstractControllerBrokerRequestBatch.sendUpdateMetadataRequests.
    """
    if not cluster.bounds.metadata:
        return cluster
    for broker in sorted(brokers):
        to = context.live[broker]
        if to is not None:
            request = UpdateMetadataRequest(
                _epoch_of(context), to, context.live_or_shutting_down, partitions
            )
            cluster = _send(cluster, controller, broker, request)
    return cluster


def announce_live_brokers(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    brokers: Iterable[BrokerId],
) -> Cluster:
    """Tell brokers who is live, and nothing of any partition."""
    no_metadata = (None,) * len(cluster.bounds.partition_ids)
    return send_metadata(cluster, controller, context, brokers, no_metadata)


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
    """The live ones of some brokers with their epochs."""
    found = []
    for broker in brokers:
        epoch = epochs[broker]
        if epoch is not None:
            found.append((broker, epoch))
    return tuple(found)
