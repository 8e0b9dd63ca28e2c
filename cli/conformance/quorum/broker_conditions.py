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
    broker = int(found.cell.split("/")[1].removeprefix("broker "))
    return bool(step.after.disks[broker].has_offline)


BROKER_CONDITIONS: Mapping[str, Callable[[Difference, Any], bool]] = {
    "Kafka's partition has no log": kafka_has_no_log,
    "a directory of the broker is dead": a_directory_of_the_broker_is_dead,
    "a request has no broker epoch": request_has_no_broker_epoch,
    "min.insync.replicas changed": min_isr_changed,
}
"""Conditions of brokers, by their names."""
