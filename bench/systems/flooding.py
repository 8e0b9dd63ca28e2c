"""Flooding: each node sends its news to all others, and any message arrives.

The messages in flight are a set. An action loops over all of them, and receives each.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, Value, bound, constant


class Node(Id):
    """One of those that send and receive."""


class Size(Bounds):
    """How many nodes."""

    nodes: int = bound(4, at_least=2)


class News(Value):
    """The news of a node on its way to another one."""

    to: Node
    of: Node


class Network(State):
    """Whose news each node knows, which nodes have sent theirs, what is in flight."""

    size: Size = constant()
    known: tuple[frozenset[Node], ...]
    has_sent: tuple[bool, ...]
    messages: frozenset[News] = frozenset()


model = Model("flooding", Size, {Node: "nodes"})


@model.initial
def nothing_is_sent(size: Size) -> Network:
    """Each node knows its own news."""
    known = tuple(frozenset({Node(n)}) for n in range(size.nodes))
    return Network(size, known, (False,) * size.nodes)


@model.action
def send(s: Network, node: Node) -> Iterator[Network]:
    """A node sends its news to all others."""
    if not s.has_sent[node]:
        others = [Node(n) for n in range(s.size.nodes) if n != node]
        sent = frozenset(News(other, node) for other in others)
        yield s.evolve(has_sent={node: True}, messages=s.messages | sent)


@model.action
def receive(s: Network) -> Iterator[Network]:
    """Any message arrives."""
    for message in sorted(s.messages, key=repr):
        known = s.known[message.to] | {message.of}
        yield s.evolve(known={message.to: known}, messages=s.messages - {message})


@model.always
def news_is_of_senders(s: Network) -> bool:
    """A node knows the news of others only if they have sent it."""
    return all(
        s.has_sent[of] or of == node
        for node, known in enumerate(s.known)
        for of in known
    )


@model.sometimes
def each_node_knows_all(s: Network) -> bool:
    """All news has arrived everywhere."""
    return all(len(known) == s.size.nodes for known in s.known)


@model.sometimes
def a_node_knows_all_before_it_sends(s: Network) -> bool:
    """A node has the news of all others, and has not sent its own."""
    return any(
        len(known) == s.size.nodes and not has_sent
        for known, has_sent in zip(s.known, s.has_sent, strict=True)
    )
