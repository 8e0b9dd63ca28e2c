"""The controller's replica state machine, and what follows from an offline replica."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

from replicheck.model.cluster.cells.context import (
    ControllerContext,
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.messages import Batch
from replicheck.model.cluster.cells.thread import (
    AnnounceBrokers,
    ReadForIsrRemoval,
    Task,
)
from replicheck.model.cluster.controller.partition_states import elections_due
from replicheck.model.cluster.controller.sending import send_batch, send_metadata
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId


def to_online(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    brokers: Iterable[BrokerId],
    is_new: bool = False,
) -> Cluster:
    """Make replicas online, and tell their brokers what is cached, epoch unchanged.

    A replica that was new is told nothing, and one whose transition would be illegal is
    left alone. A replica that is known to be on an offline directory is online, too.

    Rules: C-RSM-0, C-RSM-1, C-RSM-3, C-LDE-3, C-NEW-1.
    Source: ReplicaStateMachine.doHandleStateChanges (OnlineReplica).
    """
    batch = Batch()
    for broker in brokers:
        if not context.may_become(broker, ReplicaState.ONLINE):
            continue
        was_new = context.is_in(broker, ReplicaState.NEW)
        if context.info is not None and not was_new:
            batch = batch.add_leader_and_isr(
                frozenset({broker}), context.info, is_new
            ).add_update_metadata(context.metadata)
        context = context.with_replica(broker, ReplicaState.ONLINE)
    cluster = cluster.evolve(contexts={controller: context})
    return send_batch(cluster, controller, context, batch)


def replicas_become_offline(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    brokers: frozenset[BrokerId],
) -> Iterator[tuple[ControllerContext, tuple[Task, ...]]]:
    """First elect where the leader is not online, then take replicas out of the ISR.

    The order among several replicas is that of a hash map, so any.

    Rules: C-OFF-1, C-PSM-4, C-ISR-3.  Source: KafkaController.onReplicasBecomeOffline.
    """
    lost_leader = context.lacks_online_leader()
    if lost_leader:
        context = context.with_partition(PartitionState.OFFLINE)
    announce: tuple[Task, ...] = ()
    if cluster.bounds.metadata and not lost_leader:
        announce = (AnnounceBrokers(),)
    if not context.has_topic:
        yield context, announce
        return
    for order in permutations(sorted(brokers)):
        removal = ReadForIsrRemoval(order)
        yield context, (*elections_due(context), removal, *announce)


def announce_brokers(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller tells all live brokers who is live, and nothing of the partition.

    Rules: C-OFF-1.  Source: KafkaController.sendUpdateMetadataRequest.
    """
    if not cluster.threads[controller].is_at(AnnounceBrokers):
        return
    context = cluster.contexts[controller]
    cluster = send_metadata(
        cluster, controller, context, context.live_brokers, partition=None
    )
    threads = {controller: cluster.threads[controller].finish(())}
    yield cluster.evolve(threads=threads)
