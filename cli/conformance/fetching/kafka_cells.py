"""The normal form of the harness's answer, in the names of `model_cells`.

What has no meaning now is left out, as there: the log of a partition that is not hosted
has no high watermark, and an answer with an error says nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Form = dict[str, Any]
EMPTY_LOG = {"start": 0, "end": 0, "records": [], "epochs": []}


def kafka_form(state: Mapping[str, Any], is_ordered: bool) -> Form:
    """Everything of Kafka's state that has a counterpart in the model.

    The order of a thread's partitions has one if ``is_ordered``.
    """
    found: Form = {}
    for partition, node in enumerate(state["nodes"]):
        found[f"znode {partition}"] = node
    for number, broker in enumerate(state["brokers"]):
        found[f"broker {number}"] = _broker(broker, is_ordered)
    return found


def _broker(broker: Mapping[str, Any], is_ordered: bool) -> Form:
    if not broker["running"]:
        return {"running": False, "marker": broker["marker"]}
    told: Form = {
        "running": True,
        "marker": broker["marker"],
        "request": broker["handler"],
        "stalled handler": broker["stalled"],
        "fetchers": broker["fetchers"],
    }
    for number, partition in enumerate(broker["partitions"]):
        told[f"partition {number}"] = _partition(partition)
    for thread in broker["threads"]:
        name = f"thread {thread['leader']}-{thread['fetcher']}"
        told[name] = _thread(thread, is_ordered)
    return told


def _partition(partition: Mapping[str, Any]) -> Form:
    hosting = partition["hosting"]
    told: Form = {
        "hosting": hosting,
        "failed": partition["failed"],
        "failed move": partition["failed_move"],
    }
    told |= {f"checkpoint {d}": end for d, end in partition["checkpoints"].items()}
    if hosting == "ONLINE":
        for name in ("leader", "epoch", "isr", "version"):
            told[name] = partition[name]
        if partition["leads"]:
            told["epoch start"] = partition.get("epoch_start")
            told["followers"] = partition["remotes"]
    if hosting != "OFFLINE":
        log = partition.get("log", EMPTY_LOG)
        told["log"] = _log(log, is_hosted=hosting == "ONLINE")
        if "future" in partition:
            told["future log"] = _log(partition["future"], is_hosted=True)
    return told


def _log(log: Mapping[str, Any], *, is_hosted: bool) -> Form:
    told = {name: log[name] for name in EMPTY_LOG if name in log}
    if is_hosted and "hw" in log:
        told["high watermark"] = log["hw"]
        told["directory"] = log["directory"]
    return told


def _thread(thread: Mapping[str, Any], is_ordered: bool) -> Form:
    told: Form = {"phase": thread["phase"]}
    for partition, state in thread["states"].items():
        told[f"fetch state {partition}"] = {
            "state": state["state"],
            "offset": state["offset"],
            "epoch": state["epoch"],
            "delayed": state["delayed"],
            "last epoch": state.get("last_epoch"),
        }
    if thread["phase"] != "DEAD":
        for partition, call in thread["epoch_calls"].items():
            told[f"call {partition}"] = _epoch_call(call)
        for partition in thread["without_epoch"]:
            told[f"call {partition}"] = {"asks": "nothing"}
        for partition, call in thread["fetch_calls"].items():
            told[f"call {partition}"] = _fetch_call(call)
    if is_ordered:
        told["order"] = thread["order"]
    return told


def _epoch_call(call: Mapping[str, Any]) -> Form:
    told: Form = {"asks": "epoch", "epoch": call["epoch"]}
    told["current epoch"] = call["current"]
    if "error" in call:
        told["error"] = call["error"]
        if call["error"] == "NONE":
            told["found epoch"] = call["found_epoch"]
            told["found end"] = call["found_end"]
    return told


def _fetch_call(call: Mapping[str, Any]) -> Form:
    told: Form = {"asks": "records", "offset": call["offset"]}
    told["current epoch"] = call["current"]
    told["last epoch"] = call.get("last_epoch")
    if "error" not in call:
        return told
    told["error"] = call["error"]
    if call["error"] == "NONE":
        told["high watermark"] = call["hw"]
        told["start"] = call["start"]
        told["records"] = call["records"]
        told["corrupt"] = call["corrupt"]
        if "diverging" in call:
            told["diverging"] = call["diverging"]
    return told
