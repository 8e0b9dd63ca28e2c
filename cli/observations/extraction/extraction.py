"""Logs of a cluster as observations.

A folder of logs has

* ZooKeeper's transaction log: files ``log.*`` below it, or ``zookeeper.jsonl``;
* one log a broker: ``broker-ID.log``, which may be compressed with gzip;
* if known, ``operator.jsonl``: crashes, failed and replaced directories, and when
  observation ended, at rest or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from attrs import frozen

from replicheck.cli.observations.extraction.broker_events import FAILED_SEND
from replicheck.cli.observations.extraction.broker_log import (
    Expression,
    Recognition,
    directories_of,
    observations_of,
)
from replicheck.cli.observations.extraction.cluster_names import ClusterNames, names_of
from replicheck.cli.observations.extraction.kafka_2_5 import EXPRESSIONS as KAFKA_2_5
from replicheck.cli.observations.extraction.kafka_3_9 import EXPRESSIONS as KAFKA_3_9
from replicheck.cli.observations.extraction.log_errors import (
    OF_ANOTHER_FORM,
    read_log,
)
from replicheck.cli.observations.extraction.replica_events import (
    answers_if_all_wait,
    producer_events,
    replica_events,
    without_offsets,
)
from replicheck.cli.observations.extraction.zookeeper_events import ZooKeeperEvents
from replicheck.cli.observations.extraction.zookeeper_log import (
    Transaction,
    milliseconds,
    read_transactions,
)
from replicheck.cli.observations.observation_file import AT_REST, UNOBSERVED
from replicheck.explorer.engines.trace_validation.observations import Observation
from replicheck.explorer.runtime.bounded_files import parse_json
from replicheck.invariants.catalogue.size_limits import MOST_OF_A_BOUND

VERSIONS: Mapping[str, tuple[Expression, ...]] = {
    "kafka-2.5.1": KAFKA_2_5,
    "kafka-3.9": KAFKA_3_9,
}
"""Expressions by the version whose logs they read."""
BROKER_LOG = re.compile(r"broker-(\d+)\.log(\.gz)?")
OPERATOR_LOG = "operator.jsonl"
OPERATOR_EVENTS = ("crash", "fail_directory", "replace_directory", "end")
OPERATOR_KEYS: Mapping[str, str] = {
    "event": "an event of an operator",
    "time": "a time in UTC",
    "broker": "the id of a broker of the cluster",
    "directory": "the number of a directory",
}
"""What is expected under each key of an event of an operator."""
T = TypeVar("T")


class ExtractionError(Exception):
    """A folder of logs lacks something, or holds what cannot be read."""


@frozen
class Extraction:
    """Observations in the order of their times, and what they were read from."""

    names: ClusterNames
    observations: tuple[Observation, ...]
    recognition: Mapping[str, Recognition]
    """For each broker's log file, which lines were read."""
    unobserved: tuple[str, ...]
    """Kinds of streams and events that these logs do not show."""
    bounds: Mapping[str, int]
    """Bounds of what leaves no observation, and was counted."""
    ends: str | None = None
    """`AT_REST` if the cluster was watched until nothing was left to do."""


def extract(folder: Path, version: str) -> Extraction:
    """Observations of a folder of logs.

    Raises:
        ExtractionError: if ZooKeeper's log or a broker's log is missing.
        ZooKeeperLogError: if ZooKeeper's log is torn.
        UnknownClusterError: if no topic was created in it.
        LogError: if a file cannot be read, or a line has another form.
        OSError: if the folder cannot be read.
    """
    logs = _broker_logs(folder)
    transactions = _transactions(folder)
    directories = {broker: directories_of(path) for broker, path in logs.items()}
    names = names_of(transactions, directories)
    recognition = {path.name: Recognition() for path in logs.values()}
    operator = _operator_log(folder / OPERATOR_LOG, names)
    written = [*ZooKeeperEvents(names).observations(transactions)]
    found = [*written, *operator.observations]
    for broker, path in logs.items():
        if broker in names.brokers:
            expressions, counts = VERSIONS[version], recognition[path.name]
            number = names.brokers[broker]
            lines = observations_of(path, number, names, expressions, counts)
            registered = _registered_again(number, written, names.created)
            found += producer_events(replica_events(lines, registered))
    watched = [
        observation
        for observation in sorted(
            answers_if_all_wait(found), key=lambda observation: observation.begin
        )
        if names.created <= observation.begin <= operator.end
    ]
    unobserved = _unobserved(watched, folder)
    kept = [
        seen
        for seen in watched
        if seen.label.get("event") not in unobserved and seen.kind != FAILED_SEND
    ]
    if "append" in unobserved:
        kept = [*map(without_offsets, kept)]
    failed_sends = sum(seen.kind == FAILED_SEND for seen in watched)
    bounds = {"duplicates": min(failed_sends, MOST_OF_A_BOUND)}
    return Extraction(
        names, tuple(kept), recognition, unobserved, bounds, operator.ends
    )


