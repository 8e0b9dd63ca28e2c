"""Events in a broker's log that Kafka 2.5.1 and 3.9 write alike.

Source: KafkaController, RequestSendThread, ReplicaManager.handleLogDirFailure,
LogManager, KafkaServer, Log.append and Log.truncateTo.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from replicheck.cli.observations.extraction.broker_log import Expression, Found, Line
from replicheck.cli.observations.extraction.cluster_names import ClusterNames

CONTROLLER = ("kafka.controller.KafkaController",)
LOGS = ("kafka.log.Log", "kafka.log.UnifiedLog")
FAILED_SEND = "failed_send"
"""Kind of what only counts: a request that may have arrived, and is sent once more."""
PARTITION = r"partition=(?P<topic>\S+)-0, dir=[^\]]+\] "


def _ids(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def _log_dir_failure(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    brokers = names.sorted_brokers(_ids(match["brokers"]))
    yield Found(
        f"controller {broker}", {"event": "log_dir_failure", "brokers": brokers}
    )


def _broker_change(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    changed = {
        key: names.sorted_brokers(_ids(match[key]))
        for key in ("new", "deleted", "bounced")
    }
    yield Found(f"controller {broker}", {"event": "broker_change", **changed})


def _broker_startup(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    brokers = names.sorted_brokers(_ids(match["brokers"]))
    yield Found(f"controller {broker}", {"event": "broker_startup", "brokers": brokers})


def _broker_failure(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    brokers = names.sorted_brokers(_ids(match["brokers"]))
    yield Found(f"controller {broker}", {"event": "broker_failure", "brokers": brokers})


def _controlled_shutdown(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    label = {"event": "controlled_shutdown", "broker": names.broker(int(match["id"]))}
    yield Found(f"controller {broker}", label)


def _offline_replicas(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    topics = [name.rpartition("-")[0] for name in match["partitions"].split(",")]
    label = {
        "event": "replicas_offline",
        "broker": names.broker(int(match["id"])),
        "partitions": sorted(names.topics[topic] for topic in topics),
    }
    yield Found(f"controller {broker}", label)


def _failed_send(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    yield Found(f"{FAILED_SEND} {broker}", {})


def _failed_directory(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    event = {"replicas": "replicas_offline", "logs": "logs_closed"}[match["what"]]
    directory = next(
        names.directory(broker_id, match["dir"])
        for broker_id, number in names.brokers.items()
        if number == broker
    )
    yield Found(f"log_dir_handler {broker}", {"event": event, "directory": directory})


def _shutdown(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    yield Found(f"shutdown {broker}", {"event": "controlled_shutdown"})


def _append(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    partition = names.topics.get(match["topic"])
    if partition is None:
        return
    for offset in range(int(match["first"]), int(match["last"]) + 1):
        label = {"event": "append", "end": offset + 1}
        yield Found(f"log {broker}-{partition}", label)


def _truncation(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    partition = names.topics.get(match["topic"])
    if partition is not None:
        label = {"event": "truncate", "end": int(match["end"])}
        yield Found(f"log {broker}-{partition}", label)


COMMON: tuple[Expression, ...] = (
    Expression(
        CONTROLLER,
        re.compile(r"Handling log directory failure for brokers (?P<brokers>[\d,]*)"),
        _log_dir_failure,
    ),
    Expression(
        CONTROLLER,
        re.compile(
            r"Newly added brokers: (?P<new>[\d,]*), deleted brokers:"
            r" (?P<deleted>[\d,]*), bounced brokers: (?P<bounced>[\d,]*),"
        ),
        _broker_change,
    ),
    Expression(
        CONTROLLER,
        re.compile(r"New broker startup callback for (?P<brokers>[\d,]+)"),
        _broker_startup,
    ),
    Expression(
        CONTROLLER,
        re.compile(r"Broker failure callback for (?P<brokers>[\d,]+)"),
        _broker_failure,
    ),
    Expression(
        CONTROLLER,
        re.compile(r"Shutting down broker (?P<id>\d+)"),
        _controlled_shutdown,
    ),
    Expression(
        (*CONTROLLER, "state.change.logger"),
        re.compile(
            r"Mark replicas (?P<partitions>\S+) on broker (?P<id>\d+) as offline"
        ),
        _offline_replicas,
    ),
    Expression(
        ("kafka.server.ReplicaManager", "kafka.log.LogManager"),
        re.compile(r"Stopping serving (?P<what>replicas|logs) in dir (?P<dir>\S+)"),
        _failed_directory,
    ),
    Expression(
        ("kafka.controller.RequestSendThread",),
        re.compile(r"fails to send request"),
        _failed_send,
    ),
    Expression(
        ("kafka.server.KafkaServer",),
        re.compile(r"Starting controlled shutdown"),
        _shutdown,
    ),
    Expression(
        LOGS,
        re.compile(
            PARTITION + r"Appended message set with last offset: (?P<last>\d+),"
            r" first offset: (?:Some\()?(?P<first>\d+)"
        ),
        _append,
    ),
    Expression(
        LOGS,
        re.compile(PARTITION + r"Truncating to (?:offset )?(?P<end>\d+)"),
        _truncation,
    ),
)
