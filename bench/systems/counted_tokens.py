"""A ring of numbers that are copied on, and how many differ from the one before.

A step property counts those of all nodes, before a step and after it. So an action is
judged by all cells, for nearly each step, and runs on plain states.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from replicheck.modelling import Bounds, Id, Model, State, bound


class Node(Id):
    """A place in the ring."""


class Size(Bounds):
    """How many nodes and numbers there are."""

    nodes: int = bound(8)
    values: int = bound(4)


class Ring(State):
    """The number of each node."""

    numbers: tuple[int, ...]


model = Model("counted_tokens", Size, {Node: "nodes"})


@model.initial
def any_numbers(size: Size) -> Iterator[Ring]:
    """Each node has any number."""
    for numbers in product(range(size.values), repeat=size.nodes):
        yield Ring(numbers)


@model.action
def copy(s: Ring, node: Node) -> Iterator[Ring]:
    """A node takes the number of the one before."""
    if s.numbers[node] != s.numbers[node - 1]:
        yield s.evolve(numbers={node: s.numbers[node - 1]})


def tokens(s: Ring) -> int:
    """How many nodes have another number than the one before."""
    return sum(s.numbers[n] != s.numbers[n - 1] for n in range(len(s.numbers)))


@model.every_step
def tokens_never_become_more(before: Ring, after: Ring) -> bool:
    """A step makes none."""
    return tokens(after) <= tokens(before)
