"""Log strips: each log of a state as runs of leader epochs, with what marks it.

A state is read by its shape. A log is a cell whose value has ``records``, each with an
``epoch``; the first index of its family is the broker. The broker's replica is in the
family ``replicas``; who leads and who is in sync is stored where ``STORED`` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from attrs import frozen

from replicheck.explorer.cells import Cell, Layout
from replicheck.traces.notation import note

STORED = ("partition_state", "partition_node", "partition_nodes")
"""The fields that hold the leader and the ISR on which all are to agree."""


@frozen
class Run:
    """Records of one epoch that stand side by side, from offset ``start`` on."""

    epoch: int
    start: int
    records: tuple[str, ...]


@frozen
class Strip:
    """One log. An offset or a mark that nothing in the state tells is None or empty.

    ``marks`` are what the broker believes of itself and what is stored of it, such as
    ``leads in epoch 2`` and ``in the stored ISR``.
    """

    broker: int
    name: str
    runs: tuple[Run, ...]
    end_offset: int
    high_watermark: int | None
    marks: tuple[str, ...] = ()


def strips(layout: Layout, state: Any) -> tuple[Strip, ...]:
    """Return the strip of every log that exists, in the order of the layout.

    A broker without any has one strip without records, so that each has its row.
    """
    values = dict(zip(layout.cells, layout.values(state), strict=True))
    logs = {cell: value for cell, value in values.items() if _is_log(cell, value)}
    found = []
    for broker, group in groupby(logs, key=lambda each: each.index[0]):
        there = [each for each in group if getattr(logs[each], "exists", True)]
        replica = values.get(Cell("replicas", (broker,)))
        marks = (*_believed(broker, replica), *_stored(broker, values))
        found += [
            _strip(each, logs[each].records, replica, marks) for each in there
        ] or [Strip(broker, f"broker {broker}, no log", (), 0, None, marks)]
    return tuple(found)


def _is_log(cell: Cell, value: Any) -> bool:
    return bool(cell.index) and isinstance(getattr(value, "records", None), tuple)


def _strip(
    cell: Cell, records: tuple[Any, ...], replica: Any, marks: tuple[str, ...]
) -> Strip:
    broker, *rest = cell.index
    directory = getattr(replica, "directory", None)
    in_use = not rest or directory is None or directory == rest[0]
    name = ", ".join([f"broker {broker}", *(f"directory {each}" for each in rest[:1])])
    return Strip(
        broker,
        name,
        tuple(_runs(records)),
        len(records),
        getattr(replica, "high_watermark", None) if in_use else None,
        marks if in_use else ("not in use",),
    )


def _runs(records: tuple[Any, ...]) -> Iterator[Run]:
    start = 0
    for epoch, group in groupby(records, key=lambda each: each.epoch):
        together = tuple(note(each) for each in group)
        yield Run(epoch, start, together)
        start += len(together)


def _believed(broker: int, replica: Any) -> Iterator[str]:
    hosting = getattr(replica, "hosting", None)
    if hosting is not None and hosting.name != "ONLINE":
        yield "offline" if hosting.name == "OFFLINE" else "not hosted"
    leader = getattr(replica, "leader", None)
    if leader == broker:
        yield f"leads in epoch {note(replica.epoch)}, ISR {note(replica.isr)}"
    elif leader is not None:
        yield f"follows {leader} in epoch {note(replica.epoch)}"


def _stored(broker: int, values: dict[Cell, Any]) -> Iterator[str]:
    for name in STORED:
        stored = values.get(Cell(name))
        stored = getattr(stored, "content", stored)
        if stored is not None and stored.leader == broker:
            yield "stored leader"
        if stored is not None and broker in stored.isr:
            yield "in stored ISR"
