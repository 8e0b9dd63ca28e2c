"""What the queues of a cluster are to show: channels to brokers, and event queues.

A request leaves its channel when it is handled, an answer when it is received, and an
event its queue when the active controller handles it; each shows what it is. All are
dropped when their controller resigns or ends, which can show more only after another
election, and requests when their broker is missed or registers again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import field, frozen

from replicheck.invariants.cluster.observed.observed_requests import (
    answer_label,
    request_label,
)
from replicheck.model.cluster.cells.channels import (
    Answer,
    Channel,
    LeaderAndIsrRequest,
    Request,
)
from replicheck.model.cluster.cells.controller.events import (
    BrokerChange,
    LeaderAndIsrResponseReceived,
    LogDirEventNotification,
    TopicChange,
)
from replicheck.model.cluster.cells.controller.tasks import (
    OnBrokerFailure,
    OnBrokerStartup,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId

Label = Mapping[str, Any]


@frozen
class ShownByQueue:
    """Labels of what is in a queue, in its order, and the stream that shows them.

    ``term`` has the values of requests of this controller's term. So many copies of
    earlier requests as ``elsewhere`` says may be shown before.
    """

    stream: str
    labels: tuple[Label, ...]
    term: Label = field(factory=dict)
    elsewhere: int = 0


TAKEN_BY = frozenset(
    {
        "elect",
        "handle_broker_change",
        "handle_duplicate_request",
        "handle_leader_and_isr",
        "handle_leader_and_isr_response",
        "handle_log_dir_event",
        "handle_stop_replica",
        "handle_topic_change",
        "handle_update_metadata",
        "ignore_event",
        "on_broker_failure",
        "receive_response",
        "send_again",
        "start_replica_state_machine",
    }
)
"""Actions that the argument is about: nothing is known of a protocol without one."""


def queued_events(cluster: Cluster) -> list[ShownByQueue]:
    """What the queues are to show, as long as nothing clears them."""
    found: list[ShownByQueue] = []
    for controller in cluster.bounds.broker_ids:
        found += _event_queue(cluster, controller)
        for broker in cluster.bounds.broker_ids:
            channel = cluster.channels[controller][broker]
            if not channel.is_empty():
                place = f"{controller}>{broker}"
                found += _requests(cluster, broker, channel, f"requests {place}")
                found += _answer(channel, f"responses {controller}<{broker}")
    return found


def may_clear(queue: str, stream: str, label: Label) -> bool:
    """Tell whether a label of a stream may be of a step that clears a queue.

    A queue is named by the stream that it shows. The election of its controller counts
    as such a step, since what is in the queue then is of another term.
    """
    kind, _, place = queue.partition(" ")
    controller, *receivers = map(int, re.split("[<>]", place))
    broker = receivers[0] if receivers else controller
    if stream == "zookeeper":
        return any(_elects_or_registers(w, controller, broker) for w in label["writes"])
    if kind == "controller" or stream != f"controller {controller}":
        return False
    return _may_name(label, broker)


def _elects_or_registers(write: Label, controller: int, broker: int) -> bool:
    if write["znode"] == "controller":
        return _may_be(write, controller)
    if write["znode"] != "broker" or write.get("present") is False:
        return False
    return _may_be(write, broker)


def _may_be(write: Label, broker: int) -> bool:
    """Tell whether a write may be of a broker, which is so if it names none."""
    named: int | None = write.get("broker", broker)
    return named == broker


def _may_name(label: Label, broker: int) -> bool:
    """Tell whether an event is one of brokers, and may be of this one."""
    keys = {
        "broker_change": ("new", "deleted", "bounced"),
        "broker_failure": ("brokers",),
    }.get(str(label.get("event")), ())
    return any(broker in label.get(key, (broker,)) for key in keys)


def _requests(
    cluster: Cluster, broker: BrokerId, channel: Channel, stream: str
) -> Iterator[ShownByQueue]:
    """Requests that are not answered; only the first, if copies can come between."""
    answered = 1 if channel.is_answered() else 0
    requests: tuple[Request, ...] = channel.requests[answered:]
    copies = len(cluster.duplicate_requests[broker].requests)
    if copies or cluster.faults.allow("duplicates"):
        requests = requests[:1]
    if requests:
        epoch = requests[0].controller_epoch
        labels = tuple(request_label(request, {}) for request in requests)
        yield ShownByQueue(stream, labels, {"controller_epoch": epoch}, copies)


def _answer(channel: Channel, stream: str) -> Iterator[ShownByQueue]:
    if channel.is_answered() and isinstance(channel.head, LeaderAndIsrRequest):
        yield ShownByQueue(stream, (answer_label(channel),))


def _event_queue(cluster: Cluster, controller: BrokerId) -> Iterator[ShownByQueue]:
    if cluster.contexts[controller].is_active():
        labels = tuple(_event_labels(cluster, controller))
        if labels:
            yield ShownByQueue(f"controller {controller}", labels)


def _event_labels(cluster: Cluster, controller: BrokerId) -> Iterator[Label]:
    """Labels of the tasks that are left, and of the events up to one that is open."""
    for task in cluster.threads[controller].tasks:
        if isinstance(task, OnBrokerStartup):
            brokers = [broker for broker, _ in task.brokers]
            yield {"event": "broker_startup", "brokers": brokers}
        if isinstance(task, OnBrokerFailure):
            yield {"event": "broker_failure", "brokers": sorted(task.brokers)}
    for event in cluster.event_queues[controller].events:
        match event:
            case BrokerChange():
                change = dict.fromkeys(("new", "deleted", "bounced"), ...)
                yield {"event": "broker_change", **change}
                return
            case LogDirEventNotification():
                yield {"event": "log_dir_failure", "brokers": ...}
            case TopicChange():
                pass
            case LeaderAndIsrResponseReceived(_, answers):
                if any(answer is Answer.STORAGE_ERROR for _, answer in answers):
                    return
            case _:
                return
