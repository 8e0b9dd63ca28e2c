"""Which broker becomes the controller, what it does first, and how it resigns.

Abstraction: a candidate that loses the race for ``/controller`` between its read and
its write ends as one that read late, so read and write are one step. A candidate that
is elected begins its failover in the same step.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.events import (
    Reelect,
    RegisterBrokerAndReelect,
)
from replicheck.model.cluster.cells.controller.tasks import failover
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, ControllerEpoch


def elect(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A broker resigns if it is deposed, and becomes controller if there is none.

    Rules: Z-CTRL-1, Z-CTRL-2, C-FENCE-1, C-INIT-1.
    Source: KafkaController.processReelect, KafkaController.elect,
    KafkaController.onControllerFailover;
    KafkaZkClient.registerControllerAndIncrementControllerEpoch.
    """
    if not cluster.event_queues[controller].head_is(Reelect):
        return
    if not cluster.threads[controller].may_take(Reelect):
        return
    nodes = cluster.controller_nodes
    if cluster.contexts[controller].is_active() and not nodes.is_held_by(controller):
        cluster = resign(cluster, controller)
    watches = cluster.watches[controller].arm(ZooKeeperPath.CONTROLLER)
    cluster = cluster.evolve(
        event_queues={controller: cluster.event_queues[controller].pop()},
        watches={controller: watches},
    )
    if nodes.is_absent():
        epoch = ControllerEpoch(nodes.epoch + 1)
        tasks = failover(cluster.bounds)
        cluster = cluster.evolve(
            controller_nodes=nodes.elect(controller),
            contexts={controller: cluster.contexts[controller].start(epoch)},
            threads={controller: cluster.threads[controller].begin(tasks)},
        )
    yield cluster


@rule
def is_fenced(cluster: Cluster, controller: BrokerId) -> bool:
    """Tell whether a write of the controller fails since another was elected.

    Rules: Z-FENCE-1.
    Source: KafkaZkClient.wrapRequestWithControllerEpochCheck,
    KafkaZkClient.retryRequestsUntilConnected.
    """
    epoch = cluster.contexts[controller].epoch
    return not cluster.controller_nodes.has_epoch(epoch)


@rule
def resign(cluster: Cluster, controller: BrokerId) -> Cluster:
    """Drop watches, channels, the event being handled, and the context.

    The event queue is not emptied; what is in it is ignored, or handled in the next
    term if the same broker is elected before it gets there.

    Rules: C-FENCE-1, C-Q-3.
    Source: KafkaController.onControllerResignation,
    KafkaController.triggerControllerMove, KafkaController.handleIllegalState.
    """
    watches = cluster.watches[controller].keep_only(ZooKeeperPath.CONTROLLER)
    return cluster.evolve(
        watches={controller: watches},
        threads={controller: cluster.threads[controller].clear()},
        contexts={controller: cluster.contexts[controller].reset()},
        batches={controller: cluster.batches[controller].clear()},
        channels={
            (controller, broker): cluster.channels[controller][broker].clear()
            for broker in cluster.bounds.broker_ids
        },
    )


def fail_event(cluster: Cluster, controller: BrokerId) -> Cluster:
    """End an event of which a write was fenced; the controller resigns by that.

    A broker that asked to shut down is answered with the error instead, so that the
    controller does not resign before its next event. What it had collected to send is
    left over.

    Rules: C-FENCE-1, C-CSD-1, C-BATCH-3.
    Source: KafkaController.process, KafkaController.processControlledShutdown.
    """
    thread = cluster.threads[controller]
    if not thread.catches_errors:
        return resign(cluster, controller)
    batch = cluster.batches[controller]
    return cluster.evolve(
        threads={controller: thread.fail()},
        batches={controller: batch if batch.is_empty() else batch.leave()},
    )


def ignore_event(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A broker that is no controller drops an event that is not about elections.

    Rules: C-Q-4.  Source: KafkaController.process.
    """
    if cluster.event_queues[controller].is_empty():
        return
    if cluster.event_queues[controller].head_is(Reelect):
        return
    if cluster.event_queues[controller].head_is(RegisterBrokerAndReelect):
        return
    if cluster.contexts[controller].is_active():
        return
    queue = cluster.event_queues[controller].pop()
    yield cluster.evolve(event_queues={controller: queue})


def may_handle(cluster: Cluster, controller: BrokerId, kind: type) -> bool:
    """Tell whether the controller's next event is of a kind, and it can begin with it.

    Rules: C-Q-1, C-Q-2, C-Q-4.  Source: ControllerEventManager.
    """
    if not cluster.event_queues[controller].head_is(kind):
        return False
    if not cluster.threads[controller].may_take(kind):
        return False
    return cluster.contexts[controller].is_active()
