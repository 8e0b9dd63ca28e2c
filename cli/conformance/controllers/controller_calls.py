"""The steps of `cluster` as calls of the harness with controllers.

Brokers are the model's alone: what they write to ZooKeeper, and what they answer, is
handed to Kafka's controllers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

from replicheck.cli.conformance.controllers.cluster_cells import ANSWERS, state_path
from replicheck.cli.conformance.harness.process import Command
from replicheck.model.cluster import protocols
from replicheck.model.cluster.controller.sessions import begin_session
from replicheck.model.cluster.environment import lost_replies
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import deliver_state_watch, deliver_watch
from replicheck.model.vocabulary import BrokerId, PartitionId

NOT_OF_THE_THREAD = (
    deliver_watch,
    deliver_state_watch,
    begin_session,
)
LOST_REPLIES = frozenset(
    action.__name__
    for action in (
        lost_replies.lose_reply_to_initialization,
        lost_replies.lose_reply_to_election,
        lost_replies.lose_reply_to_isr_removal,
    )
)
"""Actions in which a controller writes a partition's state, and is not told so."""

OF_THE_THREAD = LOST_REPLIES.union(
    action.__name__
    for action in protocols.CONTROLLER
    if action not in NOT_OF_THE_THREAD
)
"""Actions that a controller's thread takes: it begins with an event, or goes on."""

Lost = tuple[tuple[PartitionId, int], ...]
"""Writes of which no reply arrives: the partition, and which of an event's writes of
its state, the first being 1."""


@frozen
class ClusterStep:
    """An action with its arguments, the states around it, and replies that get lost."""

    action: str
    arguments: Mapping[str, Any]
    before: Cluster
    after: Cluster
    lost: Lost = ()

    def call(self, name: str, *kept: str, **more: Any) -> Command:
        """Command with some of the arguments, and with others."""
        return Command(name, {**{k: self.arguments[k] for k in kept}, **more})

    @property
    def thread(self) -> BrokerId:
        """The broker whose controller's thread takes the step."""
        return thread_of(self.arguments)


def thread_of(arguments: Mapping[str, Any]) -> BrokerId:
    """The broker whose controller's thread takes a step with these arguments."""
    found: BrokerId = arguments.get("controller", arguments.get("broker"))
    return found


def beginning(start: Cluster) -> Command:
    """Command that leads from nothing to an initial state of the model."""
    bounds = start.bounds
    return Command(
        "new",
        {
            "brokers": bounds.brokers,
            "partitions": bounds.partitions,
            "assignment": bounds.assignment,
            "unclean_leader_election": bounds.unclean_leader_election,
            "metadata": bounds.metadata,
            "topics": int(start.topic_nodes[0].exists),
        },
    )


def commands(step: ClusterStep) -> tuple[Command, ...]:
    """Calls of the harness that are a step; of the last one the answer is compared."""
    if step.action in OF_THE_THREAD:
        return (_of_the_thread(step),)
    translate = TRANSLATIONS.get(step.action, _written)
    return tuple(translate(step)) or (Command("nothing"),)


def _of_the_thread(step: ClusterStep) -> Command:
    """Take an event, or go on with one, up to the end or a write of a state."""
    before, after = (c.threads[step.thread] for c in (step.before, step.after))
    return step.call(
        "take_event" if before.is_idle() else "resume_event",
        controller=step.thread,
        lost=[list(write) for write in step.lost],
        held=int(not after.is_idle()),
    )


