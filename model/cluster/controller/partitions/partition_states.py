"""The controller's partition state machine: initialisation and elections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.cells.channels import Ask, PartitionToLead, to_create
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.events import Strategy
from replicheck.model.cluster.cells.controller.state_machines import (
    PartitionState,
    ReplicaState,
)
from replicheck.model.cluster.cells.controller.tasks import (
    InitializePartition,
    ReadForElection,
    Task,
    WriteElection,
)
from replicheck.model.cluster.controller.controller_election import (
    fail_event,
    is_fenced,
    resign,
)
from replicheck.model.cluster.controller.partitions.election_algorithms import (
    ALGORITHMS,
    Algorithm,
)
from replicheck.model.cluster.controller.sending import send_collected
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import read_state, store_partition_state
from replicheck.model.rules import rule
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId


def elections_due(context: ControllerContext) -> tuple[Task, ...]:
    """Tasks for all partitions in state New or Offline.

    Partitions of topics that are being deleted are left alone.

    Rules: C-PSM-4.  Source: PartitionStateMachine.triggerOnlinePartitionStateChange.
    """
    states = {
        partition: context.partitions[partition].state
        for partition in context.partition_ids
        if not context.is_queued(partition)
    }
    new = [
        partition for partition, state in states.items() if state is PartitionState.NEW
    ]
    offline = [
        partition for partition, at in states.items() if at is PartitionState.OFFLINE
    ]
    last = [*new, *offline][-1:]
    return (
        *(InitializePartition(partition, [partition] == last) for partition in new),
        *(ReadForElection(partition, [partition] == last) for partition in offline),
    )


def initialize_partition(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller stores the first leader and ISR: the replicas that are online.

    They, and no others, are told to create the replica. The new replicas then become
    online, whether that succeeded or not.

    Rules: C-PSM-2, C-TOPIC-1, C-TOPIC-2, C-NEW-1, C-NEW-3, C-RSM-3, Z-FENCE-1.
    Source: ZkPartitionStateMachine.initializeLeaderAndIsrForPartitions.
    """
    yield from initialize(cluster, controller, to_create)


def initialize(cluster: Cluster, controller: BrokerId, ask: Ask) -> Iterator[Cluster]:
    """Store the first leader and ISR, and tell those in it."""
    if not cluster.threads[controller].is_at(InitializePartition):
        return
    if is_fenced(cluster, controller):
        yield resign(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, InitializePartition)
    partition = task.partition
    context = cluster.contexts[controller]
    online = context.online_replicas(partition)
    content = first_leader_and_isr(cluster, controller, partition)
    if content is not None and not cluster.partition_nodes[partition].exists():
        cluster = store_partition_state(cluster, partition, content)
        context = context.with_info(partition, content)
        context = context.with_partition(partition, PartitionState.ONLINE)
        cluster = collect(cluster, controller, context, partition, online, ask)
    for broker in context.assignment_of(partition):
        if context.is_in(broker, partition, ReplicaState.NEW):
            context = context.with_replica(broker, partition, ReplicaState.ONLINE)
    yield go_on(cluster, controller, context, task.is_last)


def first_leader_and_isr(
    cluster: Cluster, controller: BrokerId, partition: PartitionId
) -> LeaderAndIsr | None:
    """The first leader and ISR of a partition, if any replica is online.

    Rules: C-PSM-2.
    Source: ZkPartitionStateMachine.initializeLeaderAndIsrForPartitions.
    """
    online = cluster.contexts[controller].online_replicas(partition)
    if not online:
        return None
    epoch = cluster.controller_nodes.epoch
    return LeaderAndIsr(online[0], Epoch(0), frozenset(online), epoch, version=0)


@rule
def collect(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    partition: PartitionId,
    brokers: tuple[BrokerId, ...],
    ask: Ask = PartitionToLead,
) -> Cluster:
    """Put into the batch what was decided of a partition."""
    info = context.info_of(partition)
    assert info is not None, "it was decided"
    batch = (
        cluster.batches[controller]
        .add_leader_and_isr(brokers, ask(partition, info))
        .add_update_metadata(partition, context.metadata_of(partition))
    )
    return cluster.evolve(batches={controller: batch})


def go_on(
    cluster: Cluster, controller: BrokerId, context: ControllerContext, is_last: bool
) -> Cluster:
    """Finish the task, and send the batch if it was the last of the state machine's.

    Rules: C-BATCH-1.  Source: PartitionStateMachine.handleStateChanges.
    """
    cluster = cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(())},
    )
    return send_collected(cluster, controller, context) if is_last else cluster


def read_for_election(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller reads leader and ISR, and chooses who is to lead.

    If there is none, nothing is written.

    Rules: C-PSM-3, C-FENCE-2.
    Source: ZkPartitionStateMachine.doElectLeaderForPartitions.
    """
    yield from plan_election(cluster, controller, ALGORITHMS)


def plan_election(
    cluster: Cluster, controller: BrokerId, algorithms: Mapping[Strategy, Algorithm]
) -> Iterator[Cluster]:
    """Read leader and ISR, and plan the write of whom the strategy's algorithm elects.

    The topic's setting for unclean elections is read in the same step.
    """
    if not cluster.threads[controller].is_at(ReadForElection):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, ReadForElection)
    cluster = read_state(cluster, controller, task.partition)
    context = cluster.contexts[controller]
    epoch = context.epoch
    content = cluster.partition_nodes[task.partition].content
    if content is not None and epoch is not None and content.controller_epoch <= epoch:
        algorithm = algorithms[in_effect(task.strategy, cluster.bounds)]
        elected = algorithm(context, task.partition, content)
        if elected is not None:
            chosen = content.decided(elected.leader, elected.isr, epoch)
            write = WriteElection(task, chosen, elected.told)
            then = cluster.threads[controller].finish((write,))
            yield cluster.evolve(threads={controller: then})
            return
    yield go_on(cluster, controller, context, task.is_last)


def in_effect(strategy: Strategy, bounds: Bounds) -> Strategy:
    """The strategy in effect, as topics have unclean elections enabled or not.

    Rules: C-ELECT-2.
    Source: ZkPartitionStateMachine.collectUncleanLeaderElectionState.
    """
    if strategy is Strategy.OFFLINE and bounds.unclean_leader_election:
        return Strategy.UNCLEAN
    return strategy


def write_election(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller stores the new leader, or reads again if the version is another.

    Rules: C-PSM-3, C-ELECT-6, Z-STATE-1, Z-STATE-2, Z-FENCE-1, C-BATCH-1.
    Source: ZkPartitionStateMachine.doElectLeaderForPartitions,
    ZkPartitionStateMachine.electLeaderForPartitions.
    """
    if not cluster.threads[controller].is_at(WriteElection):
        return
    if is_fenced(cluster, controller):
        yield fail_event(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, WriteElection)
    node = cluster.partition_nodes[task.reading.partition]
    if not node.has_version(task.content.version - 1):
        retry = cluster.threads[controller].finish((task.reading,))
        yield cluster.evolve(threads={controller: retry})
        return
    yield store_election(cluster, controller, task)


def store_election(
    cluster: Cluster, controller: BrokerId, task: WriteElection
) -> Cluster:
    """Write the result of an election, cache it, and tell the brokers concerned."""
    partition = task.reading.partition
    cluster = store_partition_state(cluster, partition, task.content)
    context = (
        cluster.contexts[controller]
        .with_info(partition, task.content)
        .with_partition(partition, PartitionState.ONLINE)
    )
    cluster = collect(cluster, controller, context, partition, task.told)
    return go_on(cluster, controller, context, task.reading.is_last)
