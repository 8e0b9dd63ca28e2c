"""Who takes part in a step: the lanes of a sequence diagram, and who tells whom.

A step is read by its shape: the names of its arguments and the cells that it changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.cells import Cell, Layout

ZOOKEEPER = "ZooKeeper"

STORED = frozenset(
    {
        "broker_nodes",
        "controller_nodes",
        "notifications",
        "partition_node",
        "partition_nodes",
        "partition_state",
        "topic_node",
    }
)
"""The fields that are in ZooKeeper, whatever their index."""

ACTORS = ("controller", "broker", "leader", "follower")
"""The arguments that name a broker, the one that acts first."""

READS = ("read_", "list_", "deliver_")
"""How the actions begin in which a broker only hears from ZooKeeper."""


@frozen
class Message:
    """One lane tells another something within a step."""

    source: str
    target: str


def lane_of(broker: object) -> str:
    """Return the lane of a broker."""
    return f"broker {broker}"


def lanes(layout: Layout) -> tuple[str, ...]:
    """Return every lane of the runs of a model, ZooKeeper first if it has any."""
    stored = [ZOOKEEPER] * any(cell.field in STORED for cell in layout.cells)
    brokers = {
        cell.index[0]
        for cell in layout.cells
        if cell.index and cell.field not in STORED
    }
    return (*stored, *(lane_of(each) for each in sorted(brokers)))


def lanes_of(cell: Cell) -> tuple[str, ...]:
    """Return the lanes to which a cell belongs; ghosts and budgets have none.

    A channel belongs to both of its ends.
    """
    if cell.field in STORED:
        return (ZOOKEEPER,)
    ends = cell.index if cell.field == "channels" else cell.index[:1]
    return tuple(dict.fromkeys(lane_of(each) for each in ends))


def actor(arguments: Mapping[str, Any]) -> str | None:
    """Return the lane that takes a step, or None if the arguments do not say."""
    named = [lane_of(arguments[each]) for each in ACTORS if each in arguments]
    return named[0] if named else None


def messages(
    action: str, arguments: Mapping[str, Any], changed: Sequence[Cell]
) -> tuple[Message, ...]:
    """Return who told whom in a step, in the order in which it happened."""
    told = (
        *_between_brokers(action, arguments, changed),
        *_with_zookeeper(action, arguments, changed),
    )
    return tuple(each for each in told if each.source != each.target)


def _between_brokers(
    action: str, arguments: Mapping[str, Any], changed: Iterable[Cell]
) -> Iterator[Message]:
    if {"controller", "broker"} <= arguments.keys():
        ends = [lane_of(arguments["controller"]), lane_of(arguments["broker"])]
        if action.startswith("receive_"):
            ends.reverse()
        yield Message(*ends)
    if {"leader", "follower"} <= arguments.keys():
        leader, follower = lane_of(arguments["leader"]), lane_of(arguments["follower"])
        touched = {lane for each in changed for lane in lanes_of(each)}
        if follower in touched:
            yield Message(leader, follower)
        elif ZOOKEEPER not in touched:
            yield Message(follower, leader)


def _with_zookeeper(
    action: str, arguments: Mapping[str, Any], changed: Iterable[Cell]
) -> Iterator[Message]:
    who = actor(arguments)
    if who is None:
        return
    if any(ZOOKEEPER in lanes_of(each) for each in changed):
        yield Message(who, ZOOKEEPER)
    elif action.startswith(READS):
        yield Message(ZOOKEEPER, who)
