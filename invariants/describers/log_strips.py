"""Log strips: each log of a state with what marks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from attrs import evolve, frozen

from replicheck.model.shared.records import Record


@frozen
class EpochRun:
    """Records of one epoch that stand side by side, from offset ``start`` on."""

    epoch: int
    start: int
    records: tuple[str, ...]


@frozen
class LogStrip:
    """One log of a broker. What nothing in the state tells is None or empty.

    ``marks`` are what the broker believes of itself and what is stored of it.
    """

    broker: int
    name: str
    runs: tuple[EpochRun, ...]
    end_offset: int
    high_watermark: int | None = None
    leads: bool = False
    marks: tuple[str, ...] = ()
    is_accessible: bool = True
    """Whether its records can be read: its disk has not failed."""

    @property
    def lane(self) -> str:
        """Lane of the broker."""
        return f"broker {self.broker}"


@frozen
class LogPlace:
    """Where a log is. ``partition`` and ``directory`` are None where there is one."""

    broker: int
    partition: int | None = None
    directory: int | None = None

    @property
    def name(self) -> str:
        """Place in words."""
        words = [f"broker {self.broker}"]
        if self.partition is not None:
            words.append(f"partition {self.partition}")
        if self.directory is not None:
            words.append(f"directory {self.directory}")
        return ", ".join(words)


def strip(
    place: LogPlace, records: Iterable[Record | None], replica: Any, stored: Any
) -> LogStrip:
    """Strip of the log that a replica uses.

    Args:
        place: where the log is.
        records: what is in it; None is a record that was deleted.
        replica: what the broker believes.
        stored: leader and ISR on which all are to agree, or None.
    """
    listed = tuple(records)
    leads = replica.leader == place.broker
    return LogStrip(
        place.broker,
        place.name,
        tuple(_runs(place, listed)),
        len(listed),
        replica.high_watermark,
        leads,
        (*_believed(place.broker, replica), *_stored(place.broker, stored)),
    )


def idle_strip(
    place: LogPlace, records: Iterable[Record | None], stored: Any, why: str
) -> LogStrip:
    """Strip of a log that its broker does not use, and why."""
    listed = tuple(records)
    marks = (why, *_stored(place.broker, stored))
    runs = tuple(_runs(place, listed))
    return LogStrip(place.broker, place.name, runs, len(listed), marks=marks)


def on_failed_disk(found: LogStrip, *marks: str) -> LogStrip:
    """Strip of a log whose disk has failed, with further marks."""
    return evolve(found, marks=(*found.marks, *marks), is_accessible=False)


def _runs(place: LogPlace, records: tuple[Record | None, ...]) -> Iterator[EpochRun]:
    start = 0
    for epoch, group in groupby(records, key=_epoch):
        together = tuple(group)
        texts = tuple(_text(place, record) for record in together if record is not None)
        if epoch is not None:
            yield EpochRun(epoch, start, texts)
        start += len(together)


def _epoch(record: Record | None) -> int | None:
    return None if record is None else record.epoch


def _text(place: LogPlace, record: Record) -> str:
    return f"p{place.partition}{record}" if place.partition is not None else str(record)


def _believed(broker: int, replica: Any) -> Iterator[str]:
    if replica.leader == broker:
        yield f"leads in epoch {replica.epoch}, ISR {_set(replica.isr)}"
    elif replica.leader is not None:
        yield f"follows {replica.leader} in epoch {replica.epoch}"


def _stored(broker: int, stored: Any) -> Iterator[str]:
    if stored is not None and stored.leader == broker:
        yield "stored leader"
    if stored is not None and broker in stored.isr:
        yield "in stored ISR"


def _set(brokers: Iterable[int]) -> str:
    return f"{{{', '.join(map(str, sorted(brokers)))}}}"
