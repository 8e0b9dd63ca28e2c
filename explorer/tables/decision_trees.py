"""Trees: for each instance, what to ask next and what comes of the answers so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from replicheck.explorer.native.kernels.arrays import (
    REQUESTED,
    Numbers,
    Shortcuts,
    U64Array,
)
from replicheck.explorer.runtime.memory.growable_array import GrowableArray
from replicheck.explorer.tables.lookups import Lookup

FIRST_LEAF = 2
"""Leaves begin here, so that no leaf's negative offset looks like DISABLED."""
FIRST_ROOM = 4
FIELDS, CHILDREN, ROOM = 4, 2, 3
"""So many numbers are of a node; where in them its children are, and their room."""


class DecisionTrees:
    """The arrays ``roots``, ``nodes``, ``children``, ``leaves`` and ``readers``.

    `tables` draws them. ``queries`` is the list of all queries, which others lengthen.
    """

    def __init__(
        self, queries: Sequence[tuple[int, Lookup]], instances: int, columns: int
    ) -> None:
        self.queries = queries
        self.roots: Numbers = np.zeros(instances, np.int32)
        self.nodes = GrowableArray(1024, FIELDS)
        self.nodes.take(1)
        self.node_queries: list[int] = [0]
        """The query that each node asks."""
        self.heads: list[int] = []
        """The nodes that ask about another column than their parent."""
        self.children = GrowableArray(1 << 14)
        self.leaves = GrowableArray(1 << 14)
        self.leaves.take(FIRST_LEAF)
        self.leaf_count = 0
        self.readers: U64Array = np.zeros((columns, (instances + 63) // 64), np.uint64)
        self._reader_bits = self.readers.data
        self._leaf_offsets: dict[tuple[int, ...], int] = {}
        self._not_fixed = np.zeros(columns, np.uint8)

    def add_leaf(self, leaf: tuple[int, ...]) -> int:
        """The code of a leaf for a tree, sharing equal leaves."""
        offset = self._leaf_offsets.get(leaf)
        if offset is None:
            offset = self._leaf_offsets[leaf] = self.leaves.take(len(leaf))
            self.leaves.array[offset : offset + len(leaf)] = leaf
        return -offset

    def find(self, instance: int, row: Sequence[int]) -> int:
        """The leaf code of an instance in a state, or 0 where not learned."""
        at = int(self.roots[instance])
        nodes, children = self.nodes.entries, self.children.entries
        while at > 0:
            column, lookup = self.queries[self.node_queries[at]]
            answer = lookup.number(row[column])
            if not 0 <= answer < nodes[FIELDS * at + ROOM]:
                return 0
            at = children[nodes[FIELDS * at + CHILDREN] + answer]
        return 0 if at == REQUESTED else at

    def insert(
        self, instance: int, reads: Sequence[tuple[int, int]], leaf: int
    ) -> bool:
        """Put a leaf at the end of a path of (query, answer); False if one is there.

        Raises:
            LookupError: if the tree asks another query on the way, or has a leaf in it.
        """
        if not reads:
            old, self.roots[instance] = int(self.roots[instance]), leaf
            if old not in (0, REQUESTED, leaf):
                raise LookupError
            return old != leaf
        if self.roots[instance] in (0, REQUESTED):
            self.roots[instance] = self._new_node(instance, reads[0][0], 0)
        at, slot = int(self.roots[instance]), -1
        nodes, children = self.nodes.entries, self.children.entries
        for query, answer in reads:
            if slot >= 0:
                parent, at = at, children[slot]
                if at in (0, REQUESTED):
                    at = self._new_node(instance, query, parent)
                    nodes, children = self.nodes.entries, self.children.entries
                    children[slot] = at
            if at <= 0 or self.node_queries[at] != query:
                raise LookupError
            if answer < nodes[FIELDS * at + ROOM]:
                slot = nodes[FIELDS * at + CHILDREN] + answer
            else:
                slot = self._widen(at, answer)
                children = self.children.entries
        old = children[slot]
        is_new = old in (0, REQUESTED)
        if not is_new and old != leaf:
            raise LookupError
        children[slot] = leaf
        self.leaf_count += is_new
        return is_new

    def forget(self, instances: Iterable[int]) -> None:
        """Have the trees of some instances learned anew."""
        for instance in instances:
            self.roots[instance] = 0

    def withdraw_requests(self) -> None:
        """Take back what was asked for and is not learned, so that it is asked anew."""
        for codes in self.roots, self.children.array:
            codes[codes == REQUESTED] = 0

    def leaf(self, code: int) -> Numbers:
        """The leaves' array from a leaf's code on."""
        return self.leaves.array[-code:]

    def without_shortcuts(self, jumps: Numbers) -> Shortcuts:
        """The trees as states are walked in which any column may differ."""
        return Shortcuts(self._not_fixed, self.roots, jumps, self.children.array)

    def node(self, number: int) -> tuple[int, int, Numbers]:
        """A node's column, its query and its children by answer."""
        query = self.node_queries[number]
        start, room = self.nodes.array[number, 2:4]
        return self.queries[query][0], query, self.children.array[start : start + room]

    def _new_node(self, instance: int, query: int, parent: int) -> int:
        """Add a node to an instance's tree, below another or below none (0)."""
        number = self.nodes.take(1)
        self.node_queries.append(query)
        column, lookup = self.queries[query]
        self._reader_bits[column, instance >> 6] |= 1 << (instance & 63)
        children = self.children.take(FIRST_ROOM)
        nodes, at = self.nodes.entries, FIELDS * number
        nodes[at], nodes[at + 1] = column, lookup.start
        nodes[at + CHILDREN], nodes[at + ROOM] = children, FIRST_ROOM
        if parent == 0 or nodes[FIELDS * parent] != column:
            self.heads.append(number)
        return number

    def _widen(self, node: int, answer: int) -> int:
        """Make room for the child of an answer, and return where it is."""
        nodes, at = self.nodes.entries, FIELDS * node
        start, room = nodes[at + CHILDREN], nodes[at + ROOM]
        larger = room
        while larger <= answer:
            larger *= 2
        moved = self.children.take(larger)
        children = self.children.array
        children[moved : moved + room] = children[start : start + room]
        nodes[at + CHILDREN], nodes[at + ROOM] = moved, larger
        return moved + answer
