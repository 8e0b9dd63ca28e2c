"""JSON Schema of a line of observations, made from the tables of streams and labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from replicheck.cli.observations.observation_file import (
    AT_REST,
    FORMAT,
    SCHEMA,
    UNOBSERVED,
)
from replicheck.invariants.cluster.observed.observed_labels import (
    ALTER_PARTITION,
    ERRORS,
    EVENTS,
    FLAG,
    NUMBER,
    NUMBER_OR_NONE,
    NUMBERS,
    REQUEST,
    REQUESTS,
    RESPONSE,
    SESSION_END,
    SESSION_ENDS,
    TEXT,
    WRITES,
    Keys,
)

Schema = dict[str, Any]
VALUES: Mapping[str, Schema] = {
    NUMBER: {"type": "integer"},
    TEXT: {"type": "string"},
    FLAG: {"type": "boolean"},
    NUMBERS: {"type": "array", "items": {"type": "integer"}},
    NUMBER_OR_NONE: {"type": ["integer", "null"]},
    SESSION_END: {"enum": list(SESSION_ENDS)},
}
"""Schema of a value, by what a label's key says of it."""


def line_schema() -> Schema:
    """Schema of a line: the header, or an observation of one of the streams."""
    observations = [_observation(stream, labels) for stream, labels in _streams()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "a line of a file of observations: the header, or an observation",
        "oneOf": [_header(), *observations],
    }


def _header() -> Schema:
    properties = {
        "format": {"const": FORMAT},
        "schema": {"const": SCHEMA},
        "model": {"enum": ["cluster", "composed"]},
        "protocol": {"type": "string"},
        "initial": {"type": "string"},
        "slack": {"type": ["integer", "null"]},
        "bounds": {"type": "object", "additionalProperties": {"type": "integer"}},
        "unobserved": {"type": "array", "items": {"enum": list(UNOBSERVED)}},
        "names": {"type": "object"},
        "source": {"type": "string"},
        "ends": {"enum": [AT_REST, None]},
    }
    return _object(properties, ("format", "schema"))


def _observation(stream: str, labels: list[Schema]) -> Schema:
    properties = {
        "stream": {"type": "string", "pattern": f"^{stream}$"},
        "from": {"type": "integer"},
        "to": {"type": "integer"},
        "label": {"oneOf": labels},
        "source": {"type": "string"},
    }
    return _object(properties, ("stream", "from", "to", "label"))


def _streams() -> Iterator[tuple[str, list[Schema]]]:
    """Yield for each stream its pattern, and the schemas of its labels."""
    writes = [_kind("znode", kind, keys) for kind, keys in WRITES.items()]
    yield "zookeeper", [_object({"writes": _list(writes)}, ("writes",))]
    yield r"requests \d+>\d+", [_request(kind) for kind in REQUESTS]
    answered = {"response": {"const": "LeaderAndIsr"}, "partitions": _of(RESPONSE)}
    yield r"responses \d+<\d+", [_object(answered, ("response",))]
    asked = {**_values(ALTER_PARTITION), "request": {"const": "AlterPartition"}}
    yield r"alter_partition \d+>\d+", [_object(asked, ("request",))]
    for stream, events in EVENTS.items():
        yield stream, [_kind("event", kind, keys) for kind, keys in events.items()]


def _request(kind: str) -> Schema:
    """Schema of a request; StopReplica lists the numbers of its partitions."""
    properties: Schema = {"request": {"const": kind}, **_values(REQUEST[kind])}
    if REQUESTS[kind]:
        properties["partitions"] = _of(REQUESTS[kind])
    if kind == "StopReplica":
        properties[ERRORS] = _of(RESPONSE)
    return _object(properties, ("request",))


def _kind(name: str, kind: str, keys: Keys) -> Schema:
    return _object({name: {"const": kind}, **_values(keys)}, (name,))


def _of(keys: Keys) -> Schema:
    return _list([_object(_values(keys), ())])


def _list(items: list[Schema]) -> Schema:
    return {"type": "array", "items": items[0] if len(items) == 1 else {"oneOf": items}}


def _values(keys: Keys) -> Schema:
    return {key: VALUES[value] for key, value in keys.items()}


def _object(properties: Schema, required: Iterable[str]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
