"""The normal form of a state of `cluster`, as far as Kafka's controllers have it."""

from __future__ import annotations

from typing import Any

from replicheck.model.cluster.cells.channels import (
    Answer,
    LeaderAndIsrRequest,
    Request,
    StopReplicaRequest,
)
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.events import (
    AlterPartitionReassignment,
    ControlledShutdown,
    Event,
    LeaderAndIsrResponseReceived,
    PartitionReassignmentIsrChange,
    ReplicaLeaderElection,
    StopReplicaResponseReceived,
    Strategy,
)
from replicheck.model.cluster.cells.controller.reassignment_tasks import WriteEpoch
from replicheck.model.cluster.cells.controller.tasks import (
    WriteElection,
    WriteIsrRemoval,
)
from replicheck.model.cluster.cells.zookeeper.topics import Assignment
from replicheck.model.cluster.state import Cluster
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, PartitionId

Form = dict[str, Any]
ANSWERS = {
    Answer.NONE: "NONE",
    Answer.STORAGE_ERROR: "KAFKA_STORAGE_ERROR",
    Answer.STALE: "STALE_CONTROLLER_EPOCH",
    Answer.REJECTED: "REJECTED",
}
"""Answers by Kafka's name of the error; that of a whole request has no partition's."""


WRITES = (WriteElection, WriteIsrRemoval, WriteEpoch)
"""Tasks that write the state of a partition over the version that was read."""


def state_path(partition: PartitionId) -> str:
    """Path of a partition's leader and ISR: each partition has a topic of its own."""
    return f"/brokers/topics/x{partition}/partitions/0/state"


def cluster_form(cluster: Cluster) -> Form:
    """Everything of a state that has a counterpart in ZooKeeper and controllers.

    Of a controller in the midst of an event it is what that is about to write.
    """
    found: Form = {"znodes": _znodes(cluster)}
    for partition in cluster.bounds.partition_ids:
        node = cluster.topic_nodes[partition]
        content = cluster.partition_nodes[partition].content
        found[f"topic {partition}"] = {
            "marked": node.is_marked,
            "requested": list(node.requested),
            **_assignment(node.assignment),
            **({} if content is None else {"state": _leadership(content)}),
        }
    for broker in cluster.bounds.broker_ids:
        if cluster.processes[broker].is_running:
            found[f"controller {broker}"] = _controller(cluster, broker)
    return found


def _znodes(cluster: Cluster) -> Form:
    holder = cluster.controller_nodes.holder
    live = enumerate(cluster.broker_nodes)
    events = sorted(cluster.notifications.nodes, key=lambda node: node.sequence)
    changes = sorted(cluster.isr_changes.nodes, key=lambda node: node.sequence)
    return {
        "holder": -1 if holder is None else holder,
        "epoch": cluster.controller_nodes.epoch,
        "live": {str(b): node.epoch for b, node in live if node.is_present},
        "log dir events": [event.broker for event in events],
        "isr changes": [sorted(change.partitions) for change in changes],
    }


def _controller(cluster: Cluster, broker: BrokerId) -> Form:
    thread = cluster.threads[broker]
    if not thread.is_idle() and isinstance(thread.task, WRITES):
        return {"write": _leadership(thread.task.content)}
    watches, context = cluster.watches[broker], cluster.contexts[broker]
    states = [state_path(partition) for partition in watches.fired_states]
    told: Form = {
        "events": [_event(e) for e in cluster.event_queues[broker].events],
        "fired": sorted([path.value for path in watches.fired] + states),
        "active": context.is_active(),
    }
    if context.is_active():
        told |= _context(context)
    for peer in cluster.bounds.broker_ids:
        for number, request in enumerate(cluster.channels[broker][peer].requests):
            told[f"request {number} to {peer}"] = _request(request)
    return told


def _event(event: Event) -> Form:
    told: Form = {"kind": type(event).__name__}
    match event:
        case LeaderAndIsrResponseReceived(broker, answers) | (
            StopReplicaResponseReceived(broker, answers)
        ):
            told |= {"broker": broker, **_answers(answers)}
        case ReplicaLeaderElection(partition, strategy):
            unclean = strategy is Strategy.UNCLEAN
            told |= {"type": "UNCLEAN" if unclean else "PREFERRED"}
            told |= {"partitions": [partition]}
        case ControlledShutdown(broker, epoch):
            told |= {"broker": broker, "epoch": epoch}
        case AlterPartitionReassignment(partition):
            told |= {"partitions": [partition]}
        case PartitionReassignmentIsrChange(partition):
            told |= {"partition": partition}
    return told


def _answers(answers: Any) -> Form:
    rejected = any(answer is Answer.REJECTED for _, answer in answers)
    told = {str(partition): ANSWERS[answer] for partition, answer in answers}
    return {"rejected": rejected, "answers": {} if rejected else told}


def _context(context: ControllerContext) -> Form:
    told: Form = {
        "epoch": context.epoch,
        "live": {str(b): e for b, e in enumerate(context.live) if e is not None},
        "shutting down": sorted(context.shutting_down),
    }
    for number, known in enumerate(context.partitions):
        told[f"partition {number}"] = {
            **_assignment(known.full_assignment),
            "state": known.state.value,
            "replica states": [state.value for state in known.replicas],
            "offline": sorted(known.on_offline_dirs),
            "queued": known.is_queued_for_deletion,
            "halted": known.deletion_is_halted,
            "begun": known.deletion_has_begun,
            "reassigned": known.is_being_reassigned,
            **({} if known.info is None else {"info": _leadership(known.info)}),
        }
    return told


def _request(request: Request) -> Form:
    told: Form = {
        "controller epoch": request.controller_epoch,
        "broker epoch": request.broker_epoch,
    }
    if isinstance(request, LeaderAndIsrRequest):
        asked = {
            str(entry.partition): {
                **_leadership(entry.content),
                "new": entry.is_new,
                "unassigned isr": sorted(entry.unassigned_isr),
            }
            for entry in request.partitions
        }
        return told | {"kind": "LeaderAndIsr", "partitions": asked}
    if isinstance(request, StopReplicaRequest):
        stopped = sorted(request.partitions)
        told |= {"kind": "StopReplica", "deletes": request.deletes}
        return told | {"partitions": stopped}
    said = {
        str(number): {
            "leader": -1 if known.leader is None else known.leader,
            "epoch": known.epoch,
            "isr": sorted(known.isr),
            "offline": sorted(known.offline),
        }
        for number, known in enumerate(request.partitions)
        if known is not None
    }
    told |= {"kind": "UpdateMetadata", "live": sorted(request.live)}
    return told | {"partitions": said}


def _leadership(content: LeaderAndIsr) -> Form:
    return {
        "leader": -1 if content.leader is None else content.leader,
        "epoch": content.epoch,
        "version": content.version,
        "controller epoch": content.controller_epoch,
        "isr": sorted(content.isr),
    }


def _assignment(assignment: Assignment) -> Form:
    return {
        "replicas": list(assignment.replicas),
        "adding": list(assignment.adding),
        "removing": list(assignment.removing),
    }
