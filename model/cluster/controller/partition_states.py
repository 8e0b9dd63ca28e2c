"""The controller's partition state machine: initialisation and elections."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.context import (
    ControllerContext,
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.messages import Batch
from replicheck.model.cluster.cells.thread import (
    InitializePartition,
    ReadForElection,
    Task,
    WriteElection,
)
from replicheck.model.cluster.cells.znodes import LeaderAndIsr
from replicheck.model.cluster.controller.election import is_fenced, resign
from replicheck.model.cluster.controller.sending import send_batch
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, Epoch


def elections_due(context: ControllerContext) -> tuple[Task, ...]:
    """Return what is to be done for a partition in state New or Offline.

    Rules: C-PSM-4.  Source: PartitionStateMachine.triggerOnlinePartitionStateChange.
    """
    match context.partition:
        case PartitionState.NEW:
            return (InitializePartition(),)
        case PartitionState.OFFLINE:
            return (ReadForElection(),)
    return ()


def initialize_partition(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller stores the first leader and ISR: the replicas that are online.

    They, and no others, are told to create the replica. The new replicas then become
    online, whether that succeeded or not.

    Rules: C-PSM-2, C-TOPIC-1, C-TOPIC-2, C-NEW-1, C-NEW-3, C-RSM-3, Z-FENCE-1.
    Source: PartitionStateMachine.initializeLeaderAndIsrForPartitions.
    """
    yield from initialize(cluster, controller, is_new=True)


def initialize(
    cluster: Cluster, controller: BrokerId, is_new: bool
) -> Iterator[Cluster]:
    """Store the first leader and ISR, and tell those in it."""
    if not cluster.threads[controller].is_at(InitializePartition):
        return
    if is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    context = cluster.contexts[controller]
    online = context.online_replicas
    batch = Batch()
    if online and not cluster.partition_node.exists():
        epoch = cluster.controller_nodes.epoch
        isr = frozenset(online)
        content = LeaderAndIsr(online[0], Epoch(0), isr, epoch, version=0)
        cluster = cluster.evolve(partition_node=cluster.partition_node.write(content))
        context = context.with_info(content).with_partition(PartitionState.ONLINE)
        batch = batch.add_leader_and_isr(isr, content, is_new).add_update_metadata(
            context.metadata
        )
    for broker in context.broker_ids:
        if context.is_in(broker, ReplicaState.NEW):
            context = context.with_replica(broker, ReplicaState.ONLINE)
    cluster = send_batch(cluster, controller, context, batch)
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(())},
    )


def read_for_election(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller reads leader and ISR, and chooses the first that may lead.

    That is the first assigned replica which is online, as far as the controller knows,
    and in the ISR that was read. If there is none, nothing is written.

    Rules: C-PSM-3, C-ELECT-1, C-ELECT-7, C-FENCE-2.
    Source: PartitionStateMachine.doElectLeaderForPartitions,
    PartitionLeaderElectionAlgorithms.offlinePartitionLeaderElection.
    """
    if not cluster.threads[controller].is_at(ReadForElection):
        return
    context = cluster.contexts[controller]
    online = context.online_replicas
    yield choose_leader(cluster, controller, online)


def choose_leader(
    cluster: Cluster, controller: BrokerId, candidates: tuple[BrokerId, ...]
) -> Cluster:
    """Plan the write of the first candidate in the ISR, if there is one."""
    epoch = cluster.contexts[controller].epoch
    content = cluster.partition_node.content
    then: tuple[Task, ...] = ()
    if content is not None and epoch is not None and content.controller_epoch <= epoch:
        isr = [each for each in candidates if each in content.isr]
        if isr:
            chosen = content.decided(isr[0], frozenset(isr), epoch)
            then = (WriteElection(chosen),)
    return cluster.evolve(
        threads={controller: cluster.threads[controller].finish(then)}
    )


def write_election(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller stores the new leader, or reads again if the version is another.

    All online replicas are told, and no live broker with an offline one.

    Rules: C-PSM-3, C-ELECT-1, C-ELECT-6, Z-STATE-1, Z-STATE-2, Z-FENCE-1, C-BATCH-1.
    Source: PartitionStateMachine.doElectLeaderForPartitions.
    """
    if not cluster.threads[controller].is_at(WriteElection):
        return
    if is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, WriteElection)
    if not cluster.partition_node.has_version(task.content.version - 1):
        retry = cluster.threads[controller].finish((ReadForElection(),))
        yield cluster.evolve(threads={controller: retry})
        return
    yield store_election(cluster, controller, task.content)


def store_election(
    cluster: Cluster, controller: BrokerId, content: LeaderAndIsr
) -> Cluster:
    """Write the result of an election, cache it, and tell the online replicas."""
    context = (
        cluster.contexts[controller]
        .with_info(content)
        .with_partition(PartitionState.ONLINE)
    )
    batch = (
        Batch()
        .add_leader_and_isr(frozenset(context.online_replicas), content, False)
        .add_update_metadata(context.metadata)
    )
    cluster = cluster.evolve(
        partition_node=cluster.partition_node.write(content),
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(())},
    )
    return send_batch(cluster, controller, context, batch)
