"""Nodes that count, each by itself, and an invariant about all of them.

What is claimed of a node reads its cells alone; together they have nearly as many
values as there are states.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, bound, constant


class Size(Bounds):
    """Number of nodes, and how far each counts."""

    nodes: int = bound(4)
    most: int = bound(6)


class Node(Id):
    """Nodes."""


class Counts(State):
    """What each node counts, and the sum of what it counted."""

    size: Size = constant()
    clocks: tuple[int, ...] = ()
    sums: tuple[int, ...] = ()


model = Model("separate_nodes", Size, {Node: "nodes"})


@model.initial
def begin_at_zero(size: Size) -> Counts:
    """No node has counted."""
    return Counts(size, (0,) * size.nodes, (0,) * size.nodes)


@model.action
def count(s: Counts, node: Node) -> Iterator[Counts]:
    """A node counts on, and adds to its sum, which ends at 9."""
    clock, total = s.clocks[node], s.sums[node]
    if clock < s.size.most:
        yield s.evolve(clocks={node: clock + 1}, sums={node: min(total + clock, 9)})


@model.action
def begin_again(s: Counts, node: Node) -> Iterator[Counts]:
    """A node begins to count anew."""
    if s.clocks[node] > 0:
        yield s.evolve(clocks={node: 0})


@model.always
def sums_have_an_end(s: Counts) -> bool:
    """No node is beyond the end."""
    return all(
        s.sums[node] <= 9 and s.clocks[node] <= s.size.most
        for node in range(len(s.sums))
    )
