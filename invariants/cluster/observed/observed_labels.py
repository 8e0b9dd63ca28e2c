"""Streams and labels that observations of a cluster can have.

A key other than the one that tells the kind of a label may be left out: it was not
seen. Each label's keys are those that `ObservedSteps` shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

NUMBER, TEXT, FLAG, NUMBERS, NUMBER_OR_NONE, SESSION_END = (
    "an integer",
    "a text",
    "true or false",
    "a list of integers",
    "an integer or null",
    "expired or closed",
)
SESSION_ENDS = ("expired", "closed")
"""How the session of a broker can end that is registered no longer."""
Keys = Mapping[str, str]
"""For each key of an object, what its value is."""


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


IS: Mapping[str, Callable[[object], bool]] = {
    NUMBER: _is_number,
    TEXT: lambda value: isinstance(value, str),
    FLAG: lambda value: isinstance(value, bool),
    NUMBERS: lambda value: isinstance(value, list) and all(map(_is_number, value)),
    NUMBER_OR_NONE: lambda value: value is None or _is_number(value),
    SESSION_END: lambda value: value in SESSION_ENDS,
}

PARTITION_STATE: Keys = {
    "partition": NUMBER,
    "leader": NUMBER_OR_NONE,
    "leader_epoch": NUMBER,
    "isr": NUMBERS,
}
WRITES: Mapping[str, Keys] = {
    "broker": {"broker": NUMBER, "present": FLAG, "session": SESSION_END},
    "controller": {"broker": NUMBER_OR_NONE, "controller_epoch": NUMBER},
    "topic": {
        "partition": NUMBER,
        "replicas": NUMBERS,
        "adding": NUMBERS,
        "removing": NUMBERS,
    },
    "topic_deletion": {"partition": NUMBER, "present": FLAG},
    "reassignment": {"partition": NUMBER, "replicas": NUMBERS},
    "partition_state": {
        **PARTITION_STATE,
        "controller_epoch": NUMBER,
        "version": NUMBER,
    },
    "log_dir_event": {"sequence": NUMBER, "present": FLAG},
    "isr_change": {"sequence": NUMBER, "present": FLAG},
}
"""For each kind of znode the keys of a write to it."""
REQUESTS: Mapping[str, Keys] = {
    "LeaderAndIsr": {
        **PARTITION_STATE,
        "version": NUMBER,
        "is_new": FLAG,
        "error": TEXT,
    },
    "UpdateMetadata": {**PARTITION_STATE, "offline": NUMBERS, "deleted": FLAG},
    "StopReplica": {},
}
"""For each request the keys of a partition in it."""
ERRORS = "errors"
"""The key of StopReplica with a broker's answer for each replica to be deleted."""
REQUEST: Mapping[str, Keys] = {
    "LeaderAndIsr": {"controller_epoch": NUMBER},
    "UpdateMetadata": {"controller_epoch": NUMBER, "live_brokers": NUMBERS},
    "StopReplica": {"controller_epoch": NUMBER, "delete": FLAG, "partitions": NUMBERS},
}
ALTER_PARTITION: Keys = {
    "request": TEXT,
    "partition": NUMBER,
    "leader_epoch": NUMBER,
    "isr": NUMBERS,
    "version": NUMBER,
    "error": TEXT,
}
"""Keys of a leader's request for another ISR, which no model compares."""
RESPONSE: Keys = {"partition": NUMBER, "error": TEXT}
"""Keys of a partition in a response."""
CONTROLLER_EVENTS: Mapping[str, Keys] = {
    "log_dir_failure": {"brokers": NUMBERS},
    "broker_change": {"new": NUMBERS, "deleted": NUMBERS, "bounced": NUMBERS},
    "broker_startup": {"brokers": NUMBERS},
    "broker_failure": {"brokers": NUMBERS},
    "controlled_shutdown": {"broker": NUMBER},
    "replicas_offline": {"broker": NUMBER, "partitions": NUMBERS},
}
EVENTS: Mapping[str, Mapping[str, Keys]] = {
    r"controller \d+": CONTROLLER_EVENTS,
    r"log_dir_handler \d+": {
        "replicas_offline": {"directory": NUMBER},
        "logs_closed": {"directory": NUMBER},
    },
    r"shutdown \d+": {"controlled_shutdown": {}},
    r"log \d+-\d+": {
        "append": {"end": NUMBER},
        "truncate": {"end": NUMBER},
        "lead": {"leader_epoch": NUMBER, "end": NUMBER, "high_watermark": NUMBER},
    },
    r"produce \d+-\d+": {
        "acknowledge": {"offset": NUMBER},
        "refuse": {"offset": NUMBER},
    },
    r"high_watermark \d+-\d+": {"high_watermark": {"offset": NUMBER}},
    r"epochs \d+-\d+": {
        "assign": {"epoch": NUMBER, "start": NUMBER, "entries": NUMBER},
        "cut": {"end": NUMBER, "entries": NUMBER},
    },
    "operator": {
        "crash": {"broker": NUMBER},
        "fail_directory": {"broker": NUMBER, "directory": NUMBER},
        "replace_directory": {"broker": NUMBER, "directory": NUMBER},
    },
}
"""For each stream of events, by its pattern, the events with their keys."""
STREAMS = "zookeeper, requests C>B, responses C<B, controller B, log_dir_handler B,"
STREAMS += " shutdown B, log B-P, produce B-P, high_watermark B-P, epochs B-P,"
STREAMS += " alter_partition L>C, operator"


