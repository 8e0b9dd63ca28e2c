"""Kafka's own tests of the fetchers: their data, which lies in `vectors/`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from checkout import VECTOR_FILES
from replicheck.model.fetching.cells.log import EpochEntry, PartitionLog
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import Epoch, Offset, RecordId

RECORDS = re.compile(r"(?:e(?P<epoch>\d+)|-)(?:\*(?P<times>\d+))?")
ENTRY = re.compile(r"e(?P<epoch>\d+)@(?P<start>\d+)")

Table = Mapping[str, Any]


@frozen
class Step:
    """What a test of Kafka does, and what it expects thereafter.

    ``partitions`` is a table by partition, or only names. ``expect`` is by partition.
    """

    do: str
    partitions: Table = field(factory=dict)
    times: int = 1
    until: str | None = None
    expect: Table = field(factory=dict)
    counts: Table = field(factory=dict)


@frozen
class Vector:
    """One test of Kafka, or why the model has none like it."""

    suite: str
    test: str
    variant: str = ""
    differs: str = ""
    inapplicable: str = ""
    protocol: str = "kafka-2.5.1"
    fetchers: int = 1
    leader: Table = field(factory=dict)
    replica: Table = field(factory=dict)
    answers: Table = field(factory=dict)
    steps: tuple[Step, ...] = ()

    @property
    def name(self) -> str:
        """The test's name in Kafka, and the variant if there are several."""
        return f"{self.suite}.{self.test}" + f" {self.variant}" * bool(self.variant)

    @property
    def partitions(self) -> list[str]:
        """The names of all partitions, in the order in which they are named."""
        tables = (self.leader, self.replica, *(step.partitions for step in self.steps))
        return list(dict.fromkeys(name for table in tables for name in table))


def vectors() -> list[Vector]:
    """All vectors, suite by suite."""
    return [
        _vector(path.stem, table)
        for path in sorted(VECTOR_FILES.glob("*.toml"))
        for table in tomllib.loads(path.read_text("utf-8"))["vector"]
    ]


def _vector(suite: str, table: dict[str, Any]) -> Vector:
    steps = tuple(_step(entry) for entry in table.pop("steps", ()))
    return Vector(suite, steps=steps, **table)


def _step(table: dict[str, Any]) -> Step:
    partitions = table.pop("partitions", {})
    if isinstance(partitions, list):
        partitions = dict.fromkeys(partitions)
    return Step(partitions=partitions, **table)


def log_of(records: str, cache: str | None = None) -> PartitionLog:
    """The log that ``records`` describes, such as ``- - e4*3``.

    Its cache of epochs is what appending gives, or else ``cache``, such as ``e4@2``.
    A record is the same wherever epoch and offset are.
    """
    log = PartitionLog()
    for word in records.split():
        found = RECORDS.fullmatch(word)
        assert found, f"{word!r} is no record: write e5, e5*200 or -"
        for _ in range(int(found["times"] or 1)):
            log = _with_next(log, found["epoch"])
    if cache is None:
        return log
    return PartitionLog(log.records, tuple(_entry(word) for word in cache.split()))


def _with_next(log: PartitionLog, epoch: str | None) -> PartitionLog:
    end = log.end_offset
    if epoch is None:
        return log.truncate_fully_and_start_at(Offset(end + 1))
    return log.append(Record(RecordId(end), Epoch(int(epoch))))


def _entry(word: str) -> EpochEntry:
    found = ENTRY.fullmatch(word)
    assert found, f"{word!r} is no entry of an epoch cache: write e5@0"
    return EpochEntry(Epoch(int(found["epoch"])), Offset(int(found["start"])))


def text_of(log: PartitionLog) -> str:
    """A log as a vector writes it, without repetition signs."""
    return " ".join(f"e{record.epoch}" if record else "-" for record in log.records)
