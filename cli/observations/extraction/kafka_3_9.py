"""Expressions for the logs of Kafka 3.9 in ZooKeeper mode.

Requests are in ``kafka.request.logger`` at DEBUG, as JSON: those of the controller, and
those by which a leader asks it for another ISR (KIP-497), which no model compares.
When the controller had a response is not read, since ``state.change.logger`` names
topics by their ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from replicheck.cli.observations.extraction.broker_events import COMMON
from replicheck.cli.observations.extraction.broker_log import Expression, Found, Line
from replicheck.cli.observations.extraction.cluster_names import ClusterNames
from replicheck.cli.observations.extraction.kafka_values import parse_value
from replicheck.cli.observations.extraction.replica_events import REPLICAS
from replicheck.cli.observations.extraction.request_labels import (
    RequestFields,
    error_name,
    errors_of,
)

FIELDS = RequestFields(
    controller_id="controllerId",
    controller_epoch="controllerEpoch",
    topic_states="topicStates",
    topic_name="topicName",
    partition_states="partitionStates",
    partition="partitionIndex",
    leader_epoch="leaderEpoch",
    lead_version="partitionEpoch",
    is_new="isNew",
    live_brokers="liveBrokers",
    offline_replicas="offlineReplicas",
    error_code="errorCode",
)
STOP_REPLICA = "STOP_REPLICA"
UPDATE_METADATA = "UPDATE_METADATA"


def _request(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    completed = parse_value(match["json"])
    kind = completed["requestHeader"]["requestApiKeyName"]
    request, response = completed["request"], completed["response"]
    controller = names.broker(request[FIELDS.controller_id])
    begin = line.time - round(completed["totalTimeMs"] + 0.5)
    label = _label(kind, request, response, names)
    yield Found(f"requests {controller}>{broker}", label, begin)


def _label(
    kind: str,
    request: Mapping[str, Any],
    response: Mapping[str, Any],
    names: ClusterNames,
) -> dict[str, Any]:
    if kind == UPDATE_METADATA:
        return FIELDS.metadata(request, names)
    if kind == STOP_REPLICA:
        return _stop_replica(request, names)
    topics = {
        topic[FIELDS.topic_name]: topic.get("topicId")
        for topic in request[FIELDS.topic_states]
        if topic[FIELDS.topic_name] in names.topics
    }
    codes = _partition_errors(response, topics, names)
    whole = response[FIELDS.error_code]
    numbers = [names.topics[name] for name in topics]
    return FIELDS.lead(request, errors_of(codes, whole, numbers), names)


def _partition_errors(
    response: Mapping[str, Any], ids: Mapping[str, str | None], names: ClusterNames
) -> list[tuple[int, int]]:
    """Error codes by partition; topics have names, from version 5 on ids."""
    by_id = {number: names.topics[name] for name, number in ids.items()}
    named = [
        (names.topics[error[FIELDS.topic_name]], error[FIELDS.error_code])
        for error in response.get("partitionErrors", ())
        if error[FIELDS.topic_name] in ids
    ]
    return named + [
        (by_id[topic["topicId"]], error[FIELDS.error_code])
        for topic in response.get("topics", ())
        if topic["topicId"] in by_id
        for error in topic["partitionErrors"]
    ]


def _stop_replica(request: Mapping[str, Any], names: ClusterNames) -> dict[str, Any]:
    stopped = [
        (
            names.topics[topic[FIELDS.topic_name]],
            state.get("deletePartition", False),
        )
        for topic in request.get(FIELDS.topic_states, ())
        if topic[FIELDS.topic_name] in names.topics
        for state in topic[FIELDS.partition_states]
    ]
    stopped += [
        (names.topics[topic["name"]], request["deletePartitions"])
        for topic in request.get("topics", ())
        if topic["name"] in names.topics
    ]
    return {
        "request": "StopReplica",
        "controller_epoch": request[FIELDS.controller_epoch],
        "delete": any(is_deleted for _, is_deleted in stopped),
        "partitions": sorted(partition for partition, _ in stopped),
    }


def _alter_partition(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    """Partitions whose ISR a leader asks to change, each with the controller's answer.

    Source: AlterPartitionManager, KafkaController.alterPartitions.
    """
    completed = parse_value(match["json"])
    request, response = completed["request"], completed["response"]
    leader = names.broker(request["brokerId"])
    begin = line.time - round(completed["totalTimeMs"] + 0.5)
    errors = {
        topic["topicId"]: state[FIELDS.error_code]
        for topic in response["topics"]
        for state in topic["partitions"]
    }
    for topic in request["topics"]:
        if topic["topicId"] not in names.topic_ids:
            continue
        for state in topic["partitions"]:
            isr = (member["brokerId"] for member in state["newIsrWithEpochs"])
            code = errors.get(topic["topicId"], response[FIELDS.error_code])
            label = {
                "request": "AlterPartition",
                "partition": names.topic_ids[topic["topicId"]],
                "leader_epoch": state[FIELDS.leader_epoch],
                "isr": names.sorted_brokers(isr),
                "version": state[FIELDS.lead_version],
                "error": error_name(code),
            }
            yield Found(f"alter_partition {leader}>{broker}", label, begin)


EXPRESSIONS: tuple[Expression, ...] = (
    *COMMON,
    *REPLICAS,
    Expression(
        ("kafka.request.logger",),
        re.compile(
            r'Completed request:(?P<json>\{.*"requestApiKeyName":'
            r'"(?:LEADER_AND_ISR|UPDATE_METADATA|STOP_REPLICA)".*\})'
        ),
        _request,
    ),
    Expression(
        ("kafka.request.logger",),
        re.compile(
            r'Completed request:(?P<json>\{.*"requestApiKeyName":"ALTER_PARTITION".*\})'
        ),
        _alter_partition,
    ),
)
