"""What is common to the controller's requests: two checks, and the answer.

Abstraction: requests to one broker are handled one at a time, each in one step. The
answers to UpdateMetadata and StopReplica tell the controller nothing here, so they
arrive in the step that handles the request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from replicheck.model.cluster.broker.clients import refuse_waiting
from replicheck.model.cluster.broker.deletion import delete_replicas
from replicheck.model.cluster.cells.channels import (
    Answers,
    Request,
    StopReplicaRequest,
    UpdateMetadataRequest,
)
from replicheck.model.cluster.cells.controller.events import (
    Event,
    LeaderAndIsrResponseReceived,
    StopReplicaResponseReceived,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId


def is_due(
    cluster: Cluster, controller: BrokerId, broker: BrokerId, kind: type
) -> bool:
    """Tell whether a running broker's next request from a controller is of a kind.

    Rules: B-CHK-3, N-1, N-5, N-6.  Source: KafkaApis.handle.
    """
    if not cluster.channels[controller][broker].awaits(kind):
        return False
    return cluster.processes[broker].is_running


@rule
def is_stale(cluster: Cluster, broker: BrokerId, request: Request) -> bool:
    """Tell whether a request is of a deposed controller, or for a process before.

    Rules: B-CHK-1, B-CHK-2.
    Source: KafkaApis.isBrokerEpochStale; ReplicaManager.becomeLeaderOrFollower,
    ReplicaManager.stopReplicas, ReplicaManager.maybeUpdateMetadataCache.
    """
    process = cluster.processes[broker]
    if process.has_epoch_above(request.broker_epoch):
        return True
    return process.knows_controller_above(request.controller_epoch)


def see_controller(cluster: Cluster, broker: BrokerId, request: Request) -> Cluster:
    """Remember the epoch of the controller that is obeyed.

    Rules: B-CHK-2.  Source: ReplicaManager.controllerEpoch.
    """
    process = cluster.processes[broker].see_controller(request.controller_epoch)
    return cluster.evolve(processes={broker: process})


def reply(
    cluster: Cluster, controller: BrokerId, broker: BrokerId, answers: Answers
) -> Cluster:
    """Put the answer to the request in flight on its way."""
    channel = cluster.channels[controller][broker].reply(answers)
    return cluster.evolve(channels={(controller, broker): channel})


def receive_response(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The answer to a request arrives, and the next request can go out.

    Of the deletion of a replica the controller is told only if it began to delete the
    topic, and did not only move the replica elsewhere.

    Rules: N-1, N-8, C-LIR-6, C-DEL-4.
    Source: RequestSendThread.doWork, AbstractControllerBrokerRequestBatch.sendRequest.
    """
    if not cluster.channels[controller][broker].is_answered():
        return
    answers = cluster.channels[controller][broker].answers
    assert answers is not None, "there is an answer"
    event: Event = LeaderAndIsrResponseReceived(broker, answers)
    channel = cluster.channels[controller][broker].pop()
    if cluster.channels[controller][broker].is_deleting():
        context = cluster.contexts[controller]
        told = tuple(
            partition
            for partition in answers
            if context.has_begun_to_delete(partition[0])
        )
        event = StopReplicaResponseReceived(broker, told)
        if not told:
            yield cluster.evolve(channels={(controller, broker): channel})
            return
    yield cluster.evolve(
        channels={(controller, broker): channel},
        event_queues={controller: cluster.event_queues[controller].append(event)},
    )


def handle_stop_replica(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The broker obeys a StopReplica request.

    Where replicas are to be deleted, that is answered for each; a stale request is
    answered without naming any.

    Rules: B-STOP-1, N-1.  Source: KafkaApis.handleStopReplicaRequest.
    """
    if not is_due(cluster, controller, broker, StopReplicaRequest):
        return
    request = cluster.channels[controller][broker].head
    assert isinstance(request, StopReplicaRequest)
    for after, answers in stop_replicas(cluster, broker, request):
        if answers:
            yield reply(after, controller, broker, answers)
        else:
            yield _take_request(after, controller, broker)


@rule
def stop_replicas(
    cluster: Cluster, broker: BrokerId, request: StopReplicaRequest
) -> Iterator[tuple[Cluster, Answers]]:
    """Stop fetching partitions, unless the request is stale; a leader leads on.

    The marker of an offline replica stays.

    Rules: B-STOP-1, B-LDF-6, C-STOP-1, C-STOP-2.  Source: ReplicaManager.stopReplicas.
    """
    if is_stale(cluster, broker, request):
        yield cluster, ()
        return
    cluster = see_controller(cluster, broker, request)
    for partition in request.partitions:
        stopped = cluster.fetchers[broker][partition].stop()
        cluster = cluster.evolve(fetchers={(broker, partition): stopped})
    outcomes: Iterable[tuple[Cluster, Answers]] = [(cluster, ())]
    if request.deletes:
        outcomes = delete_replicas(cluster, broker, request.partitions)
    for after, answers in outcomes:
        for partition in request.partitions:
            after = refuse_waiting(after, broker, partition)
        yield after, answers


def handle_update_metadata(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """The broker obeys an UpdateMetadata request.

    Rules: B-META-1, N-1.  Source: KafkaApis.handleUpdateMetadataRequest.
    """
    if not is_due(cluster, controller, broker, UpdateMetadataRequest):
        return
    request = cluster.channels[controller][broker].head
    assert isinstance(request, UpdateMetadataRequest)
    cluster = update_metadata(cluster, broker, request)
    yield _take_request(cluster, controller, broker)


def update_metadata(
    cluster: Cluster, broker: BrokerId, request: UpdateMetadataRequest
) -> Cluster:
    """Take over who is live, and what is said of partitions, unless it is stale.

    The epoch of what is said is not compared with what was known.

    Rules: B-META-1, B-META-2.  Source: MetadataCache.updateMetadata.
    """
    if is_stale(cluster, broker, request):
        return cluster
    cluster = see_controller(cluster, broker, request)
    cache = cluster.metadata[broker].update(request.live, request.partitions)
    return cluster.evolve(metadata={broker: cache})


def _take_request(cluster: Cluster, controller: BrokerId, broker: BrokerId) -> Cluster:
    channel = cluster.channels[controller][broker].pop()
    return cluster.evolve(channels={(controller, broker): channel})
