"""Labels of what controllers, log directory handlers and operators do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId

Label = dict[str, Any]
Event = tuple[str, Label]
Arguments = tuple[Any, ...]
Reading = Callable[[Arguments, Cluster, Cluster], Iterator[Event]]


def _log_dir_handler(event: str) -> Reading:
    """The label of what a log directory handler did about a directory."""

    def read(arguments: Arguments, old: Cluster, new: Cluster) -> Iterator[Event]:
        broker, directory = arguments
        yield f"log_dir_handler {broker}", {"event": event, "directory": directory}

    return read


def _operator(event: str) -> Reading:
    """The label of what an operator, or a fault, did to a directory."""

    def read(arguments: Arguments, old: Cluster, new: Cluster) -> Iterator[Event]:
        broker, directory = arguments
        yield "operator", {"event": event, "broker": broker, "directory": directory}

    return read


def _crash(arguments: Arguments, old: Cluster, new: Cluster) -> Iterator[Event]:
    (broker,) = arguments
    yield "operator", {"event": "crash", "broker": broker}


def _shutdown(arguments: Arguments, old: Cluster, new: Cluster) -> Iterator[Event]:
    _controller, broker = arguments
    yield f"shutdown {broker}", {"event": "controlled_shutdown"}


def _controlled_shutdown(
    arguments: Arguments, old: Cluster, new: Cluster
) -> Iterator[Event]:
    (controller,) = arguments
    event: Any = old.event_queues[controller].head
    label = {"event": "controlled_shutdown", "broker": event.broker}
    yield f"controller {controller}", label


def _log_dir_event(arguments: Arguments, old: Cluster, new: Cluster) -> Iterator[Event]:
    (controller,) = arguments
    brokers = sorted({node.broker for node in old.notifications.nodes})
    yield f"controller {controller}", {"event": "log_dir_failure", "brokers": brokers}


def _broker_startup(
    arguments: Arguments, old: Cluster, new: Cluster
) -> Iterator[Event]:
    (controller,) = arguments
    brokers = [broker for broker, _ in _task(controller, old).brokers]
    yield f"controller {controller}", {"event": "broker_startup", "brokers": brokers}


def _broker_failure(
    arguments: Arguments, old: Cluster, new: Cluster
) -> Iterator[Event]:
    (controller,) = arguments
    brokers = sorted(_task(controller, old).brokers)
    yield f"controller {controller}", {"event": "broker_failure", "brokers": brokers}


def _task(controller: BrokerId, cluster: Cluster) -> Any:
    return cluster.threads[controller].task


def _broker_change(arguments: Arguments, old: Cluster, new: Cluster) -> Iterator[Event]:
    (controller,) = arguments
    known = old.contexts[controller].live
    now = [old.broker_nodes[broker].live_epoch for broker in old.bounds.broker_ids]
    both = [(b, known[b], now[b]) for b in old.bounds.broker_ids]
    yield (
        f"controller {controller}",
        {
            "event": "broker_change",
            "new": [b for b, before, after in both if after and not before],
            "deleted": [b for b, before, after in both if before and not after],
            "bounced": [
                b for b, before, after in both if before and after and after > before
            ],
        },
    )


def _offline_replicas(
    arguments: Arguments, old: Cluster, new: Cluster
) -> Iterator[Event]:
    (controller,) = arguments
    was, now = old.contexts[controller], new.contexts[controller]
    for broker in old.bounds.broker_ids:
        found = [
            partition
            for partition in old.bounds.partition_ids
            if now.holds_offline(broker, partition)
            and not was.holds_offline(broker, partition)
        ]
        if found:
            label = {"event": "replicas_offline", "broker": broker}
            yield f"controller {controller}", {**label, "partitions": found}


PROCESS_READINGS: Mapping[str, Reading] = {
    "mark_replicas_offline": _log_dir_handler("replicas_offline"),
    "close_directory": _log_dir_handler("logs_closed"),
    "fail_directory": _operator("fail_directory"),
    "replace_directory": _operator("replace_directory"),
    "crash": _crash,
    "shut_down": _shutdown,
    "handle_controlled_shutdown": _controlled_shutdown,
    "handle_log_dir_event": _log_dir_event,
    "handle_broker_change": _broker_change,
    "on_broker_startup": _broker_startup,
    "on_broker_failure": _broker_failure,
    "handle_leader_and_isr_response": _offline_replicas,
}
"""For actions by name, the events that a step of them shows."""
