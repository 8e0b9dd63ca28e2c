"""Names of a real cluster, and the numbers that the model has for them.

The brokers of the first topic's assignment are 0, 1, 2, … in its order, since the model
assigns every partition to the first brokers; others follow by their ids. Partition P
of the model is the P-th topic that was created; directories are in the order of names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from replicheck.cli.observations.extraction.log_errors import errors_at
from replicheck.cli.observations.extraction.zookeeper_log import Transaction

TOPIC_NODE = re.compile(r"/brokers/topics/([^/]+)")
BROKER_NODE = re.compile(r"/brokers/ids/(\d+)")
INTERNAL = "__"


class UnknownClusterError(Exception):
    """The logs do not say what the cluster consists of."""


@frozen
class ClusterNames:
    """Brokers, topics and directories by their real names, each with its number.

    ``directories`` are by broker id; ``created`` is the time in ms of the first topic.
    ``topic_ids`` has the topics by their ids, which versions before 2.8 do not have.
    """

    brokers: Mapping[int, int]
    topics: Mapping[str, int]
    directories: Mapping[int, tuple[str, ...]]
    created: int
    topic_ids: Mapping[str, int] = field(factory=dict)

    def broker(self, broker_id: int) -> int:
        """Number of a broker."""
        return self.brokers[broker_id]

    def sorted_brokers(self, broker_ids: Iterable[object]) -> list[int]:
        """Numbers of brokers, sorted."""
        return sorted(self.brokers[int(str(broker_id))] for broker_id in broker_ids)

    def leader(self, broker_id: int) -> int | None:
        """Number of a leader, or None where Kafka writes a negative id."""
        return None if broker_id < 0 else self.brokers[broker_id]

    def directory(self, broker_id: int, path: str) -> int:
        """Number of a log directory of a broker."""
        return self.directories[broker_id].index(path)


def names_of(
    transactions: Iterable[Transaction], directories: Mapping[int, set[str]]
) -> ClusterNames:
    """Names that ZooKeeper's log and the brokers' logs have.

    Raises:
        LogError: if a znode has another form.
        UnknownClusterError: if no topic with partition 0 was created.
    """
    brokers: set[int] = set()
    topics: dict[str, list[int]] = {}
    topic_ids: dict[str, int] = {}
    created = 0
    for transaction in transactions:
        for operation in transaction.operations:
            if operation.kind != "create":
                continue
            with errors_at(f"zxid {transaction.zxid:#x}"):
                if match := BROKER_NODE.fullmatch(operation.path):
                    brokers.add(int(match[1]))
                elif (topic := _topic_of(operation.path)) and topic not in topics:
                    topic_ids[operation.data.get("topic_id", "")] = len(topics)
                    topics[topic] = _assignment(operation.data)
                    created = created or transaction.time
    if not topics:
        raise UnknownClusterError(
            "no topic was created in the part of ZooKeeper's log that is there; begin"
            " before the creation of the topic that is to be explained"
        )
    first = next(iter(topics.values()))
    order = [*first, *sorted(brokers - set(first))]
    return ClusterNames(
        {broker: number for number, broker in enumerate(order)},
        {topic: number for number, topic in enumerate(topics)},
        {broker: tuple(sorted(paths)) for broker, paths in directories.items()},
        created,
        topic_ids,
    )


def _topic_of(path: str) -> str:
    """Topic that a path is the znode of, but for Kafka's own; else an empty text."""
    match = TOPIC_NODE.fullmatch(path)
    return "" if match is None or match[1].startswith(INTERNAL) else match[1]


def _assignment(data: Any) -> list[int]:
    return [int(broker) for broker in data["partitions"]["0"]]