def _registered_again(
    broker: int, written: Iterable[Observation], created: int
) -> float:
    """Time in ms of a broker's first registration after the topic's creation."""
    return next(
        (
            observation.begin
            for observation in written
            for write in observation.label["writes"]
            if write["znode"] == "broker" and write["present"]
            if write["broker"] == broker and observation.begin >= created
        ),
        float("inf"),
    )


def _unobserved(watched: Sequence[Observation], folder: Path) -> tuple[str, ...]:
    seen = {observation.kind for observation in watched}
    seen |= {str(observation.label.get("event")) for observation in watched}
    if (folder / OPERATOR_LOG).exists():
        seen.add("operator")
    if "append" not in seen:
        # Where a log is truncated says nothing while it is not known what it holds.
        seen.discard("truncate")
    return tuple(kind for kind in UNOBSERVED if kind not in seen)


def _broker_logs(folder: Path) -> dict[int, Path]:
    logs = {
        int(match[1]): path
        for path in sorted(folder.iterdir())
        if (match := BROKER_LOG.fullmatch(path.name))
    }
    if not logs:
        raise ExtractionError(
            f"{folder}: has no broker's log; each is to be named broker-ID.log, ID"
            " being the broker's id"
        )
    return logs


def _transactions(folder: Path) -> list[Transaction]:
    files = [
        *sorted(folder.glob("zookeeper.jsonl")),
        *sorted(folder.rglob("log.*"), key=lambda path: path.suffix),
    ]
    if not files:
        raise ExtractionError(
            f"{folder}: has no transaction log of ZooKeeper; copy the files log.* from"
            " the folder version-2 of its dataLogDir"
        )
    transactions = [line for path in files for line in read_transactions(path)]
    return sorted(transactions, key=lambda transaction: transaction.zxid)


@frozen
class _OperatorLog:
    """What was done to the cluster, and when observation ended, in ms."""

    observations: tuple[Observation, ...] = ()
    end: float = float("inf")
    ends: str | None = None


def _operator_log(path: Path, names: ClusterNames) -> _OperatorLog:
    """Events of ``operator.jsonl``: a time, an event, a broker's id, a directory.

    Raises:
        ExtractionError: if a line is something else.
        LogError: if it cannot be read.
    """
    found: list[Observation] = []
    end, ends = float("inf"), None
    text = read_log(path).decode("utf-8", "replace") if path.exists() else ""
    for number, entry in enumerate(text.splitlines(), 1):
        try:
            line = _operator_line(entry)
            event = _read("event", line, _event)
            at = _read("time", line, milliseconds)
            label = _operator_label(event, line, names)
            is_at_rest = _is_at_rest(line)
        except ValueError as error:
            raise ExtractionError(
                f"{path}:{number}: no event of an operator: {error}; a line is"
                ' {"time": "2026-01-31T12:00:00.000", "event": "crash", "broker": 0};'
                f" events are {', '.join(OPERATOR_EVENTS)}"
            ) from error
        if event == "end":
            end, ends = at, AT_REST if is_at_rest else None
        else:
            source = f"{path.name}:{number}"
            found.append(Observation("operator", at, at, label, source))
    return _OperatorLog(tuple(found), end, ends)


def _operator_line(text: str) -> dict[str, Any]:
    line = parse_json(text)
    if not isinstance(line, dict):
        raise ValueError("is no JSON object")
    return line


def _read(key: str, line: Mapping[str, Any], form: Callable[[Any], T]) -> T:
    """What a line has under a key.

    Raises:
        ValueError: naming the key, if it is missing or has another form.
    """
    if key not in line:
        raise ValueError(f"{key} is missing")
    try:
        return form(line[key])
    except OF_ANOTHER_FORM as error:
        expected = OPERATOR_KEYS[key]
        raise ValueError(f"{key} is {line[key]!r}, expected {expected}") from error


def _event(name: str) -> str:
    return OPERATOR_EVENTS[OPERATOR_EVENTS.index(name)]


def _is_at_rest(line: Mapping[str, Any]) -> bool:
    """Tell whether the end of observation says that nothing was left to do."""
    found = line.get("at_rest", False)
    if not isinstance(found, bool) or (found and line["event"] != "end"):
        raise ValueError(f"at_rest is {found!r}, expected true or false of an end")
    return found


def _operator_label(
    event: str, line: Mapping[str, Any], names: ClusterNames
) -> dict[str, Any]:
    if event == "end":
        return {}
    label = {"event": event, "broker": _read("broker", line, names.broker)}
    if event == "crash":
        return label
    return {**label, "directory": _read("directory", line, int)}
