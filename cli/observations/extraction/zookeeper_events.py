"""Transactions of ZooKeeper as observations of the stream ``zookeeper``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attrs import define, field

from replicheck.cli.observations.extraction.cluster_names import (
    BROKER_NODE,
    TOPIC_NODE,
    ClusterNames,
)
from replicheck.cli.observations.extraction.log_errors import errors_at
from replicheck.cli.observations.extraction.zookeeper_log import Operation, Transaction
from replicheck.explorer.engines.trace_validation.observations import Observation
from replicheck.invariants.cluster.observed.observed_znodes import znode_order

STATE_NODE = re.compile(r"/brokers/topics/([^/]+)/partitions/0/state")
DELETION_NODE = re.compile(r"/admin/delete_topics/([^/]+)")
SEQUENCE_NODE = re.compile(r"/(log_dir_event|isr_change)_notification/\1_(\d{10})")
ASSIGNED = ("partitions", "adding_replicas", "removing_replicas")

Write = dict[str, Any]


@define
class ZooKeeperEvents:
    """Writes to znodes that the model has, by the cluster's names."""

    names: ClusterNames
    _owners: dict[str, int] = field(factory=dict)
    """Session -> number of the broker that registered in it."""
    _controller_session: str = ""

    def observations(
        self, transactions: Iterable[Transaction]
    ) -> Iterator[Observation]:
        """Observations of the transactions that write to any of these znodes.

        Raises:
            LogError: if a znode has another form.
        """
        for transaction in transactions:
            source = f"zxid {transaction.zxid:#x}"
            with errors_at(source):
                writes = sorted(self._writes(transaction), key=znode_order)
            if writes:
                at, label = transaction.time, {"writes": writes}
                yield Observation("zookeeper", at, at, label, source)

    def _writes(self, transaction: Transaction) -> Iterator[Write]:
        for operation in transaction.operations:
            if operation.kind == "closeSession":
                yield from self._closed_session(transaction)
            elif operation.path == "/controller" and operation.kind == "create":
                yield self._controller(transaction, operation)
            elif operation.path == "/controller" and operation.kind == "delete":
                self._controller_session = ""
                yield {"znode": "controller", "broker": None}
            elif operation.kind == "create" and (
                match := BROKER_NODE.fullmatch(operation.path)
            ):
                yield self._registration(transaction, int(match[1]))
            else:
                yield from self._of_topics(operation)

    def _closed_session(self, transaction: Transaction) -> Iterator[Write]:
        broker = self._owners.pop(transaction.session, None)
        if broker is None:
            return
        how = "closed" if transaction.cxid else "expired"
        yield {"znode": "broker", "broker": broker, "present": False, "session": how}
        if transaction.session == self._controller_session:
            yield {"znode": "controller", "broker": None}

    def _controller(self, transaction: Transaction, operation: Operation) -> Write:
        self._controller_session = transaction.session
        epoch = next(
            part.data
            for part in transaction.operations
            if part.path == "/controller_epoch"
        )
        broker = self.names.broker(operation.data["brokerid"])
        return {"znode": "controller", "broker": broker, "controller_epoch": epoch}

    def _registration(self, transaction: Transaction, broker_id: int) -> Write:
        broker = self._owners[transaction.session] = self.names.broker(broker_id)
        return {"znode": "broker", "broker": broker, "present": True}

    def _of_topics(self, operation: Operation) -> Iterator[Write]:
        readings: tuple[tuple[re.Pattern[str], Callable[..., Iterator[Write]]], ...] = (
            (TOPIC_NODE, self._topic),
            (STATE_NODE, self._partition_state),
            (DELETION_NODE, self._deletion),
            (SEQUENCE_NODE, self._notification),
        )
        if operation.path == "/admin/reassign_partitions":
            yield from self._reassignment(operation)
        if operation.kind not in ("create", "setData", "delete"):
            return
        for pattern, reading in readings:
            if match := pattern.fullmatch(operation.path):
                yield from reading(operation, *match.groups())

    def _topic(self, operation: Operation, topic: str) -> Iterator[Write]:
        if topic not in self.names.topics:
            return
        data = operation.data if operation.kind != "delete" else {}
        lists = [
            [self.names.broker(broker) for broker in (data.get(key) or {}).get("0", [])]
            for key in ASSIGNED
        ]
        yield {
            "znode": "topic",
            "partition": self.names.topics[topic],
            **dict(zip(("replicas", "adding", "removing"), lists, strict=True)),
        }

    def _partition_state(self, operation: Operation, topic: str) -> Iterator[Write]:
        if topic not in self.names.topics or operation.kind == "delete":
            return
        data = operation.data
        yield {
            "znode": "partition_state",
            "partition": self.names.topics[topic],
            "leader": self.names.leader(data["leader"]),
            "leader_epoch": data["leader_epoch"],
            "isr": self.names.sorted_brokers(data["isr"]),
            "controller_epoch": data["controller_epoch"],
            "version": operation.version or 0,
        }

    def _deletion(self, operation: Operation, topic: str) -> Iterator[Write]:
        if topic in self.names.topics and operation.kind != "setData":
            yield {
                "znode": "topic_deletion",
                "partition": self.names.topics[topic],
                "present": operation.kind == "create",
            }

    def _notification(
        self, operation: Operation, znode: str, sequence: str
    ) -> Iterator[Write]:
        present = operation.kind == "create"
        yield {"znode": znode, "sequence": int(sequence), "present": present}

    def _reassignment(self, operation: Operation) -> Iterator[Write]:
        """The request for each partition: its replicas, or none when it ends."""
        if operation.kind == "delete":
            yield {"znode": "reassignment", "partition": 0, "replicas": []}
        elif operation.kind == "create":
            for asked in operation.data["partitions"]:
                if asked["topic"] in self.names.topics:
                    replicas = [self.names.broker(b) for b in asked["replicas"]]
                    partition = self.names.topics[asked["topic"]]
                    yield {
                        "znode": "reassignment",
                        "partition": partition,
                        "replicas": replicas,
                    }
