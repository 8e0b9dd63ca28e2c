"""The loss ledger: what became of each record in a run.

A record is committed when it is first below the high watermark of a log whose owner
leads: from then on consumers read it there, and producers may be answered, so its loss
is data loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from replicheck.explorer.report import Trace
from replicheck.traces.describer import Describer, Strip


@define
class Entry:
    """The history of one record; numbers are those of states, from 1.

    ``copies`` has each log that came to have it later, with the number: who fetched it.
    ``committed`` has the number and the names of the logs that had it then;
    ``readable`` the logs from which consumers could read it, with the number of the
    first state; ``cuts`` each log that lost it, with the number, and ``deletions``
    each where it was removed from the front. ``holders`` are the logs that have it in
    the end, of which ``inaccessible`` are on failed disks.
    """

    record: str
    offset: int
    appended: tuple[int, str]
    copies: list[tuple[int, str]] = field(factory=list)
    committed: tuple[int, tuple[str, ...]] | None = None
    readable: dict[str, int] = field(factory=dict)
    cuts: list[tuple[int, str]] = field(factory=list)
    deletions: list[tuple[int, str]] = field(factory=list)
    holders: tuple[str, ...] = ()
    inaccessible: tuple[str, ...] = ()

    @property
    def is_lost(self) -> bool:
        """Tell whether it was committed, never deleted, and can be read from no log."""
        is_gone = not self._accessible and not self.deletions
        return self.committed is not None and is_gone

    @property
    def _accessible(self) -> tuple[str, ...]:
        return tuple(name for name in self.holders if name not in self.inaccessible)

    def __str__(self) -> str:
        """The history as one line."""
        return f"{self.record} (offset {self.offset}): {self._history()}"

    def _history(self) -> str:
        number, where = self.appended
        parts = [f"on {where} from state {number}"]
        parts += [f"copied to {where} in state {at}" for at, where in self.copies]
        if self.committed is None:
            parts.append("never committed")
        else:
            number, on = self.committed
            parts.append(f"committed in state {number} when on {_and(on)}")
            seen = [f"{where} since {at}" for where, at in self.readable.items()]
            parts.append(f"readable from {_and(seen)}")
        parts += [f"cut from {where} in state {at}" for at, where in self.cuts]
        parts += [f"deleted on {where} in state {at}" for at, where in self.deletions]
        parts.append(f"at the end on {_and(self._accessible)}")
        if self.inaccessible:
            parts.append(f"unreadable on {_and(self.inaccessible)}")
        return ", ".join(parts) + (": LOST" if self.is_lost else "")


def ledger(trace: Trace[Any], describer: Describer) -> tuple[Entry, ...]:
    """The history of every record of a run, in the order of appearance."""
    entries: dict[str, Entry] = {}
    before: Mapping[str, Mapping[str, int]] = {}
    for number, state in enumerate(trace.states, start=1):
        strips = describer.strips(state)
        now = _places(strips)
        _note_arrivals(entries, before, now, number)
        _note_departures(entries, before, strips, number)
        _note_committed(entries, strips, now, number)
        before = now
    last = describer.strips(trace.states[-1])
    failed = {strip.name for strip in last if not strip.is_accessible}
    for entry in entries.values():
        entry.inaccessible = tuple(name for name in entry.holders if name in failed)
    return tuple(entries.values())


def _note_arrivals(
    entries: dict[str, Entry],
    before: Mapping[str, Mapping[str, int]],
    now: Mapping[str, Mapping[str, int]],
    number: int,
) -> None:
    for name, records in now.items():
        for record, offset in records.items():
            if record not in entries:
                entries[record] = Entry(record, offset, (number, name))
            elif record not in before.get(name, ()):
                entries[record].copies.append((number, name))
    for record, entry in entries.items():
        entry.holders = _holders(record, now)


def _note_departures(
    entries: Mapping[str, Entry],
    before: Mapping[str, Mapping[str, int]],
    strips: Sequence[Strip],
    number: int,
) -> None:
    """Note who lost a record: cut where the log ends below it now, else deleted."""
    ends = {strip.name: strip.end_offset for strip in strips}
    for name, records in before.items():
        for record, offset in records.items():
            entry = entries[record]
            if name in entry.holders:
                continue
            is_cut = offset >= ends.get(name, 0)
            (entry.cuts if is_cut else entry.deletions).append((number, name))


def _note_committed(
    entries: Mapping[str, Entry],
    strips: Sequence[Strip],
    now: Mapping[str, Mapping[str, int]],
    number: int,
) -> None:
    for strip in strips:
        if not strip.leads or strip.high_watermark is None:
            continue
        for record, offset in now[strip.name].items():
            if offset < strip.high_watermark:
                entry = entries[record]
                entry.readable.setdefault(strip.name, number)
                entry.committed = entry.committed or (number, entry.holders)


def _places(strips: Sequence[Strip]) -> dict[str, dict[str, int]]:
    return {strip.name: dict(_records(strip)) for strip in strips}


def _records(strip: Strip) -> Iterator[tuple[str, int]]:
    for run in strip.runs:
        for offset, record in enumerate(run.records, start=run.start):
            yield record, offset


def _holders(record: str, now: Mapping[str, Mapping[str, int]]) -> tuple[str, ...]:
    return tuple(name for name, records in now.items() if record in records)


def _and(names: Sequence[str]) -> str:
    return " and ".join(names) or "no log"
