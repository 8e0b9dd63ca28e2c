"""The normal form of a state of `kraft`, as far as the controller of Kafka has it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.cli.conformance.quorum.quorum_calls import NONE
from replicheck.model.kraft.cells.alter_partition import AlterPartitionError
from replicheck.model.kraft.cells.metadata import (
    BrokerRegistration,
    PartitionRegistration,
)
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.vocabulary import DirectoryId

Form = dict[str, Any]
RECORDS = {
    "register_broker": ("RegisterBrokerRecord",),
    "refresh_registration": ("RegisterBrokerRecord",),
    "delete_topic": ("RemoveTopicRecord",),
    "unregister_broker": ("UnregisterBrokerRecord",),
    "append_no_op_record": ("NoOpRecord",),
    "switch_elr_off": ("FeatureLevelRecord",),
    "fence_broker": ("BrokerRegistrationChangeRecord",),
    "fence_stale_broker": ("BrokerRegistrationChangeRecord",),
    "unfence_broker": ("BrokerRegistrationChangeRecord",),
    "begin_controlled_shutdown": ("BrokerRegistrationChangeRecord",),
    "end_controlled_shutdown": ("BrokerRegistrationChangeRecord",),
    "report_offline_directories": ("BrokerRegistrationChangeRecord",),
}
"""Kinds of records that an action writes, but for changes of the partition."""
WITHOUT_ANSWER = (
    "fence_broker",
    "fence_stale_broker",
    "fail_over_controller",
    "unregister_broker",
    "append_no_op_record",
)
HEARTBEATS = (
    "unfence_broker",
    "begin_controlled_shutdown",
    "end_controlled_shutdown",
    "report_offline_directories",
)


def controller_form(cluster: KraftCluster) -> Form:
    """The controller's memory, and the last image of the metadata."""
    memory = _image(cluster.stored, cluster.registrations)
    for broker in cluster.bounds.broker_ids:
        registration = cluster.registrations[broker]
        told = memory.setdefault(f"broker {broker}", {})
        told["in index of the ELR"] = int(broker in cluster.elr_index)
        if not registration.is_unregistered:
            told["registered"] = registration.offset
        if not registration.is_fenced:
            told["session"] = broker in cluster.sessions
    memory["min.insync.replicas"] = cluster.min_isr
    memory["has ELR"] = cluster.has_elr
    last = cluster.metadata.at(cluster.metadata.end)
    return {"memory": memory, "image": _image(last.partition, last.brokers)}


def _image(
    partition: PartitionRegistration, brokers: Iterable[BrokerRegistration]
) -> Form:
    told: Form = {
        f"broker {number}": _broker(broker)
        for number, broker in enumerate(brokers)
        if not broker.is_unregistered
    }
    if partition.replicas:
        told["partition"] = partition_form(partition)
    return told


def _broker(broker: BrokerRegistration) -> Form:
    return {
        "epoch": broker.epoch,
        "fenced": broker.is_fenced,
        "shutting down": broker.in_controlled_shutdown,
        "directories": sorted(broker.directories),
    }


def partition_form(partition: PartitionRegistration) -> Form:
    """A partition in the metadata; a directory that is not known is -1."""
    last = partition.last_known_leader
    return {
        "topic": partition.topic_id,
        "leader": NONE if partition.leader is None else partition.leader,
        "leader epoch": partition.leader_epoch,
        "partition epoch": partition.partition_epoch,
        "recovering": partition.is_recovering,
        "replicas": list(partition.replicas),
        "isr": sorted(partition.isr),
        "elr": sorted(partition.elr),
        "last known leader": [] if last is None else [last],
        "adding": sorted(partition.adding),
        "removing": sorted(partition.removing),
        "directories": {
            str(replica): NONE
            if (found := partition.directories[replica]) is None
            else found
            for replica in partition.replicas
        },
    }


def _known(directory: DirectoryId | None) -> int:
    return NONE if directory is None else directory


def step_form(step: ModelStep) -> Form:
    """What a step of the controller writes, and what it answers."""
    return {"written": _written(step), "answer": _answer(step)}


def _written(step: ModelStep) -> Form:
    before, after = step.before.stored, step.after.stored
    kinds = list(RECORDS.get(step.action, ()))
    changes = after.partition_epoch - before.partition_epoch
    fields: Form = {}
    if step.action == "fail_over_controller":
        changes = 0
    elif step.action == "change_min_isr":
        kinds = (
            ["ClearElrRecord", "ConfigRecord"]
            if step.before.has_elr
            else ["ConfigRecord"]
        )
        changes = 0
    elif step.action == "create_topic":
        kinds = ["PartitionRecord", "TopicRecord"]
        if step.after.bounds.allows_unclean_elections:
            kinds.append("ConfigRecord")
        changes = 0
    elif step.action == "delete_topic":
        changes = 0
    else:
        fields = _changed(before, after)
    return {
        "records": sorted(kinds),
        "changes of the partition": changes,
        "fields": fields,
    }


def _changed(before: PartitionRegistration, after: PartitionRegistration) -> Form:
    """Fields that the records about the partition name; the leader begins an epoch."""
    old, new = partition_form(before), partition_form(after)
    fields = {k: v for k, v in new.items() if v != old[k] and not k.endswith("epoch")}
    fields.pop("leader", None)
    # Directories are in the order of the replicas.
    fields.pop("directories", None)
    if _in_order(old["directories"]) != _in_order(new["directories"]):
        fields["directories"] = new["directories"]
    if before.leader_epoch != after.leader_epoch:
        fields["leader"] = new["leader"]
    return fields


def _in_order(directories: Form) -> list[tuple[str, int]]:
    """Directories by their ids; one that is not known has the same id everywhere."""
    return [
        ("", number) if number == NONE else (replica, number)
        for replica, number in directories.items()
    ]


def _answer(step: ModelStep) -> Form:
    broker = step.arguments.get("broker")
    if step.action == "handle_alter_partition":
        answer = step.after.channels[broker].answer
        if isinstance(answer, AlterPartitionError):
            return {"error": answer.value}
        assert answer is not None, "a request that was handled has an answer"
        told = partition_form(answer)
        names = ("leader", "leader epoch", "partition epoch", "recovering", "isr")
        return {"error": "NONE", **{name: told[name] for name in names}}
    if step.action == "handle_assignment":
        return {"error": _error_of_assignment(step)}
    if step.action in HEARTBEATS:
        is_fenced = step.after.registrations[broker].is_fenced
        released = not step.after.processes[broker].is_running
        return {"fenced": is_fenced, "released": released}
    if step.action in ("register_broker", "refresh_registration"):
        return {"epoch": step.after.registrations[broker].epoch}
    if step.action in WITHOUT_ANSWER:
        return {}
    return {"error": "NONE"}


def _error_of_assignment(step: ModelStep) -> str:
    """The error of an assignment; the process that is told of one tries again."""
    broker, cluster = step.arguments["broker"], step.before
    sent = cluster.assignments[broker].sent
    if not cluster.is_registered(broker, sent.epoch):
        return "STALE_BROKER_EPOCH"
    if not cluster.stored.replicas or not cluster.stored.is_of(sent.topic_id):
        return "UNKNOWN_TOPIC_ID"
    if not cluster.stored.has_replica(broker):
        return "NOT_LEADER_OR_FOLLOWER"
    return "NONE"
