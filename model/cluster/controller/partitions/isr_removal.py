"""How the controller takes a replica that went offline out of the ISR."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from replicheck.model.cluster.cells.channels import PartitionToLead
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.state_machines import ReplicaState
from replicheck.model.cluster.cells.controller.tasks import (
    ReadForIsrRemoval,
    Task,
    WriteIsrRemoval,
)
from replicheck.model.cluster.controller.controller_election import (
    fail_event,
    is_fenced,
)
from replicheck.model.cluster.controller.sending import send_collected
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import read_state, store_partition_state
from replicheck.model.rules import rule
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, ControllerEpoch, ReplicaId

Removal = Callable[[LeaderAndIsr, BrokerId, ControllerEpoch], LeaderAndIsr]


def read_for_isr_removal(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller reads the ISR that an offline replica is to leave.

    The replica's broker is to be stopped in any case. If the replica is in no ISR, what
    was read is cached, and the others are told; nothing is written.

    Abstraction: what was only read keeps its controller epoch; Kafka caches and sends
    it with the controller's own. Of a partition without leader and ISR no broker is
    told; Kafka sends who is live, as it does once more in the same event.

    Rules: C-RSM-4, C-ISR-1, C-FENCE-2.
    Source: ZkReplicaStateMachine.doRemoveReplicasFromIsr,
    ZkReplicaStateMachine.getTopicPartitionStatesFromZk.
    """
    yield from plan_isr_removal(cluster, controller, without)


def without(
    content: LeaderAndIsr, broker: BrokerId, epoch: ControllerEpoch
) -> LeaderAndIsr:
    """The ISR without a broker, which leads no more; the last one stays in it.

    Rules: C-ISR-1, C-ISR-2, Z-STATE-3.
    Source: ZkReplicaStateMachine.doRemoveReplicasFromIsr.
    """
    leader = None if content.leader == broker else content.leader
    isr = content.isr if len(content.isr) == 1 else content.isr - {broker}
    return content.decided(leader, isr, epoch)


@rule
def plan_isr_removal(
    cluster: Cluster, controller: BrokerId, removal: Removal
) -> Iterator[Cluster]:
    """Read, and plan the write that takes the first of some replicas out of the ISR."""
    if not cluster.threads[controller].is_at(ReadForIsrRemoval):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, ReadForIsrRemoval)
    context = cluster.contexts[controller]
    broker, partition = task.replicas[0]
    if not context.may_become(broker, partition, ReplicaState.OFFLINE):
        yield go_on(cluster, controller, task.replicas, context)
        return
    batch = cluster.batches[controller].add_stop_replica(broker, partition)
    cluster = cluster.evolve(batches={controller: batch})
    if context.info_of(partition) is None:
        context = context.with_replica(broker, partition, ReplicaState.OFFLINE)
        yield go_on(cluster, controller, task.replicas, context)
        return
    cluster = read_state(cluster, controller, partition)
    epoch = context.epoch
    content = cluster.partition_nodes[partition].content
    if content is None or epoch is None or content.controller_epoch > epoch:
        yield go_on(cluster, controller, task.replicas, context)
    elif broker not in content.isr:
        yield _tell_others(cluster, controller, task.replicas, content)
    else:
        write = WriteIsrRemoval(task.replicas, removal(content, broker, epoch))
        threads = {controller: cluster.threads[controller].finish((write,))}
        yield cluster.evolve(threads=threads)


def write_isr_removal(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller stores the ISR without the replica, or reads again.

    Rules: C-ISR-1, C-ISR-2, Z-STATE-1, Z-STATE-2, Z-FENCE-1.
    Source: ZkReplicaStateMachine.doRemoveReplicasFromIsr,
    ZkReplicaStateMachine.removeReplicasFromIsr.
    """
    if not cluster.threads[controller].is_at(WriteIsrRemoval):
        return
    if is_fenced(cluster, controller):
        yield fail_event(cluster, controller)
        return
    task = cluster.threads[controller].task
    assert isinstance(task, WriteIsrRemoval)
    _broker, partition = task.replicas[0]
    node = cluster.partition_nodes[partition]
    if not node.has_version(task.content.version - 1):
        again = (ReadForIsrRemoval(task.replicas),)
        threads = {controller: cluster.threads[controller].finish(again)}
        yield cluster.evolve(threads=threads)
        return
    cluster = store_partition_state(cluster, partition, task.content)
    yield _tell_others(cluster, controller, task.replicas, task.content)


def _tell_others(
    cluster: Cluster,
    controller: BrokerId,
    replicas: tuple[ReplicaId, ...],
    content: LeaderAndIsr,
) -> Cluster:
    """Cache leader and ISR, make the replica offline, and tell all other replicas.

    No broker is told of a topic that is being deleted.

    Rules: C-RSM-4, C-UMR-2.
    Source: ZkReplicaStateMachine.doHandleStateChanges (OfflineReplica).
    """
    broker, partition = replicas[0]
    context = (
        cluster.contexts[controller]
        .with_info(partition, content)
        .with_replica(broker, partition, ReplicaState.OFFLINE)
    )
    assignment = context.assignment_of(partition)
    told = others_to_tell(cluster, assignment, broker, content)
    if not context.is_queued(partition):
        batch = (
            cluster.batches[controller]
            .add_leader_and_isr(told, PartitionToLead(partition, content))
            .add_update_metadata(partition, context.metadata_of(partition))
        )
        cluster = cluster.evolve(batches={controller: batch})
    return go_on(cluster, controller, replicas, context)


@rule
def others_to_tell(
    cluster: Cluster,
    assignment: tuple[BrokerId, ...],
    broker: BrokerId,
    content: LeaderAndIsr,
) -> tuple[BrokerId, ...]:
    """Brokers that the controller tells that a replica left: all others.

    Rules: C-RSM-4.  Source: ZkReplicaStateMachine.doHandleStateChanges.
    """
    return tuple(member for member in assignment if member != broker)


def go_on(
    cluster: Cluster,
    controller: BrokerId,
    replicas: tuple[ReplicaId, ...],
    context: ControllerContext,
) -> Cluster:
    """Go on with the next replica, or send the batch of all.

    Rules: C-RSM-1.  Source: ReplicaStateMachine.handleStateChanges.
    """
    remaining = replicas[1:]
    then: tuple[Task, ...] = (ReadForIsrRemoval(remaining),) if remaining else ()
    cluster = cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].finish(then)},
    )
    if remaining:
        return cluster
    return send_collected(cluster, controller, context)
