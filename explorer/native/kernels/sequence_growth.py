"""Growth of a tree of sequences: what an operation makes of many values at once."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import Numbers
from replicheck.explorer.native.kernels.numba_support import compiled
from replicheck.explorer.native.kernels.sequence_arrays import (
    HEADS,
    LENGTH,
    NO_NODE,
    NO_VALUE,
    NODES,
    VALUES,
    TreeArrays,
)

SPREAD = uint64(0x9E3779B97F4A7C15)
HALF = uint64(32)


@compiled
def add_children(
    tree: TreeArrays, before: Numbers, lasts: Numbers, nodes: Numbers
) -> None:
    """Write the last of some nodes, each of which is an earlier one with an element.

    There is room for all of them.

    Args:
        before: for each the place of the earlier one in ``nodes``.
        lasts: for each its element.
        nodes: has the first ones.
    """
    first = nodes.shape[0] - before.shape[0]
    for place in range(before.shape[0]):
        parent = int64(nodes[before[place]])
        nodes[first + place] = _child(tree, parent, int64(lasts[place]))


@compiled
def append_all(
    tree: TreeArrays, nodes: Numbers, elements: Numbers, at: int, numbers: Numbers
) -> int:
    """Write the numbers of values with some elements more; return where it stopped.

    It stops where there is no room for one more value. So does `replace_heads`.

    Args:
        nodes: the nodes of the values.
        at: the value to begin with.
    """
    while at < nodes.shape[0]:
        if not _has_room(tree, elements.shape[0]):
            break
        node = int64(nodes[at])
        for place in range(elements.shape[0]):
            node = _child(tree, node, int64(elements[place]))
        numbers[at] = _number_of(tree, node)
        at += 1
    return at


@compiled
def replace_heads(
    tree: TreeArrays,
    nodes: Numbers,
    after_heads: Numbers,
    known: Numbers,
    path: Numbers,
    at: int,
    numbers: Numbers,
) -> int:
    """Write the numbers of values with another head; return where it stopped.

    Args:
        after_heads: for each value the node that its head becomes.
        known: the number of what a value becomes, negative where that is not known.
        path: room for as many elements as a value has.
    """
    while at < nodes.shape[0]:
        node, after = int64(nodes[at]), int64(after_heads[at])
        if not _has_room(tree, int64(tree.depths[node])):
            break
        length = 0
        while tree.parents[tree.parents[node]] != NO_NODE:
            path[length] = tree.lasts[node]
            length += 1
            node = int64(tree.parents[node])
            number = int64(tree.numbers[node])
            if number != NO_VALUE and number < known.shape[0] and known[number] >= 0:
                after = int64(tree.nodes[known[number]])
                break
        for place in range(length):
            after = _child(tree, after, int64(path[length - 1 - place]))
        numbers[at] = _number_of(tree, after)
        at += 1
    return at


@compiled
def place_nodes(tree: TreeArrays) -> None:
    """Give every node but the roots a slot; all are empty."""
    for node in range(tree.counts[NODES]):
        if tree.parents[node] != NO_NODE:
            slot = _slot(tree, int64(tree.parents[node]), int64(tree.lasts[node]))
            tree.slots[slot] = node


@compiled
def _has_room(tree: TreeArrays, more: int) -> Any:
    return tree.counts[NODES] + more <= tree.parents.shape[0]


@compiled
def _slot(tree: TreeArrays, parent: int, last: int) -> Any:
    """The slot of a node, or the empty one where it would be."""
    most = uint64(tree.slots.shape[0] - 1)
    edge = (uint64(parent) << HALF) | uint64(last)
    slot = ((edge * SPREAD) >> HALF) & most
    while True:
        node = int64(tree.slots[slot])
        if node == 0 or (tree.parents[node] == parent and tree.lasts[node] == last):
            return slot
        slot = (slot + uint64(1)) & most


@compiled
def _child(tree: TreeArrays, parent: int, last: int) -> Any:
    """The node with one more element."""
    slot = _slot(tree, parent, last)
    node = int64(tree.slots[slot])
    if node != 0:
        return node
    node, head = tree.counts[NODES], int64(tree.heads[parent])
    if tree.parents[parent] == NO_NODE:
        new = tree.counts[HEADS]
        tree.frames[new] = tree.frames[head]
        tree.counts[HEADS] = new + 1
        head = new
    depth = int64(tree.depths[parent]) + 1
    tree.parents[node], tree.lasts[node] = parent, last
    tree.depths[node], tree.heads[node] = depth, head
    tree.numbers[node] = NO_VALUE
    tree.slots[slot] = node
    tree.counts[NODES] = node + 1
    tree.counts[LENGTH] = max(tree.counts[LENGTH], depth)
    return node


@compiled
def _number_of(tree: TreeArrays, node: int) -> Any:
    """The number of the value that a node is, a new one if it has none."""
    number = int64(tree.numbers[node])
    if number == NO_VALUE:
        number = tree.counts[VALUES]
        tree.numbers[node], tree.nodes[number] = number, node
        tree.counts[VALUES] = number + 1
    return number
