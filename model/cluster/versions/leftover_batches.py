"""Kafka 2.5.1, where a half-filled batch outlives its controller's term (KAFKA-12315).

It is the replica state machine's, as far as that takes replicas out of the ISR and
makes others online: with one partition no batch of the partition state machine is left
over, and what creates, moves and deletes topics goes on here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from replicheck.model.cluster.cells.channels import Ask, PartitionToLead
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.tasks import (
    ReadForIsrRemoval,
    WriteIsrRemoval,
)
from replicheck.model.cluster.controller import controller_election
from replicheck.model.cluster.controller.partitions import isr_removal, replica_states
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, ReplicaId


def resign_with_leftovers(cluster: Cluster, controller: BrokerId) -> Cluster:
    """Resign; what was collected when a removal was fenced stays in the batch.

    Rules: C-BATCH-3, C-FENCE-1.
    Source: ZkReplicaStateMachine.handleStateChanges,
    KafkaController.onControllerResignation.
    """
    batch = cluster.batches[controller]
    after = original(controller_election.resign)(cluster, controller)
    is_fenced = cluster.threads[controller].is_at(WriteIsrRemoval)
    if batch.is_left_over or (is_fenced and not batch.is_empty()):
        return after.evolve(batches={controller: batch.leave()})
    return after


def to_online_unless_left_over(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    replicas: Iterable[ReplicaId],
    ask: Ask = PartitionToLead,
) -> Cluster:
    """Nothing becomes online, and no broker is told, where a batch is left over.

    Rules: C-BATCH-3.  Source: AbstractControllerBrokerRequestBatch.newBatch.
    """
    if cluster.batches[controller].is_left_over:
        return cluster.evolve(contexts={controller: context})
    make_online = original(replica_states.to_online)
    return make_online(cluster, controller, context, replicas, ask)


def remove_unless_left_over(
    cluster: Cluster, controller: BrokerId, removal: isr_removal.Removal
) -> Iterator[Cluster]:
    """No member leaves an ISR where a batch is left over.

    Rules: C-BATCH-3.  Source: AbstractControllerBrokerRequestBatch.newBatch.
    """
    if not cluster.batches[controller].is_left_over:
        plan = original(isr_removal.plan_isr_removal)
        yield from plan(cluster, controller, removal)
        return
    if cluster.threads[controller].is_at(ReadForIsrRemoval):
        threads = {controller: cluster.threads[controller].finish(())}
        yield cluster.evolve(threads=threads)


LEFTOVER_BATCHES = (
    KAFKA_2_5.replacing(controller_election.resign, by=resign_with_leftovers)
    .replacing(replica_states.to_online, by=to_online_unless_left_over)
    .replacing(isr_removal.plan_isr_removal, by=remove_unless_left_over)
    .named("kafka-2.5.1-with-leftover-batches")
)
