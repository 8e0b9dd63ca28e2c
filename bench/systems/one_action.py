"""Nodes that count and tell each other, with all nodes in each action.

An action goes over the nodes in a loop, where others have the node as a parameter.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import Bounds, Model, State, Value, bound, constant


class Size(Bounds):
    """Number of nodes, and how far each counts."""

    nodes: int = bound(7)
    most: int = bound(2)


class Node(Value):
    """How far a node has counted, and what its neighbour told it."""

    clock: int = 0
    told: int = 0


class Ring(State):
    """The nodes, of which each has a next one."""

    size: Size = constant()
    nodes: tuple[Node, ...] = ()


model = Model("one_action", Size, {})


@model.initial
def begin_at_zero(size: Size) -> Ring:
    """No node has counted."""
    return Ring(size, (Node(),) * size.nodes)


@model.action
def count(s: Ring) -> Iterator[Ring]:
    """A node counts on."""
    for i, node in enumerate(s.nodes):
        if node.clock < s.size.most:
            yield s.evolve(nodes={i: node.evolve(clock=node.clock + 1)})


@model.action
def tell(s: Ring) -> Iterator[Ring]:
    """A node tells the next one how far it is."""
    for i, node in enumerate(s.nodes):
        for j, other in enumerate(s.nodes):
            if j == (i + 1) % s.size.nodes and other.told < node.clock:
                yield s.evolve(nodes={j: other.evolve(told=node.clock)})


@model.always
def nothing_is_told_too_early(s: Ring) -> bool:
    """No node was told of more than its neighbour has counted."""
    return all(node.told <= s.nodes[i - 1].clock for i, node in enumerate(s.nodes))
