"""What the controller does at the request of an administrator or a broker."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.batch import Batch
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.events import (
    ControlledShutdown,
    ReplicaLeaderElection,
    Strategy,
)
from replicheck.model.cluster.cells.controller.tasks import (
    ReadForElection,
    ReadForIsrRemoval,
    StopReplicas,
    Task,
)
from replicheck.model.cluster.controller.controller_election import may_handle
from replicheck.model.cluster.controller.sending import send_batch
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, PartitionId, ReplicaId


def handle_election_request(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The controller elects where that is asked for and makes sense.

    A preferred replica is not elected where it leads already; an unclean election takes
    place only where the leader is none or not live.

    Rules: C-ELECT-2, C-ELECT-4.
    Source: KafkaController.processReplicaLeaderElection,
    KafkaController.onReplicaElection.
    """
    if not may_handle(cluster, controller, ReplicaLeaderElection):
        return
    event = cluster.event_queues[controller].head
    assert isinstance(event, ReplicaLeaderElection)
    context = cluster.contexts[controller]
    then: tuple[Task, ...] = ()
    if makes_sense(context, event.partition, event.strategy):
        then = (ReadForElection(event.partition, True, event.strategy),)
    yield cluster.evolve(
        event_queues={controller: cluster.event_queues[controller].pop()},
        threads={controller: cluster.threads[controller].begin(then)},
    )


def makes_sense(
    context: ControllerContext, partition: PartitionId, strategy: Strategy
) -> bool:
    """Tell whether an election that is asked for may change who leads.

    Rules: C-ELECT-2, C-ELECT-4.
    Source: KafkaController.processReplicaLeaderElection.
    """
    info = context.info_of(partition)
    if info is None or context.is_queued(partition):
        return False
    if strategy is Strategy.PREFERRED:
        return info.leader != context.assignment_of(partition)[0]
    return info.leader is None or not context.is_live(info.leader)


def handle_controlled_shutdown(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The controller moves leadership away from a broker that is about to stop.

    It elects for what the broker leads, then stops what it follows, and takes that for
    offline. A request of a process before is refused.

    Abstraction: the broker does not wait for the answer for ever, so that there is no
    answer here. A write that is fenced would be an answer, too; a deposed controller
    does not resign by it.

    Rules: C-CSD-1, C-CTX-4, C-FENCE-1.
    Source: KafkaController.processControlledShutdown,
    KafkaController.doControlledShutdown.
    """
    if not may_handle(cluster, controller, ControlledShutdown):
        return
    event = cluster.event_queues[controller].head
    assert isinstance(event, ControlledShutdown)
    queues = {controller: cluster.event_queues[controller].pop()}
    cluster = cluster.evolve(event_queues=queues)
    context = cluster.contexts[controller]
    if is_outdated(cluster, controller, event.broker, event.epoch):
        yield cluster
        return
    context = context.shut_down(event.broker)
    then = hand_over(context, event.broker)
    yield cluster.evolve(
        contexts={controller: context},
        threads={controller: cluster.threads[controller].begin_request(then)},
    )


@rule
def is_outdated(
    cluster: Cluster, controller: BrokerId, broker: BrokerId, epoch: BrokerEpoch
) -> bool:
    """Tell whether a broker that shuts down is unknown, or known in a newer epoch.

    Rules: C-CSD-1.  Source: KafkaController.doControlledShutdown.
    """
    known = cluster.contexts[controller].live[broker]
    return known is None or epoch < known


def hand_over(context: ControllerContext, broker: BrokerId) -> tuple[Task, ...]:
    """Tasks for each replica of a broker that shuts down.

    A partition without another replica is left alone.

    Rules: C-CSD-1.  Source: KafkaController.doControlledShutdown.
    """
    replicas = [
        partition
        for _, partition in context.replicas_on((broker,))
        if len(context.assignment_of(partition)) > 1
        and context.info_of(partition) is not None
        and not context.is_queued(partition)
    ]
    led = [
        partition
        for partition in replicas
        if context.partitions[partition].is_led_by(broker)
    ]
    followed = tuple(
        (broker, partition) for partition in replicas if partition not in led
    )
    elections = [
        ReadForElection(partition, partition == led[-1], Strategy.CONTROLLED_SHUTDOWN)
        for partition in led
    ]
    stops: tuple[Task, ...] = ()
    if followed:
        stops = (StopReplicas(followed), ReadForIsrRemoval(followed))
    return (*elections, *stops)


def stop_replicas(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The controller tells a broker that shuts down to stop what it follows.

    Rules: C-CSD-1.  Source: KafkaController.doControlledShutdown.
    """
    if not cluster.threads[controller].is_at(StopReplicas):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, StopReplicas)
    threads = {controller: cluster.threads[controller].finish(())}
    yield send_stop(cluster.evolve(threads=threads), controller, task.replicas)


def send_stop(
    cluster: Cluster, controller: BrokerId, replicas: tuple[ReplicaId, ...]
) -> Cluster:
    """Send StopReplica to the brokers of replicas, which keep what they store."""
    batch = Batch()
    for replica in replicas:
        batch = batch.add_stop_replica(*replica)
    return send_batch(cluster, controller, cluster.contexts[controller], batch)
