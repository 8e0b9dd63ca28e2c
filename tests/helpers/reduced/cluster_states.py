"""All states of a scenario of the cluster, with step reductions and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import evolve

from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.instances import instances
from replicheck.model.cluster.cells.channels import Answer
from replicheck.model.cluster.cells.controller.events import (
    Event,
    LeaderAndIsrResponseReceived,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId
from shipped import CATALOGUE

KNOWN = "skip-redundant-responses"
NEWS_ANSWERS = (Answer.NONE, Answer.STORAGE_ERROR)
LATE_ERROR = """
summary = "An answer of an earlier term waits, and the broker has a new disk since"

[scenarios.late-error]
summary = "An answer of an earlier term waits, and the broker has a new disk since"
model = "cluster"
protocol = "kafka-2.5.1"
initial = "with-topic"
setup = [
    "fail_directory(broker=0, directory=0)",
    "mark_replicas_offline(broker=0, directory=0)",
    "close_directory(broker=0, directory=0)",
    "notify_controller(broker=0)",
    "deliver_watch(controller=1, path=ZooKeeperPath.LOG_DIR_EVENTS)",
    "handle_log_dir_event(controller=1)",
    "delete_notifications(controller=1)",
    "handle_leader_and_isr(controller=1, broker=0)",
    "move_controller",
    "deliver_watch(controller=1, path=ZooKeeperPath.CONTROLLER)",
    "receive_response(controller=1, broker=0)",
    "crash(broker=0)",
    "replace_directory(broker=0, directory=0)",
    "end_session(broker=0)",
    "start_broker(broker=0)",
    "elect(controller=1)",
    "list_notifications(controller=1)",
    "read_brokers(controller=1)",
    "read_topics(controller=1)",
    "read_partition_state(controller=1)",
    "start_replica_state_machine(controller=1)",
    "handle_leader_and_isr(controller=1, broker=0)",
]

[scenarios.late-error.bounds]
brokers = 2
directory_failures = 1
crashes = 1
restarts = 1
replacements = 1
controller_moves = 1

[[check]]
scenario = "late-error"
"""


def late_error(folder: Path) -> str:
    """A suite in which NONE arrives behind an error, or where one is known."""
    path = folder / "late-error.toml"
    path.write_text(LATE_ERROR, "utf-8")
    return str(path)


def model_of(name: str, *reductions: str) -> Any:
    """The model of a scenario with some reductions and no others."""
    (task,) = tasks(
        CATALOGUE, [name], Overrides("breadth-first", reductions=reductions)
    )
    return task.model


def steps(model: Any) -> Iterator[tuple[str, Cluster, Cluster]]:
    """Yield every step from a state that can be reached: action, before and after."""
    actions = list(instances(model.actions, model.domains))
    found = list(model.initial_states())
    seen = set(found)
    while found:
        before = found.pop()
        for action in actions:
            for after in action(before):
                yield action.label, before, after
                if after not in seen:
                    seen.add(after)
                    found.append(after)


def images(name: str, *reductions: str) -> set[Cluster]:
    """All states of a scenario, without what changes nothing once handled."""
    model = model_of(name, *reductions)
    first = {without_idle_events(state) for state in model.initial_states()}
    return first | {without_idle_events(after) for _, _, after in steps(model)}


def without_idle_events(cluster: Cluster) -> Cluster:
    """A state without the answers in queues that will change nothing."""
    queues = {
        broker: evolve(
            cluster.event_queues[broker],
            events=tuple(events_that_count(cluster, broker)),
        )
        for broker in cluster.bounds.broker_ids
    }
    return cluster.evolve(event_queues=queues)


def events_that_count(cluster: Cluster, controller: BrokerId) -> Iterator[Event]:
    """Yield the events of a queue that change what is known, or are no answers."""
    context = cluster.contexts[controller]
    told: set[tuple[BrokerId, PartitionId]] = set()
    for event in cluster.event_queues[controller].events:
        if not isinstance(event, LeaderAndIsrResponseReceived):
            yield event
            continue
        news = {(event.broker, p): a for p, a in event.answers if a in NEWS_ANSWERS}
        errors = {at for at, answer in news.items() if answer is Answer.STORAGE_ERROR}
        if errors or any(at in told or context.holds_offline(*at) for at in news):
            yield event
        told |= errors
