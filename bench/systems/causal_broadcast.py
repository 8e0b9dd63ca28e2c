"""Causal broadcast: a node delivers a message once it has what its sender had.

Both invariants say something of each message, and ask another set about it.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, Value, bound


class Node(Id):
    """A process that sends to all others."""


class Size(Bounds):
    """How many nodes there are, and how many messages each sends at most."""

    nodes: int = bound(3)
    most: int = bound(2)


class Message(Value):
    """A copy on its way, with how many messages of each node its sender had."""

    src: int
    dst: int
    clock: tuple[int, ...]


class Broadcast(State):
    """Copies on their way, and of each node what it delivered, and how many of each."""

    network: frozenset[Message]
    delivered: tuple[frozenset[tuple[int, int]], ...]
    clocks: tuple[tuple[int, ...], ...]
    most: int


model = Model("causal_broadcast", Size, {Node: "nodes"})


def counted(clock: tuple[int, ...], node: int) -> tuple[int, ...]:
    """A clock with one message more of a node."""
    return (*clock[:node], clock[node] + 1, *clock[node + 1 :])


@model.initial
def silence(size: Size) -> Broadcast:
    """Nothing was sent."""
    nodes = size.nodes
    nothing = (0,) * nodes
    delivered = (frozenset[tuple[int, int]](),) * nodes
    return Broadcast(frozenset(), delivered, (nothing,) * nodes, size.most)


@model.action
def broadcast(s: Broadcast, node: Node) -> Iterator[Broadcast]:
    """A node sends a message to all others, and delivers it."""
    if s.clocks[node][node] < s.most:
        clock = counted(s.clocks[node], node)
        others = [other for other in range(len(s.clocks)) if other != node]
        copies = {Message(int(node), other, clock) for other in others}
        yield s.evolve(
            network=s.network | copies,
            delivered={node: s.delivered[node] | {(int(node), clock[node])}},
            clocks={node: clock},
        )


@model.action
def deliver(s: Broadcast, node: Node) -> Iterator[Broadcast]:
    """A node delivers a message if it has all that its sender had."""
    for message in s.network:
        if message.dst != node:
            continue
        clock, source = s.clocks[node], message.src
        if message.clock[source] != clock[source] + 1:
            continue
        if any(
            message.clock[other] > clock[other]
            for other in range(len(clock))
            if other != source
        ):
            continue
        yield s.evolve(
            network=s.network - {message},
            delivered={node: s.delivered[node] | {(source, message.clock[source])}},
            clocks={node: counted(clock, source)},
        )


@model.always
def delivered_was_sent(s: Broadcast) -> bool:
    """What a node delivered, its sender has delivered."""
    return all(
        (source, number) in s.delivered[source]
        for delivered in s.delivered
        for source, number in delivered
    )


@model.always
def on_the_way_is_not_delivered(s: Broadcast) -> bool:
    """No copy is on its way to a node that delivered the message."""
    return not any(
        (message.src, message.clock[message.src]) in s.delivered[message.dst]
        for message in s.network
    )
