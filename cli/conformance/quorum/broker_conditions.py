"""Conditions that known differences of KRaft's brokers name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from replicheck.cli.conformance.differences import Difference
from replicheck.cli.conformance.quorum.quorum_calls import NONE


def kafka_has_no_log(found: Difference, step: Any) -> bool:
    """Tell whether Kafka hosts a partition for which it could make no log."""
    return isinstance(found.kafka, Mapping) and found.kafka.get("log") == "none"


def request_has_no_broker_epoch(found: Difference, step: Any) -> bool:
    """Tell whether one side alone has a request of a process that has no epoch."""
    sides = (found.model, found.kafka)
    requests = [side for side in sides if isinstance(side, Mapping)]
    return len(requests) == 1 and requests[0].get("broker epoch") == NONE


def min_isr_changed(found: Difference, step: Any) -> bool:
    """Tell whether a broker publishes another min.insync.replicas."""
    broker = step.arguments["broker"]
    before, after = step.before.caches[broker], step.after.caches[broker]
    return bool(before.min_isr != after.min_isr)


def a_directory_of_the_broker_is_dead(found: Difference, step: Any) -> bool:
    """Tell whether a configured directory of the broker of a cell has failed."""
    return bool(step.after.disks[broker_of_cell(found)].has_offline)


def the_broker_lost_its_registration(found: Difference, step: Any) -> bool:
    """Tell whether the process of the broker of a cell has an epoch no more."""
    broker = broker_of_cell(found)
    before, after = step.before.processes[broker], step.after.processes[broker]
    return before.epoch is not None and after.epoch is None


def a_topic_came_and_went(found: Difference, step: Any) -> bool:
    """Tell whether a topic is created and deleted between two images of a broker.

    A new process has its first image from the beginning of the log.
    """
    broker = step.arguments["broker"]
    before, after = step.before, step.after.caches[broker].partition
    has_image = before.processes[broker].has_published
    known = before.caches[broker].partition.topic_id if has_image else 0
    next_id = after.topic_id if after.replicas else after.topic_id + 1
    return bool(known + 1 < next_id)


def a_replica_was_moved(found: Difference, step: Any) -> bool:
    """Tell whether an operator asked for a move at any time of the run."""
    cluster = step.before
    return bool(cluster.faults.moves < cluster.bounds.moves)


def broker_of_cell(found: Difference) -> int:
    """Broker of a cell such as ``brokers/broker 1/partition``."""
    return int(found.cell.split("/")[1].removeprefix("broker "))


BROKER_CONDITIONS: Mapping[str, Callable[[Difference, Any], bool]] = {
    "Kafka's partition has no log": kafka_has_no_log,
    "a directory of the broker is dead": a_directory_of_the_broker_is_dead,
    "a replica was moved": a_replica_was_moved,
    "a topic came and went": a_topic_came_and_went,
    "a request has no broker epoch": request_has_no_broker_epoch,
    "the broker lost its registration": the_broker_lost_its_registration,
    "min.insync.replicas changed": min_isr_changed,
}
"""Conditions of brokers, by their names."""
