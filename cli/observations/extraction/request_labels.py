"""Labels of the controller's requests, from the fields of a request log.

Versions name the fields differently (``leader_epoch``, ``leaderEpoch``):
`RequestFields` has the names of one version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import frozen

from replicheck.cli.observations.extraction.cluster_names import ClusterNames

ERRORS: Mapping[int, str] = {0: "NONE", 11: "STALE", 56: "STORAGE_ERROR"}
"""Errors of a partition that a broker answers, as the model names them, by code."""
REJECTED = "REJECTED"
"""The error of each partition in a request that is refused as a whole."""
DURING_DELETION = -2
"""Source: LeaderAndIsr.LeaderDuringDelete."""

Fields = Mapping[str, Any]
Label = dict[str, Any]


@frozen
class RequestFields:
    """Names of fields in the request log of a version."""

    controller_id: str
    controller_epoch: str
    topic_states: str
    topic_name: str
    partition_states: str
    partition: str
    leader_epoch: str
    lead_version: str
    is_new: str
    live_brokers: str
    offline_replicas: str
    error_code: str

    def lead(
        self, request: Fields, errors: Mapping[int, str], names: ClusterNames
    ) -> Label:
        """Label of a LeaderAndIsr request that was answered with these errors."""
        partitions = [
            {
                "partition": number,
                "leader": names.leader(state["leader"]),
                "leader_epoch": state[self.leader_epoch],
                "isr": names.sorted_brokers(state["isr"]),
                "version": state[self.lead_version],
                "is_new": _is_true(state[self.is_new]),
                **({"error": errors[number]} if number in errors else {}),
            }
            for number, state in self._states(request, names)
        ]
        return self._label("LeaderAndIsr", request, partitions)

    def metadata(self, request: Fields, names: ClusterNames) -> Label:
        """Label of an UpdateMetadata request."""
        partitions = [
            {
                "partition": number,
                "leader": names.leader(state["leader"]),
                "leader_epoch": state[self.leader_epoch],
                "isr": names.sorted_brokers(state["isr"]),
                "offline": names.sorted_brokers(state[self.offline_replicas]),
                "deleted": state["leader"] == DURING_DELETION,
            }
            for number, state in self._states(request, names)
        ]
        live = names.sorted_brokers(
            broker["id"] for broker in request[self.live_brokers]
        )
        label = self._label("UpdateMetadata", request, partitions)
        return {**label, "live_brokers": live}

    def _label(
        self, kind: str, request: Fields, partitions: list[dict[str, Any]]
    ) -> Label:
        return {
            "request": kind,
            "controller_epoch": request[self.controller_epoch],
            "partitions": partitions,
        }

    def _states(
        self, request: Fields, names: ClusterNames
    ) -> Iterator[tuple[int, Fields]]:
        """Partitions of the model, with what a request says of each."""
        found = [
            (names.topics[topic[self.topic_name]], state)
            for topic in request.get(self.topic_states, ())
            if topic[self.topic_name] in names.topics
            for state in topic[self.partition_states]
        ]
        yield from sorted(found, key=lambda pair: pair[0])


def errors_of(
    partitions: Iterable[tuple[int, int]], whole: int, numbers: Iterable[int]
) -> dict[int, str]:
    """Errors by partition; of a request that was refused, the same for all."""
    if whole:
        return dict.fromkeys(numbers, REJECTED)
    return {number: error_name(code) for number, code in partitions}


def error_name(code: int) -> str:
    """Name of an error in the model, or its number where the model has none."""
    return ERRORS.get(code, str(code))


def _is_true(value: object) -> bool:
    return value in (True, "true")
