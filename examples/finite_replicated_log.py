"""Logs that only grow, are cut, or copied: the base of TLA+ models of replication.

With 3 replicas, 2 records and logs of 3 there are 15 logs for each replica, so
15 * 15 * 15 = 3,375 states. Try `replicheck check examples/finite_replicated_log.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from replicheck.modelling import Bounds, Id, Model, State, Value, bound


class Replica(Id):
    """One that has a log."""


class Record(Id):
    """One that is appended."""


class Size(Bounds):
    """How many replicas and records there are, and how long a log is."""

    replicas: int = bound(3, at_least=1, fuzz=(1, 3))
    records: int = bound(2, at_least=1, fuzz=(1, 2))
    log_size: int = bound(3, at_least=1, fuzz=(1, 3))


class Log(Value):
    """A log. It grows, so it is a value, and no tuple of cells."""

    records: tuple[Record, ...] = ()

    def has_room(self, size: int) -> bool:
        """Tell whether one more record fits."""
        return len(self.records) < size

    def is_longer_than(self, length: int) -> bool:
        """Tell whether there are more records than that."""
        return len(self.records) > length

    def append(self, record: Record) -> Self:
        """Put a record behind all others."""
        return type(self)((*self.records, record))

    def cut(self, length: int) -> Self:
        """Leave only so many records."""
        return type(self)(self.records[:length])


class Logs(State):
    """The log of each replica, and how long it can be."""

    logs: tuple[Log, ...]
    log_size: int


class Length(Id):
    """A length of a log, shorter than the longest."""


model = Model(
    "finite-replicated-log",
    Size,
    {Replica: "replicas", Record: "records", Length: "log_size"},
)


@model.initial
def empty(size: Size) -> Logs:
    """No log has a record."""
    return Logs((Log(),) * size.replicas, size.log_size)


@model.action
def append(s: Logs, replica: Replica, record: Record) -> Iterator[Logs]:
    """A replica takes a record."""
    if s.logs[replica].has_room(s.log_size):
        yield s.evolve(logs={replica: s.logs[replica].append(record)})


@model.action
def truncate(s: Logs, replica: Replica, length: Length) -> Iterator[Logs]:
    """A replica cuts its log."""
    if s.logs[replica].is_longer_than(length):
        yield s.evolve(logs={replica: s.logs[replica].cut(length)})


@model.always
def no_log_is_too_long(s: Logs, replica: Replica) -> bool:
    """A log has an end."""
    return not s.logs[replica].is_longer_than(s.log_size)


@model.sometimes
def a_log_is_full(s: Logs) -> bool:
    """A log gets as long as it can."""
    return any(not log.has_room(s.log_size) for log in s.logs)
