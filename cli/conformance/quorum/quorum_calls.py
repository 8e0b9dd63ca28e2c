"""The steps of `kraft` as calls of the harness with the active controller.

Brokers are the model's alone. What they ask of the controller is handed to Kafka's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.cli.conformance.harness.process import Command
from replicheck.model.kraft.broker.assignments_manager import epoch_of_assignment
from replicheck.model.kraft.controller.offline_directories import awaited_at_shutdown
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.vocabulary import BrokerId

NONE = -1
"""Stands for an epoch, an image or a broker that there is not."""
PREFERRED, UNCLEAN = 0, 1
"""Kinds of elections by the numbers of ElectionType."""


def beginning(start: KraftCluster) -> Command:
    """Command that leads from nothing to an initial state of the model."""
    bounds = start.bounds
    return Command(
        "new",
        {
            "brokers": bounds.brokers,
            "directories": bounds.directories,
            "replicas": start.stored.replicas,
            "leader": start.stored.leader,
            "unassigned": bounds.unassigned,
            "min_isr": start.min_isr,
            "elr": int(start.has_elr),
            "unclean": bounds.unclean_leader_election,
            "first_partition_replicas": bounds.first_partition_replicas,
            "moves": int(bounds.moves_replicas),
        },
    )


def command(step: ModelStep) -> Command | None:
    """Call of the harness that is a step; None if it is a step of a broker alone."""
    translate = TRANSLATIONS.get(step.action)
    if translate is None:
        return None
    call = translate(step)
    image = step.after.metadata.end
    return Command(call.name, {"image": image, **call.arguments})


def _epoch(epoch: int | None) -> int:
    return NONE if epoch is None else epoch


def _register(step: ModelStep) -> Command:
    broker = step.arguments["broker"]
    cluster: KraftCluster = step.before
    process = cluster.processes[broker]
    # A configured directory that is dead has no clean-shutdown file.
    has_files = not cluster.disks[broker].has_offline
    return Command(
        "register",
        {
            "broker": broker,
            "again": 0,
            "epoch": step.after.registrations[broker].epoch,
            "directories": sorted(process.directories),
            "previous": _epoch(process.clean_epoch) if has_files else NONE,
        },
    )


def _refresh(step: ModelStep) -> Command:
    broker = step.arguments["broker"]
    directories = sorted(step.before.processes[broker].directories)
    told = {"broker": broker, "again": 1, "previous": NONE}
    return Command("register", {**told, "directories": directories})


def _heartbeat(step: ModelStep) -> Command:
    broker = step.arguments["broker"]
    cluster: KraftCluster = step.before
    process = cluster.processes[broker]
    is_fenced = cluster.registrations[broker].is_fenced
    return Command(
        "heartbeat",
        {
            "broker": broker,
            "epoch": _epoch(process.epoch),
            "published": _epoch(process.published),
            "offline": sorted(process.offline),
            "want_fence": int(is_fenced and step.action not in UNFENCED_BY),
            "want_shut_down": int(process.is_stopping or step.action in SHUTDOWN),
            "active": _published(cluster, broker) if step.action in SHUTDOWN else [],
        },
    )


SHUTDOWN = ("begin_controlled_shutdown", "end_controlled_shutdown")
"""Actions whose heartbeat asks to shut down."""
UNFENCED_BY = ("unfence_broker", *SHUTDOWN)
"""Actions whose heartbeat does not ask to stay fenced."""


def _published(cluster: KraftCluster, sender: BrokerId) -> list[list[int]]:
    """Each other awaited broker with the image that it has told to have applied.

    A process that has ended tells nothing any more.
    """
    return [
        [broker, _epoch(cluster.processes[broker].published)]
        for broker in awaited_at_shutdown(cluster)
        if broker != sender
    ]


def _alter_partition(step: ModelStep) -> Command:
    broker = step.arguments["broker"]
    request = step.before.channels[broker].request
    assert request is not None, "there is a request"
    epochs = {member: _epoch(epoch) for member, epoch in request.member_epochs}
    own = _epoch(request.broker_epoch)
    return Command(
        "alter_partition",
        {
            "broker": broker,
            "topic": request.topic_id,
            "epoch": own,
            "leader_epoch": request.leader_epoch,
            "partition_epoch": request.partition_epoch,
            "isr": [[m, epochs.get(m, own)] for m in sorted(request.isr)],
        },
    )


def _assign(step: ModelStep) -> Command:
    broker = step.arguments["broker"]
    process = step.before.processes[broker]
    topic = step.before.partitions[broker].topic_id
    epoch = _epoch(epoch_of_assignment(step.before, broker))
    told = {"broker": broker, "topic": topic, "epoch": epoch}
    return Command("assign", {**told, "directory": process.assignment})


def _handle_assignment(step: ModelStep) -> Command:
    broker = step.arguments["broker"]
    sent = step.before.assignments[broker].sent
    assert sent is not None, "there is a request"
    told = {"broker": broker, "topic": sent.topic_id, "epoch": _epoch(sent.epoch)}
    return Command("assign", {**told, "directory": sent.directory})


def _reassign(step: ModelStep) -> Command:
    return Command("reassign", {"replicas": sorted(step.after.asked_replicas)})


def _change_min_isr(step: ModelStep) -> Command:
    return Command("change_min_isr", {"value": step.after.min_isr})


def _create_topic(step: ModelStep) -> Command:
    created = step.after.stored
    told = {"topic": created.topic_id, "replicas": created.replicas}
    return Command("create_topic", told)


def _of_broker(name: str) -> Callable[[ModelStep], Command]:
    return lambda step: Command(name, {"broker": step.arguments["broker"]})


def _constant(name: str, **arguments: Any) -> Callable[[ModelStep], Command]:
    return lambda step: Command(name, arguments)


TRANSLATIONS: Mapping[str, Callable[[ModelStep], Command]] = {
    "register_broker": _register,
    "refresh_registration": _refresh,
    "unfence_broker": _heartbeat,
    "report_offline_directories": _heartbeat,
    "begin_controlled_shutdown": _heartbeat,
    "end_controlled_shutdown": _heartbeat,
    "fence_broker": _of_broker("fence"),
    "fence_stale_broker": _of_broker("fence"),
    "handle_alter_partition": _alter_partition,
    "elect_preferred_leader": _constant("elect", type=PREFERRED),
    "elect_unclean_leader": _constant("elect", type=UNCLEAN),
    "assign_replica_to_directory": _assign,
    "handle_assignment": _handle_assignment,
    "reassign_partition": _reassign,
    "cancel_reassignment": _constant("reassign", replicas=()),
    "delete_topic": _constant("delete_topic"),
    "create_topic": _create_topic,
    "unregister_broker": _of_broker("unregister"),
    "append_no_op_record": _constant("no_op"),
    "change_min_isr": _change_min_isr,
    "switch_elr_off": _constant("switch_elr_off"),
    "fail_over_controller": _constant("fail_over"),
}
"""Actions of the controller, with the calls that they are."""