def _written(step: ClusterStep) -> Iterator[Command]:
    """What brokers write to ZooKeeper, whether they stop, and answers without news."""
    before, after = step.before, step.after
    for partition in before.bounds.partition_ids:
        old, new = (c.partition_nodes[partition] for c in (before, after))
        if old != new:
            assert new.content is not None, "brokers delete nothing"
            content = {
                "leader": -1 if new.content.leader is None else new.content.leader,
                "epoch": new.content.epoch,
                "isr": sorted(new.content.isr),
                "version": new.content.version,
                "controller": new.content.controller_epoch,
            }
            told = {"partition": partition, "content": content}
            yield Command("store_state", told)
    for event in after.notifications.nodes - before.notifications.nodes:
        yield Command("notify_log_dir", {"broker": event.broker})
    for change in after.isr_changes.nodes - before.isr_changes.nodes:
        yield Command("notify_isr", {"partitions": sorted(change.partitions)})
    brokers = before.bounds.broker_ids
    for controller in brokers:
        if not before.processes[controller].is_running:
            continue
        if not after.processes[controller].is_running:
            yield Command("stop", {"broker": controller})
            continue
        for broker in brokers:
            old_channel, new_channel = (
                c.channels[controller][broker].requests for c in (before, after)
            )
            if len(new_channel) < len(old_channel):
                told = {"controller": controller, "broker": broker}
                yield Command("take_request", told)


def _respond(step: ClusterStep) -> Iterator[Command]:
    controller, broker = step.arguments["controller"], step.arguments["broker"]
    answers = step.before.channels[controller][broker].answers
    assert answers is not None, "there is an answer"
    told = [[partition, ANSWERS[answer]] for partition, answer in answers]
    yield step.call("respond", "controller", "broker", answers=told)


def _named(name: str, *kept: str, **more: Any) -> Callable[..., Iterator[Command]]:
    def translate(step: ClusterStep) -> Iterator[Command]:
        yield step.call(name, *kept, **more)

    return translate


def _deliver(step: ClusterStep) -> Iterator[Command]:
    yield step.call("deliver_watch", "controller", path=step.arguments["path"].value)


def _deliver_state(step: ClusterStep) -> Iterator[Command]:
    path = state_path(step.arguments["partition"])
    yield step.call("deliver_watch", "controller", path=path)


def _create_topic(step: ClusterStep) -> Iterator[Command]:
    replicas = step.after.topic_nodes[step.arguments["partition"]].replicas
    yield step.call("create_topic", "partition", replicas=replicas)


def _reassign(step: ClusterStep) -> Iterator[Command]:
    wanted = step.after.topic_nodes[step.arguments["partition"]].requested
    yield step.call("reassign", "partition", replicas=wanted)


def _shut_down(step: ClusterStep) -> Iterator[Command]:
    epoch = step.before.processes[step.arguments["broker"]].epoch
    yield step.call("request_shutdown", "controller", "broker", epoch=epoch)


def _late_shutdown(step: ClusterStep) -> Iterator[Command]:
    controller: BrokerId = step.arguments["controller"]
    if not step.before.processes[controller].is_running:
        return
    late = step.before.late_shutdowns[controller].head
    yield step.call(
        "request_shutdown", "controller", broker=late.broker, epoch=late.epoch
    )


PREFERRED, UNCLEAN = {"type": "PREFERRED"}, {"type": "UNCLEAN"}
TRANSLATIONS: Mapping[str, Callable[[ClusterStep], Iterator[Command]]] = {
    "deliver_watch": _deliver,
    "deliver_state_watch": _deliver_state,
    "receive_response": _respond,
    "end_session": _named("end_session", "broker"),
    "expire_session": _named("expire_session", "broker"),
    "begin_session": _named("begin_session", "broker"),
    "start_broker": _named("start", "broker"),
    "move_controller": _named("delete_controller"),
    "create_topic": _create_topic,
    "delete_topic": _named("mark_topic", "partition"),
    "reassign_partition": _reassign,
    "cancel_reassignment": _named("cancel_reassignment", "controller", "partition"),
    "request_preferred_election": _named(
        "request_election", "controller", "partition", **PREFERRED
    ),
    "request_unclean_election": _named(
        "request_election", "controller", "partition", **UNCLEAN
    ),
    "shut_down": _shut_down,
    "receive_late_shutdown_request": _late_shutdown,
}
"""Actions of which ZooKeeper's nodes do not tell the call."""
