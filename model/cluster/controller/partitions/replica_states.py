"""The controller's replica state machine, and what follows from an offline replica."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

from replicheck.model.cluster.cells.channels import Ask, PartitionToLead
from replicheck.model.cluster.cells.controller.batch import Batch
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.deletion_tasks import SettleReplicas
from replicheck.model.cluster.cells.controller.state_machines import (
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.controller.tasks import (
    AnnounceBrokers,
    ReadForIsrRemoval,
    Task,
)
from replicheck.model.cluster.controller.partitions.partition_states import (
    elections_due,
)
from replicheck.model.cluster.controller.sending import (
    announce_live_brokers,
    send_batch,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, PartitionId, ReplicaId


@rule
def to_online(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    replicas: Iterable[ReplicaId],
    ask: Ask = PartitionToLead,
) -> Cluster:
    """Make replicas online, and tell their brokers what is cached, epoch unchanged.

    A replica that was new is told nothing, and one whose transition would be illegal is
    left alone. A replica that is known to be on an offline directory is online, too.

    Rules: C-RSM-0, C-RSM-1, C-RSM-3, C-LDE-3, C-NEW-1.
    Source: ZkReplicaStateMachine.doHandleStateChanges (OnlineReplica).
    """
    batch = Batch()
    for broker, partition in replicas:
        if not context.may_become(broker, partition, ReplicaState.ONLINE):
            continue
        was_new = context.is_in(broker, partition, ReplicaState.NEW)
        info = context.info_of(partition)
        if info is not None and not was_new:
            batch = batch.add_leader_and_isr(
                (broker,), ask(partition, info)
            ).add_update_metadata(partition, context.metadata_of(partition))
        context = context.with_replica(broker, partition, ReplicaState.ONLINE)
    cluster = cluster.evolve(contexts={controller: context})
    return send_batch(cluster, controller, context, batch)


@rule
def forget_directories(
    cluster: Cluster, context: ControllerContext, brokers: frozenset[BrokerId]
) -> ControllerContext:
    """The controller's memory after brokers came or went.

    Nothing is known any more of their directories.

    Rules: C-CTX-2, C-BRK-2, C-BRK-3.
    Source: KafkaController.onBrokerStartup, KafkaController.onBrokerFailure.
    """
    return context.forget_directories(brokers)


@rule
def replicas_become_offline(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    replicas: tuple[ReplicaId, ...],
) -> Iterator[tuple[ControllerContext, tuple[Task, ...]]]:
    """First elect where a leader is not online, then take replicas out of the ISRs.

    Elected is for every partition of the cluster. The order among several brokers is
    that of a hash map, so any. Replicas of topics that are being deleted are only
    noted.

    Rules: C-OFF-1, C-PSM-4, C-ISR-3.  Source: KafkaController.onReplicasBecomeOffline.
    """
    leaderless = [
        partition
        for partition in context.partition_ids
        if context.lacks_online_leader(partition) and not context.is_queued(partition)
    ]
    for partition in leaderless:
        context = context.with_partition(partition, PartitionState.OFFLINE)
    announce: tuple[Task, ...] = ()
    if announces_brokers(cluster, context, tuple(leaderless), replicas):
        announce = (AnnounceBrokers(),)
    queued = tuple(replica for replica in replicas if context.is_queued(replica[1]))
    failed: tuple[Task, ...] = ()
    if queued:
        failed = (SettleReplicas(queued, ReplicaState.INELIGIBLE),)
    kept = tuple(replica for replica in replicas if replica not in queued)
    for removal in isr_removals(kept):
        yield context, (*elections_due(context), *removal, *failed, *announce)


@rule
def announces_brokers(
    cluster: Cluster,
    context: ControllerContext,
    leaderless: tuple[PartitionId, ...],
    replicas: tuple[ReplicaId, ...],
) -> bool:
    """Tell whether all brokers are told who is live, once replicas are offline.

    Rules: C-OFF-1.  Source: KafkaController.onReplicasBecomeOffline.
    """
    return cluster.bounds.metadata > 0 and not leaderless


def isr_removals(replicas: tuple[ReplicaId, ...]) -> Iterator[tuple[Task, ...]]:
    """Yield the removal of replicas, broker by broker, in every order.

    Rules: C-RSM-1, C-ISR-3.  Source: ReplicaStateMachine.handleStateChanges.
    """
    brokers = sorted({broker for broker, _ in replicas})
    for order in permutations(brokers):
        ordered = tuple(sorted(replicas, key=lambda replica: order.index(replica[0])))
        yield (ReadForIsrRemoval(ordered),) if ordered else ()


def announce_brokers(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller tells all live brokers who is live, and nothing of partitions.

    Rules: C-OFF-1.  Source: KafkaController.sendUpdateMetadataRequest.
    """
    if not cluster.threads[controller].is_at(AnnounceBrokers):
        return
    context = cluster.contexts[controller]
    cluster = announce_live_brokers(
        cluster, controller, context, context.live_or_shutting_down
    )
    threads = {controller: cluster.threads[controller].finish(())}
    yield cluster.evolve(threads=threads)
