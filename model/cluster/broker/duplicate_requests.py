"""Requests that a broker handles twice, the second time late.

A request whose connection breaks goes out again; its first copy can still be in the
broker's queue, and be handled after requests that were sent later. Its answer gets
lost. Copies are in a process, and end with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker.leader_and_isr import answers_to, waits_for_lock
from replicheck.model.cluster.broker.requests import stop_replicas, update_metadata
from replicheck.model.cluster.cells.channels import (
    LeaderAndIsrRequest,
    StopReplicaRequest,
    UpdateMetadataRequest,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId


def send_again(
    cluster: Cluster, controller: BrokerId, broker: BrokerId
) -> Iterator[Cluster]:
    """A connection breaks: the request in flight is there twice from now on.

    Rules: N-2, N-4.  Source: RequestSendThread.doWork.
    """
    if not cluster.faults.allow("duplicates"):
        return
    if not cluster.channels[controller][broker].awaits(object):
        return
    if not cluster.processes[broker].is_running:
        return
    request = cluster.channels[controller][broker].head
    yield cluster.evolve(
        faults=cluster.faults.spend("duplicates"),
        duplicate_requests={broker: cluster.duplicate_requests[broker].append(request)},
    )


def handle_duplicate_request(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A broker handles a request that it has handled, or is about to, once more.

    Rules: N-4, B-CHK-3, C-STOP-1.  Source: KafkaApis.handle.
    """
    if cluster.duplicate_requests[broker].is_empty():
        return
    request = cluster.duplicate_requests[broker].head
    if isinstance(request, LeaderAndIsrRequest) and waits_for_lock(
        cluster, broker, request
    ):
        return
    copies = cluster.duplicate_requests[broker].pop()
    cluster = cluster.evolve(duplicate_requests={broker: copies})
    match request:
        case LeaderAndIsrRequest():
            for after, _lost in answers_to(cluster, broker, request):
                yield after
        case StopReplicaRequest():
            for after, _lost in stop_replicas(cluster, broker, request):
                yield after
        case UpdateMetadataRequest():
            yield update_metadata(cluster, broker, request)
