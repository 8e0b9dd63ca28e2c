"""Labels of the controller's requests and of their responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from replicheck.model.cluster.cells.channels import (
    LEADER_DURING_DELETE,
    Channel,
    LeaderAndIsrRequest,
    PartitionMetadata,
    PartitionToLead,
    StopReplicaRequest,
    UpdateMetadataRequest,
)
from replicheck.model.cluster.state import Cluster

Label = dict[str, Any]
Event = tuple[str, Label]


def request_label(request: object, errors: Mapping[int, str]) -> Label:
    """Label of a request that a broker handled, with its errors by partition."""
    if isinstance(request, LeaderAndIsrRequest):
        return {
            "request": "LeaderAndIsr",
            "controller_epoch": request.controller_epoch,
            "partitions": [
                _partition_to_lead(asked, errors) for asked in request.partitions
            ],
        }
    if isinstance(request, UpdateMetadataRequest):
        return {
            "request": "UpdateMetadata",
            "controller_epoch": request.controller_epoch,
            "live_brokers": sorted(request.live),
            "partitions": [
                _partition_metadata(partition, metadata)
                for partition, metadata in enumerate(request.partitions)
                if metadata is not None
            ],
        }
    assert isinstance(request, StopReplicaRequest), "there are three kinds of requests"
    return {
        "request": "StopReplica",
        "controller_epoch": request.controller_epoch,
        "delete": request.deletes,
        "partitions": sorted(request.partitions),
        "errors": _answered(errors) if errors else ...,
    }


def _partition_to_lead(asked: PartitionToLead, errors: Mapping[int, str]) -> Label:
    return {
        "partition": asked.partition,
        "leader": asked.content.leader,
        "leader_epoch": asked.content.epoch,
        "isr": sorted(asked.content.isr),
        "version": asked.content.version,
        "is_new": asked.is_new,
        "error": errors.get(asked.partition, ...),
    }


def _partition_metadata(partition: int, metadata: PartitionMetadata) -> Label:
    deleted = metadata.leader == LEADER_DURING_DELETE
    return {
        "partition": partition,
        "leader": None if deleted else metadata.leader,
        "leader_epoch": metadata.epoch,
        "isr": sorted(metadata.isr),
        "offline": sorted(metadata.offline),
        "deleted": deleted,
    }


def response(arguments: tuple[Any, ...], old: Cluster, new: Cluster) -> Iterator[Event]:
    """Response to LeaderAndIsr that a controller receives."""
    controller, broker = arguments
    channel = old.channels[controller][broker]
    if isinstance(channel.head, LeaderAndIsrRequest):
        yield f"responses {controller}<{broker}", answer_label(channel)


def answer_label(channel: Channel) -> Label:
    """Label of the answer to LeaderAndIsr that is on its way."""
    answers = channel.answers or ()
    errors = {int(partition): answer.name for partition, answer in answers}
    return {"response": "LeaderAndIsr", "partitions": _answered(errors)}


def _answered(errors: Mapping[int, str]) -> list[Label]:
    return [
        {"partition": partition, "error": error} for partition, error in errors.items()
    ]
