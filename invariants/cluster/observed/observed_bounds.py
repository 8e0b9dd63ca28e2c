"""Bounds of the cluster that are wide enough for what was observed of one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from replicheck.invariants.catalogue.size_limits import MOST_OF_A_BOUND

Label = Mapping[str, Any]
OF_A_REPLICA = ("log", "produce", "high_watermark", "epochs")
"""Kinds of streams whose name has a broker and a partition."""


def bounds_for(events: Iterable[tuple[str, Label]]) -> dict[str, int]:
    """Bounds by name that allow every fault and every record that was observed.

    The events come in the order of their times. A topic whose creation was not observed
    is on all brokers. A fault that leaves no trace of its own, such as a duplicate
    request, is allowed twice as often as sessions of running processes expired.
    """
    seen = list(events)
    writes = [write for _, label in seen for write in label.get("writes", ())]
    topics = [write for write in writes if write["znode"] == "topic"]
    expired = _expiries(seen)
    assigned = next((len(write.get("replicas", ())) for write in topics), None)
    brokers = max([assigned or 1, *(1 + broker for broker in _brokers(seen))])
    return {
        "brokers": brokers,
        "spare_brokers": 0 if assigned is None else brokers - assigned,
        "partitions": 1
        + max((write.get("partition", 0) for write in topics), default=0),
        "records": _count(_labels(seen, "log"), event="append"),
        "acknowledgements": int(bool(_labels(seen, "produce"))),
        "metadata": 1,
        "isr_notifications": 1,
        "directory_failures": _directory_failures(seen),
        "isr_shrinks": _isr_shrinks(writes),
        "controller_moves": _controller_moves(seen),
        "session_expiries": expired,
        "duplicates": min(2 * expired, MOST_OF_A_BOUND),
        "crashes": _crashes(seen, writes),
        "restarts": _count(writes, znode="broker", present=True),
        "shutdowns": len(_labels(seen, "shutdown")),
        "replacements": _count(_labels(seen, "operator"), event="replace_directory"),
        "topic_deletions": _count(writes, znode="topic_deletion", present=True),
        "reassignments": len(
            [
                write
                for write in writes
                if write["znode"] == "reassignment" and write.get("replicas")
            ]
        ),
        "cancellations": _cancellations(topics),
    }


def controllers_by_epoch(events: Iterable[tuple[str, Label]]) -> dict[int, int]:
    """Brokers that were controllers, by controller epoch."""
    found: dict[int, int] = {}
    for stream, label in events:
        if stream.startswith("requests ") and "controller_epoch" in label:
            controller = stream.removeprefix("requests ").partition(">")[0]
            found[label["controller_epoch"]] = int(controller)
    return found


def _labels(events: Iterable[tuple[str, Label]], kind: str) -> list[Label]:
    """Labels of the streams of a kind, such as ``log`` of ``log 0-0``."""
    return [label for stream, label in events if stream.partition(" ")[0] == kind]


def _count(labels: Iterable[Label], **values: object) -> int:
    """Number of labels with these values."""
    found = [
        label
        for label in labels
        if all(label.get(key) == value for key, value in values.items())
    ]
    return len(found)


def _controller_moves(events: Iterable[tuple[str, Label]]) -> int:
    """Deletions of ``/controller`` that are not the end of a broker's session."""
    return sum(
        all(write["znode"] != "broker" for write in writes)
        and _count(writes, znode="controller", broker=None) > 0
        for writes in (label.get("writes", ()) for _, label in events)
    )


def _crashes(events: list[tuple[str, Label]], writes: list[Label]) -> int:
    """Crashes that were reported, else sessions that ended and may be crashes."""
    reported = _count(_labels(events, "operator"), event="crash")
    return reported or _count(writes, znode="broker", present=False)


def _expiries(events: Iterable[tuple[str, Label]]) -> int:
    """Sessions that expired, less those of processes whose crash was reported."""
    found, crashed = 0, set()
    for stream, label in events:
        if stream == "operator" and label["event"] == "crash":
            crashed.add(label.get("broker"))
        for write in label.get("writes", ()):
            broker = write.get("broker") if write["znode"] == "broker" else None
            if write.get("session") == "expired" and broker not in crashed:
                found += 1
            elif write.get("present"):
                crashed.discard(broker)
    return found


def _cancellations(topics: Iterable[Label]) -> int:
    """Assignments without a replica that the one before began to add."""
    found, adding = 0, dict[Any, set[int]]()
    for write in topics:
        partition = write.get("partition")
        replicas = set(write.get("replicas", ()))
        found += not adding.get(partition, set()) <= replicas
        adding[partition] = set(write.get("adding", ()))
    return found


def _isr_shrinks(writes: Iterable[Label]) -> int:
    """Writes of an ISR that may be a leader's removal of a member.

    Those of the first state of a partition, of another leader epoch, or of an ISR with
    a new member are none.
    """
    found, before = 0, dict[Any, Label]()
    for write in writes:
        if write["znode"] != "partition_state":
            continue
        known = before.get(write.get("partition"), {})
        before[write.get("partition")] = write
        keys = {"leader_epoch", "isr"}
        if not (keys <= known.keys() and keys <= write.keys()):
            found += write.get("version") != 0
        elif known["leader_epoch"] == write["leader_epoch"]:
            found += set(write["isr"]) < set(known["isr"])
    return found


def _directory_failures(events: list[tuple[str, Label]]) -> int:
    """Failures that were reported, or that a broker's handler met."""
    reported = _count(_labels(events, "operator"), event="fail_directory")
    handled = _count(_labels(events, "log_dir_handler"), event="replicas_offline")
    return max(reported, handled)


def _brokers(events: Iterable[tuple[str, Label]]) -> Iterator[int]:
    """Brokers that a stream, an operator or a registration names."""
    for stream, label in events:
        kind, _, place = stream.partition(" ")
        if kind in OF_A_REPLICA:
            yield int(place.partition("-")[0])
        elif place:
            yield from map(int, re.split("[<>]", place))
        elif "broker" in label:
            yield label["broker"]
        for write in label.get("writes", ()):
            if write["znode"] == "broker" and "broker" in write:
                yield write["broker"]
