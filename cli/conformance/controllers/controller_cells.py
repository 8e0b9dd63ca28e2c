"""The normal form of what the harness tells of controllers, as in `cluster_cells`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Form = dict[str, Any]


def controller_form(state: Mapping[str, Any]) -> Form:
    """Everything of Kafka's state that has a counterpart in the model."""
    nodes = spaced(state["nodes"])
    topics = nodes.pop("topics")
    found: Form = {"znodes": nodes}
    for number, topic in enumerate(topics):
        found[f"topic {number}"] = topic
    for number, broker in enumerate(state["brokers"]):
        if broker is not None:
            found[f"controller {number}"] = _controller(broker)
    return found


def _controller(broker: Mapping[str, Any]) -> Form:
    if "write" in broker:
        return {"write": spaced(broker["write"])}
    told: Form = {name: broker[name] for name in ("events", "fired", "active")}
    if broker["active"]:
        context = spaced(broker["context"])
        for number, partition in enumerate(context.pop("partitions")):
            told[f"partition {number}"] = partition
        told |= context
    for peer, requests in broker["channels"].items():
        for number, request in enumerate(requests):
            told[f"request {number} to {peer}"] = spaced(request)
    return told


def spaced(told: Any) -> Any:
    """The same with spaces in names."""
    if isinstance(told, Mapping):
        return {name.replace("_", " "): spaced(value) for name, value in told.items()}
    if isinstance(told, list):
        return [spaced(value) for value in told]
    return told
