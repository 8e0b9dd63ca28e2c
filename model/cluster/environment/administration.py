"""What administrators ask of the cluster, each kind at most so often."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.processes import stop_process
from replicheck.model.cluster.cells.controller.events import (
    AlterPartitionReassignment,
    ControlledShutdown,
    ReplicaLeaderElection,
    Strategy,
)
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.vocabulary import BrokerId, PartitionId


def request_preferred_election(
    cluster: Cluster, controller: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """An administrator, or a timer, asks a controller to elect the preferred replica.

    Rules: C-ELECT-4.  Source: KafkaController.electLeaders.
    """
    if not cluster.faults.allow("preferred_elections"):
        return
    cluster = cluster.evolve(faults=cluster.faults.spend("preferred_elections"))
    yield from request_election(cluster, controller, partition, Strategy.PREFERRED)


def request_unclean_election(
    cluster: Cluster, controller: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """An administrator asks a controller to elect a replica that may lack records.

    Rules: C-ELECT-2.  Source: KafkaController.electLeaders.
    """
    if not cluster.faults.allow("unclean_elections"):
        return
    cluster = cluster.evolve(faults=cluster.faults.spend("unclean_elections"))
    yield from request_election(cluster, controller, partition, Strategy.UNCLEAN)


def request_election(
    cluster: Cluster, controller: BrokerId, partition: PartitionId, strategy: Strategy
) -> Iterator[Cluster]:
    """Put an event into the queue of a broker that believes to be the controller."""
    if not cluster.contexts[controller].is_active():
        return
    event = ReplicaLeaderElection(partition, strategy)
    queue = cluster.event_queues[controller].append(event)
    yield cluster.evolve(event_queues={controller: queue})


def delete_topic(cluster: Cluster, partition: PartitionId) -> Iterator[Cluster]:
    """An administrator marks the topic of a partition for deletion.

    Rules: Z-DEL-1.  Source: KafkaZkClient.createDeleteTopicPath.
    """
    if not cluster.faults.allow("topic_deletions"):
        return
    node = cluster.topic_nodes[partition]
    if not node.exists or node.is_marked:
        return
    cluster = fire_watches(cluster, ZooKeeperPath.DELETE_TOPICS)
    yield cluster.evolve(
        faults=cluster.faults.spend("topic_deletions"),
        topic_nodes={partition: cluster.topic_nodes[partition].mark()},
    )


def reassign_partition(
    cluster: Cluster, partition: PartitionId, leaving: BrokerId, joining: BrokerId
) -> Iterator[Cluster]:
    """An administrator asks to move a replica from one broker to another.

    Rules: Z-REASG-1.  Source: ReassignPartitionsCommand.
    """
    if not cluster.faults.allow("reassignments"):
        return
    node = cluster.topic_nodes[partition]
    if node.is_changing() or not node.assigns(leaving) or node.assigns(joining):
        return
    target = tuple(broker for broker in node.replicas if broker != leaving)
    cluster = fire_watches(cluster, ZooKeeperPath.REASSIGN_PARTITIONS)
    yield cluster.evolve(
        faults=cluster.faults.spend("reassignments"),
        topic_nodes={
            partition: cluster.topic_nodes[partition].request((*target, joining))
        },
    )


def cancel_reassignment(
    cluster: Cluster, controller: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """An administrator asks a controller to go back to the replicas of before.

    Rules: C-REASG-1.  Source: KafkaController.alterPartitionReassignments.
    """
    if not cluster.faults.allow("cancellations"):
        return
    if not cluster.contexts[controller].is_active():
        return
    if not cluster.topic_nodes[partition].is_changing():
        return
    event = AlterPartitionReassignment(partition)
    yield cluster.evolve(
        faults=cluster.faults.spend("cancellations"),
        event_queues={controller: cluster.event_queues[controller].append(event)},
    )


def shut_down(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """A broker begins to stop, and asks a controller to move its leadership away.

    A broker that is still starting halts instead, which is a crash.

    Rules: C-CSD-1.  Source: KafkaServer.controlledShutdown.
    """
    if not cluster.faults.allow("shutdowns"):
        return
    if not cluster.processes[broker].is_running:
        return
    if cluster.processes[broker].is_shutting_down:
        return
    if not cluster.contexts[controller].is_active():
        return
    event = ControlledShutdown(broker, cluster.processes[broker].epoch)
    yield cluster.evolve(
        faults=cluster.faults.spend("shutdowns"),
        processes={broker: cluster.processes[broker].begin_shutdown()},
        event_queues={controller: cluster.event_queues[controller].append(event)},
    )


def repeat_shutdown_request(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A broker that stops asks once more; the request reaches the controller late.

    It waits in the queue of requests of the broker that is the controller now, and
    whose process runs.

    Rules: C-CSD-1, N-4.  Source: KafkaServer.controlledShutdown.
    """
    if not cluster.faults.allow("late_shutdowns"):
        return
    if not cluster.processes[broker].is_shutting_down:
        return
    copy = ControlledShutdown(broker, cluster.processes[broker].epoch)
    for controller in cluster.bounds.broker_ids:
        if not cluster.processes[controller].is_running:
            continue
        if controller != broker and cluster.controller_nodes.is_held_by(controller):
            late = cluster.late_shutdowns[controller].append(copy)
            yield cluster.evolve(
                faults=cluster.faults.spend("late_shutdowns"),
                late_shutdowns={controller: late},
            )


def receive_late_shutdown_request(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A late request to shut down gets into the controller's event queue.

    Rules: C-CSD-1, N-4.  Source: KafkaApis.handleControlledShutdownRequest.
    """
    if cluster.late_shutdowns[controller].is_empty():
        return
    request = cluster.late_shutdowns[controller].head
    yield cluster.evolve(
        late_shutdowns={controller: cluster.late_shutdowns[controller].pop()},
        event_queues={controller: cluster.event_queues[controller].append(request)},
    )


def finish_shutdown(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A broker that shuts down stops, answered or tired of waiting for the answer.

    Abstraction: Kafka stops the handlers of requests first, then replicas and logs,
    then the controller, then the session. Here they stop at once; that a part of them
    does nothing any more is no step that it takes. The session ends by itself later.

    Rules: C-CSD-1.  Source: KafkaServer.shutdown.
    """
    if not cluster.processes[broker].is_shutting_down:
        return
    yield stop_process(cluster, broker)
