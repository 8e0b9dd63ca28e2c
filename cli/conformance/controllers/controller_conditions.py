"""Conditions that known differences of controllers name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from replicheck.cli.conformance.differences import Difference
from replicheck.model.cluster.cells.controller.events import ZkPartitionReassignment

OF_REQUESTS = {"kind": ZkPartitionReassignment.__name__}


def kafka_has_a_later_epoch(found: Difference, step: Any) -> bool:
    """Tell whether both have an epoch, and Kafka's is the later one."""
    both = (found.model, found.kafka)
    return all(isinstance(v, int) for v in both) and bool(found.kafka > found.model)


def a_batch_is_left_over(found: Difference, step: Any) -> bool:
    """Tell whether the controller of a step left a batch when a write was fenced."""
    controller = step.arguments.get("controller")
    return controller is not None and step.before.batches[controller].is_left_over


def a_partition_had_no_leader_yet(found: Difference, step: Any) -> bool:
    """Tell whether there was a topic of whose partition no leader was known.

    The controller that initialised it may have lost the reply.
    """
    before = step.before
    known = before.contexts[step.thread]
    return any(
        before.topic_nodes[partition].exists
        and (
            before.partition_nodes[partition].content is None
            or (known.is_active() and known.info_of(partition) is None)
        )
        for partition in before.bounds.partition_ids
    )


def the_model_has_an_event_of_a_deletion(found: Difference, step: Any) -> bool:
    """Tell whether the model has one more event of requests, and there are none."""
    if any(node.requested for node in step.after.topic_nodes):
        return False
    events = found.model
    return any(
        event == OF_REQUESTS and events[:at] + events[at + 1 :] == found.kafka
        for at, event in enumerate(events)
    )


def a_broker_came_while_another_one_bounced(found: Difference, step: Any) -> bool:
    """Tell whether one reading of the brokers finds new ones, and ones that bounced."""
    known = step.before.contexts[step.arguments["controller"]].live
    live = [node.live_epoch for node in step.before.broker_nodes]
    pairs = list(zip(known, live, strict=True))
    came = any(new is not None and old is None for old, new in pairs)
    return came and any(
        new is not None and old is not None and new > old for old, new in pairs
    )


CONTROLLER_CONDITIONS: Mapping[str, Callable[[Difference, Any], bool]] = {
    "Kafka has a later epoch": kafka_has_a_later_epoch,
    "a batch is left over": a_batch_is_left_over,
    "a partition had no leader yet": a_partition_had_no_leader_yet,
    "an event of a deletion is one more": the_model_has_an_event_of_a_deletion,
    "a broker came while another one bounced": a_broker_came_while_another_one_bounced,
}
"""Conditions of controllers, by their names."""
