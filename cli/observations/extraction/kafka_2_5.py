"""Expressions for the logs of Kafka 2.5.

Requests, also of producers, are in ``kafka.request.logger`` at DEBUG with its fields at
TRACE, responses to the controller in ``state.change.logger`` at TRACE.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from replicheck.cli.observations.extraction.broker_events import COMMON
from replicheck.cli.observations.extraction.broker_log import Expression, Found, Line
from replicheck.cli.observations.extraction.cluster_names import ClusterNames
from replicheck.cli.observations.extraction.kafka_values import parse_value
from replicheck.cli.observations.extraction.replica_events import (
    NOT_WAITED,
    PRODUCE,
    REPLICAS,
)
from replicheck.cli.observations.extraction.request_labels import (
    RequestFields,
    error_name,
    errors_of,
)

FIELDS = RequestFields(
    controller_id="controller_id",
    controller_epoch="controller_epoch",
    topic_states="topic_states",
    topic_name="topic_name",
    partition_states="partition_states",
    partition="partition_index",
    leader_epoch="leader_epoch",
    lead_version="zk_version",
    is_new="is_new",
    live_brokers="live_brokers",
    offline_replicas="offline_replicas",
    error_code="error_code",
)

ALL_IN_SYNC = -1
"""``acks=all``."""
NOTHING_APPENDED = -1
SIZE = re.compile(r"[\[,](?P<topic>[^\[,=]+)-0=\d+")
ANSWER = re.compile(
    r"topic=(?P<topic>[^,]+),partition_responses=\[\{partition=0,"
    r"error_code=(?P<error>-?\d+),base_offset=(?P<offset>-?\d+)"
)


def _request(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    request, response = parse_value(match["request"]), parse_value(match["response"])
    controller = names.broker(request[FIELDS.controller_id])
    begin = line.time - round(float(match["total"]) + 0.5)
    label = _label(match["kind"], request, response, names)
    yield Found(f"requests {controller}>{broker}", label, begin)


def _label(
    kind: str,
    request: Mapping[str, Any],
    response: Mapping[str, Any],
    names: ClusterNames,
) -> dict[str, Any]:
    if kind == "UPDATE_METADATA":
        return FIELDS.metadata(request, names)
    if kind == "LEADER_AND_ISR":
        errors = errors_of(
            _partition_errors(response, names),
            response[FIELDS.error_code],
            names.topics.values(),
        )
        return FIELDS.lead(request, errors, names)
    deletes = request["delete_partitions"] == "true"
    label = {
        "request": "StopReplica",
        "controller_epoch": request[FIELDS.controller_epoch],
        "delete": deletes,
        "partitions": sorted(
            names.topics[topic["name"]] for topic in request["topics"]
        ),
    }
    if deletes and not response[FIELDS.error_code]:
        label["errors"] = _answered(response, names)
    return label


def _answered(response: Mapping[str, Any], names: ClusterNames) -> list[dict[str, Any]]:
    return [
        {"partition": partition, "error": error_name(code)}
        for partition, code in sorted(_partition_errors(response, names))
    ]


def _partition_errors(
    response: Mapping[str, Any], names: ClusterNames
) -> list[tuple[int, int]]:
    return [
        (names.topics[error["topic_name"]], error[FIELDS.error_code])
        for error in response["partition_errors"]
        if error["topic_name"] in names.topics
    ]


def _response(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    answered = names.broker(int(match["id"]))
    response = parse_value(match["response"])
    label: dict[str, Any] = {"response": "LeaderAndIsr"}
    if not response[FIELDS.error_code]:
        label["partitions"] = _answered(response, names)
    yield Found(f"responses {broker}<{answered}", label)


def _answer_to_producer(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    if int(match["acks"]) != ALL_IN_SYNC:
        for size in SIZE.finditer(match["request"]):
            if size["topic"] in names.topics:
                stream = f"{PRODUCE} {broker}-{names.topics[size['topic']]}"
                yield Found(stream, {"event": NOT_WAITED})
        return
    for answer in ANSWER.finditer(match["response"]):
        partition, offset = names.topics.get(answer["topic"]), int(answer["offset"])
        if partition is not None and offset != NOTHING_APPENDED:
            event = "refuse" if int(answer["error"]) else "acknowledge"
            label = {"event": event, "offset": offset}
            yield Found(f"{PRODUCE} {broker}-{partition}", label)


EXPRESSIONS: tuple[Expression, ...] = (
    *COMMON,
    *REPLICAS,
    Expression(
        ("kafka.request.logger",),
        re.compile(
            r"RequestHeader\(apiKey=(?P<kind>LEADER_AND_ISR|UPDATE_METADATA|STOP_REPLICA)"
            r",.*?\) -- (?P<request>\{.*?\}),response:(?P<response>\{.*\})"
            r" from connection .*?;totalTime:(?P<total>[\d.]+),"
        ),
        _request,
    ),
    Expression(
        ("kafka.request.logger",),
        re.compile(
            r"RequestHeader\(apiKey=PRODUCE,.*?\) --"
            r" (?P<request>\{acks=(?P<acks>-?\d+),.*?\}),response:(?P<response>.*?)"
            r" from connection "
        ),
        _answer_to_producer,
    ),
    Expression(
        ("state.change.logger",),
        re.compile(
            r"Received response (?P<response>\{.*\}) for request LEADER_AND_ISR with"
            r" correlation id \d+ sent to broker \S+ \(id: (?P<id>\d+)"
        ),
        _response,
    ),
)