def label_errors(stream: str, label: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a label of a stream, each as ``key: problem``."""
    if stream == "zookeeper":
        yield from _objects(label, "writes", "znode", WRITES)
    elif re.fullmatch(r"requests \d+>\d+", stream):
        yield from _request(label)
    elif re.fullmatch(r"responses \d+<\d+", stream):
        yield from _kind(label, "response", ("LeaderAndIsr",))
        others = {key: value for key, value in label.items() if key != "partitions"}
        yield from _values(others, {"response": TEXT}, "")
        yield from _list(label, "partitions", RESPONSE)
    elif re.fullmatch(r"alter_partition \d+>\d+", stream):
        yield from _kind(label, "request", ("AlterPartition",))
        yield from _values(label, ALTER_PARTITION, "")
    else:
        known = next((k for p, k in EVENTS.items() if re.fullmatch(p, stream)), None)
        if known is None:
            yield f"stream: there is no stream {stream}; known: {STREAMS}"
            return
        yield from _kind(label, "event", known)
        keys = known.get(str(label.get("event")))
        if keys is not None:
            yield from _values(label, {"event": TEXT, **keys}, "")


def _request(label: Mapping[str, Any]) -> Iterator[str]:
    yield from _kind(label, "request", REQUEST)
    kind = str(label.get("request"))
    if kind not in REQUEST:
        return
    keys = {"request": TEXT, **REQUEST[kind]}
    if kind == "StopReplica":
        others = {key: value for key, value in label.items() if key != ERRORS}
        yield from _values(others, keys, "")
        yield from _list(label, ERRORS, RESPONSE)
        return
    others = {key: value for key, value in label.items() if key != "partitions"}
    yield from _values(others, keys, "")
    yield from _list(label, "partitions", REQUESTS[kind])


def _kind(label: Mapping[str, Any], key: str, known: object) -> Iterator[str]:
    kinds = list(known) if isinstance(known, Mapping | tuple) else []
    if not isinstance(label.get(key), str) or label[key] not in kinds:
        yield f"{key}: is {label.get(key)!r}, expected one of {', '.join(kinds)}"


def _objects(
    label: Mapping[str, Any], key: str, kind: str, known: Mapping[str, Keys]
) -> Iterator[str]:
    parts = label.get(key)
    if not isinstance(parts, list) or len(label) != 1:
        yield f"{key}: is to be the only key of the label, a list of objects"
        return
    for number, part in enumerate(parts):
        place = f"{key}[{number}]."
        keys = known.get(str(part.get(kind))) if isinstance(part, dict) else None
        if keys is None:
            yield f"{place}{kind}: is to be one of {', '.join(known)}"
        else:
            yield from _values(part, {kind: TEXT, **keys}, place)


def _list(label: Mapping[str, Any], key: str, keys: Keys) -> Iterator[str]:
    parts = label.get(key, [])
    if not isinstance(parts, list) or not all(isinstance(p, dict) for p in parts):
        yield f"{key}: is to be a list of objects"
        return
    for number, part in enumerate(parts):
        yield from _values(part, keys, f"{key}[{number}].")


def _values(part: Mapping[str, Any], keys: Keys, place: str) -> Iterator[str]:
    for key, value in part.items():
        if key not in keys:
            yield f"{place}{key}: unknown key; known: {', '.join(keys)}"
        elif not IS[keys[key]](value):
            yield f"{place}{key}: is {value!r}, expected {keys[key]}"
