"""Nodes of a search for an explanation, and a depth-first search of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import define, field, frozen

from replicheck.explorer.engines.trace_validation.postponed_steps import (
    NOTHING,
    Postponable,
)
from replicheck.explorer.engines.trace_validation.state_table import Successor


@frozen(eq=False)
class Node:
    """A state, the position in each stream, and the node and step that led there."""

    state: int
    cursors: tuple[int, ...]
    parent: Node | None = None
    step: Successor | None = None
    postponable: Postponable = NOTHING


NodeKey = tuple[int, tuple[int, ...], Postponable]
"""What nodes are told apart by. With nothing to postpone, more steps are allowed."""

IsNeedless = Callable[[int, Successor, tuple[int, ...]], bool]
"""Takes a state, a step from it and the positions after it; whether it is left out."""


def is_none_needless(before: int, step: Successor, cursors: tuple[int, ...]) -> bool:
    """Leave out no step."""
    return False


@define
class DepthFirst:
    """A depth-first search that can be left and gone on with.

    ``ordered`` puts nodes in the order in which they are pushed, the last being
    visited first.
    """

    stack: list[Node]
    ordered: Callable[[list[Node]], list[Node]]
    is_needless: IsNeedless
    found: set[NodeKey] = field(init=False, factory=set)
    """What was ever on the stack."""

    def __attrs_post_init__(self) -> None:
        self.stack.reverse()

    def push(self, nodes: Iterable[Node]) -> None:
        """Put the nodes that are new on the stack."""
        following = []
        for node in nodes:
            key = node.state, node.cursors, node.postponable
            freer = node.state, node.cursors, NOTHING
            if key not in self.found and freer not in self.found:
                self.found.add(key)
                following.append(node)
        self.stack.extend(self.ordered(following))


def path_to(node: Node) -> list[Node]:
    """Nodes from the root to a node."""
    path: list[Node] = []
    at: Node | None = node
    while at is not None:
        path.append(at)
        at = at.parent
    return path[::-1]
