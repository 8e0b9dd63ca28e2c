"""What logs say of high watermarks, leader epochs, their caches, and producers.

Kafka 2.5.1 and 3.9 write the lines of replicas alike. What one line says depends on
those before it: a high watermark that is set need not have moved, and a cache is also
cut when a process starts. `replica_events` leaves out both.

Source: Partition.makeLeader, Log.updateHighWatermarkMetadata, LeaderEpochFileCache.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import evolve

from replicheck.cli.observations.extraction.broker_log import Expression, Found, Line
from replicheck.cli.observations.extraction.cluster_names import ClusterNames
from replicheck.explorer.engines.trace_validation.observations import Observation

LEADERSHIP = ("kafka.cluster.Partition", "state.change.logger")
LOGS = ("kafka.log.Log", "kafka.log.UnifiedLog")
CACHES = (
    "kafka.server.epoch.LeaderEpochFileCache",
    "org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache",
)
CACHE = r"\[LeaderEpochCache (?P<topic>\S+)-0\] "
PRODUCE, NOT_WAITED = "produce", "not waited"
"""Kind of the streams of answers; the event of a producer that does not wait."""
COMPARED_ONCE = "high_watermark"
"""Kind of stream that is compared until a broker registers again.

A replica of the models begins each process with the high watermark 0.
"""


def _leadership(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    partition = names.topics.get(match["topic"])
    if partition is not None:
        label = {
            "event": "lead",
            "leader_epoch": int(match["epoch"]),
            "end": int(match["end"]),
            "high_watermark": int(match["high_watermark"]),
        }
        yield Found(f"log {broker}-{partition}", label)


def _high_watermark(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    partition = names.topics.get(match["topic"])
    if partition is not None:
        label = {"event": "high_watermark", "offset": int(match["offset"])}
        yield Found(f"high_watermark {broker}-{partition}", label)


def _assigned(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    partition = names.topics.get(match["topic"])
    if partition is not None:
        label = {
            "event": "assign",
            "epoch": int(match["epoch"]),
            "start": int(match["start"]),
            "entries": int(match["entries"]),
        }
        yield Found(f"epochs {broker}-{partition}", label)


def _cut(
    match: re.Match[str], line: Line, broker: int, names: ClusterNames
) -> Iterator[Found]:
    partition = names.topics.get(match["topic"])
    if partition is not None:
        entries = int(match["entries"])
        label = {"event": "cut", "end": int(match["end"]), "entries": entries}
        yield Found(f"epochs {broker}-{partition}", label)


REPLICAS: tuple[Expression, ...] = (
    Expression(
        LEADERSHIP,
        re.compile(
            r"\] (?:Leader )?(?P<topic>\S+)-0 (?:with topic id \S+ )?starts at leader"
            r" epoch (?P<epoch>\d+) from offset (?P<end>\d+) with"
            r" (?:partition epoch \d+, )?high watermark (?P<high_watermark>\d+)"
        ),
        _leadership,
    ),
    Expression(
        LOGS,
        re.compile(
            r"partition=(?P<topic>\S+)-0, dir=[^\]]+\] Setting high watermark"
            r" (?:LogOffsetMetadata)?\((?:offset|messageOffset)=(?P<offset>\d+)"
        ),
        _high_watermark,
    ),
    Expression(
        CACHES,
        re.compile(
            CACHE
            + r"(?:Appended new|New) epoch entry EpochEntry\(epoch=(?P<epoch>\d+),"
            r" startOffset=(?P<start>\d+)\).*Cache now contains (?P<entries>\d+)"
        ),
        _assigned,
    ),
    Expression(
        CACHES,
        re.compile(
            CACHE + r"Cleared entries .* after truncating to end offset (?P<end>\d+),"
            r" leaving (?P<entries>\d+) entries"
        ),
        _cut,
    ),
)


def replica_events(
    observations: Iterable[Observation], registered: float
) -> Iterator[Observation]:
    """Observations of one broker's log, in the order of its lines, as steps show them.

    Args:
        observations: what the lines say, each for itself.
        registered: the time in ms when the broker registered once more, if it did.
    """
    high_watermarks: dict[str, int] = {}
    ends: dict[str, object] = {}
    for seen in _with_intervals(observations):
        partition = seen.stream.rpartition(" ")[2]
        event = seen.label.get("event")
        if seen.kind == COMPARED_ONCE:
            if seen.begin < registered:
                yield from _passed(seen, high_watermarks.get(partition, 0))
            high_watermarks[partition] = seen.label["offset"]
        elif event == "lead" and seen.begin >= registered:
            yield _without(seen, "high_watermark")
        elif event != "cut" or ends.get(partition) == seen.label["end"]:
            yield seen
        if seen.kind == "log":
            ends[partition] = seen.label["end"] if event == "truncate" else None


def _with_intervals(observations: Iterable[Observation]) -> list[Observation]:
    """Observations in their order, those of one step over the same times.

    A broker leads, and caches where its epoch starts, while it handles the request. The
    first record of an epoch is appended after the epoch was cached, which takes a write
    to the disk.
    """
    found = list(observations)
    request: Observation | None = None
    following: dict[str, Observation] = {}
    for place in range(len(found) - 1, -1, -1):
        seen = found[place]
        event, partition = seen.label.get("event"), seen.stream.rpartition(" ")[2]
        if seen.label.get("request") == "LeaderAndIsr":
            request = seen
        elif event == "lead" or (event == "assign" and _leads(found[:place], seen)):
            found[place] = _widened(seen, request)
        elif event == "assign":
            found[place] = _widened(seen, following.get(partition))
        if seen.kind == "log":
            following[partition] = seen
    return found


def _leads(before: list[Observation], assigned: Observation) -> bool:
    """Tell whether an epoch is cached since the broker came to lead in it."""
    log = "log " + assigned.stream.rpartition(" ")[2]
    last = next((seen for seen in reversed(before) if seen.stream == log), None)
    return last is not None and (
        last.label.get("leader_epoch") == assigned.label["epoch"]
    )


def _widened(seen: Observation, step: Observation | None) -> Observation:
    """An observation over the times of another one of its step, if there is one."""
    if step is None:
        return seen
    begin, end = min(seen.begin, step.begin), max(seen.end, step.end)
    return evolve(seen, begin=begin, end=end)


def _passed(seen: Observation, before: int) -> Iterator[Observation]:
    """Offsets that a high watermark passes; that it is 0 again is not told."""
    after = seen.label["offset"]
    passed = (
        range(before + 1, after + 1) if after >= before else range(after, after + 1)
    )
    for offset in passed:
        if offset:
            yield evolve(seen, label={**seen.label, "offset": offset})


def _without(seen: Observation, *keys: str) -> Observation:
    label = {key: value for key, value in seen.label.items() if key not in keys}
    return evolve(seen, label=label)


def without_offsets(seen: Observation) -> Observation:
    """An observation of a broker that leads, without what its log holds.

    That says nothing while no append is observed.
    """
    if seen.label.get("event") != "lead":
        return seen
    return _without(seen, "end", "high_watermark")


def producer_events(observations: Iterable[Observation]) -> Iterator[Observation]:
    """Observations of a broker's log in their order, with an answer for each record.

    A response has the offset of the first record of a batch; the model has a producer
    for each record.
    """
    batches: dict[str, tuple[str, int]] = {}
    ends: dict[tuple[str, int], int] = {}
    for seen in observations:
        partition = seen.stream.rpartition(" ")[2]
        if seen.label.get("event") == "append":
            end = seen.label["end"]
            line, begin = batches.get(partition, ("", end - 1))
            if line != seen.source:
                begin = end - 1
            batches[partition] = seen.source, begin
            ends[partition, begin] = end
        if seen.kind == PRODUCE and "offset" in seen.label:
            first = seen.label["offset"]
            for offset in range(first, ends.get((partition, first), first + 1)):
                yield evolve(seen, label={**seen.label, "offset": offset})
        else:
            yield seen


def answers_if_all_wait(observations: list[Observation]) -> list[Observation]:
    """Observations of a cluster, without answers if some producer does not wait.

    In the model either all producers wait for those in sync, or none does.
    """
    if all(seen.label.get("event") != NOT_WAITED for seen in observations):
        return observations
    return [seen for seen in observations if seen.kind != PRODUCE]
