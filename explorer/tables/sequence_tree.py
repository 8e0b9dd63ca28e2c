"""Sequences as paths of a tree: a queue is the queue before its last element, and it.

A class of values that names a field as its ``SEQUENCE`` promises how operations at the
ends change it (see `queue_laws`). So a value is a **node**: a root for what is in its
other fields, and an edge for each element. A node takes a few numbers, and an object of
Python is made of it only where one is asked for.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, Self, overload

import attrs
import numpy as np

from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.arrays import Indices, Numbers, U64Array
from replicheck.explorer.proxies.queue_laws import QueueLaws
from replicheck.explorer.states.exact_equality import fields_compared
from replicheck.explorer.states.fingerprint import (
    FIRST_MULTIPLIER,
    GOLDEN,
    SECOND_MULTIPLIER,
    Hasher,
)
from replicheck.explorer.states.value_parts import is_as_given, require_parts
from replicheck.explorer.tables.value_keys import PartNumbers, Unlike

NO_NODE, NO_VALUE = -1, -1
EDGE_BITS = 32
"""An edge is found by its node, and by the number of its element in so many bits."""
FIRST_ROOM = 1 << 10


class SequenceTree:
    """The values of one class: nodes, and which of them are numbered values.

    ``parents[n]`` is the node without the last element, ``lasts[n]`` the number of that
    element, ``heads[n]`` the number of the node's head: its root and first element.
    """

    def __init__(self, kind: Any, names: tuple[str, ...], at: int, hasher: Hasher):
        self.kind, self.sequence = kind, names[at]
        self.parents, self.lasts = array("i"), array("i")
        self.heads, self.numbers = array("i"), array("i")
        self.nodes = array("i")
        """The node of each numbered value."""
        self._names, self._at, self._hasher = names, at, hasher
        self._aliases = [field.alias or field.name for field in attrs.fields(kind)]
        # Of each field by itself, so that 0 in one and False in another are no clash.
        self._parts = tuple(PartNumbers(hasher) for _ in names)
        self._roots: dict[tuple[int, ...], int] = {}
        self._edges: dict[int, int] = {}
        self._frame_of_head: list[tuple[int, ...]] = []
        """The numbers of what is in each field, 0 for the sequence."""
        self._depths = array("i")
        self._node_hashes: U64Array = np.zeros(FIRST_ROOM, np.uint64)
        self._hashed = 0

    @classmethod
    def of(cls, value: Any, hasher: Hasher) -> Self | None:
        """The tree of values like this one; None if their class has no promise.

        Raises:
            ModelError: if the promise names no field.
        """
        kind: Any = type(value)
        laws = QueueLaws.of(value)
        promised = laws.sequence
        if promised is None or not laws.are_known:
            return None
        names = fields_compared(kind)
        if promised not in names or type(getattr(value, promised)) is not tuple:
            raise ModelError(
                f"`{kind.__name__}.SEQUENCE` is {promised!r}: expected the name of a"
                " field that holds a tuple and that `==` compares"
            )
        if not is_as_given(kind):
            return None
        return cls(kind, names, names.index(promised), hasher)

    def number(self, value: Any) -> int:
        """The number of a value, a new one if it is new.

        Raises:
            Unlike: if it cannot be said that it is, or is not, one of those known.
            ModelError: if something in it has no canonical form, or a part is not what
                its annotation says.
        """
        elements = getattr(value, self.sequence, None)
        if type(value) is not self.kind or type(elements) is not tuple:
            raise Unlike
        frame = [
            0 if place == self._at else parts.unmistakable(getattr(value, name))
            for place, (name, parts) in enumerate(
                zip(self._names, self._parts, strict=True)
            )
        ]
        if tuple(frame) not in self._roots:
            require_parts(value)
        node = self._root(tuple(frame))
        element_number = self._parts[self._at].unmistakable
        for element in elements:
            node = self.child(node, element_number(element))
        return self.number_of(node)

    def number_of(self, node: int) -> int:
        """The number of the value that a node is, a new one if it has none."""
        number = self.numbers[node]
        if number == NO_VALUE:
            number = self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return number

    def child(self, node: int, element: int) -> int:
        """The node with one more element."""
        edge = node << EDGE_BITS | element
        child = self._edges.get(edge)
        if child is None:
            is_first = self.parents[node] == NO_NODE
            child = self._edges[edge] = self._add(
                node, element, self._depths[node] + 1, self.heads[node]
            )
            if is_first:
                self.heads[child] = self._new_head(self.heads[node])
        return child

    def elements(self, node: int, above: int = NO_NODE) -> list[int]:
        """The numbers of the elements of a node, or of those below a node above it."""
        found: list[int] = []
        while node != above and self.parents[node] != NO_NODE:
            found.append(self.lasts[node])
            node = self.parents[node]
        return found[::-1]

    def first_node(self, node: int) -> int:
        """The node with the first element alone; a root is one itself."""
        while self._depths[node] > 1:
            node = self.parents[node]
        return node

    def value(self, number: int) -> Any:
        """The value that has a number, made anew."""
        node = self.nodes[number]
        frame = self._frame_of_head[self.heads[node]]
        fields = [
            parts.part(of) if place != self._at else self._tuple(node)
            for place, (of, parts) in enumerate(zip(frame, self._parts, strict=True))
        ]
        return self.kind(**dict(zip(self._aliases, fields, strict=True)))

    def _tuple(self, node: int) -> tuple[Any, ...]:
        part = self._parts[self._at].part
        return tuple([part(element) for element in self.elements(node)])

    def heads_of(self, values: Indices) -> Numbers:
        """The heads of some values, by their numbers."""
        nodes = np.frombuffer(self.nodes, np.int32)[values]
        heads: Numbers = np.frombuffer(self.heads, np.int32)[nodes]
        return heads

    def hashes(self, low: int) -> U64Array:
        """The stable hashes of the values from a number on: those of `Hasher`."""
        self._hash_nodes()
        nodes = np.frombuffer(self.nodes, np.int32)[low:].copy()
        heads = np.frombuffer(self.heads, np.int32)[nodes]
        frames = np.array(self._frame_of_head, np.int64)
        start = self._hasher.start_of(self.kind.__qualname__)
        total = np.full(len(nodes), start, np.uint64)
        for place, parts in enumerate(self._parts):
            if place == self._at:
                of_field = self._node_hashes[nodes]
            else:
                of_field = np.array(parts.hashes, np.uint64)[frames[heads, place]]
            total = _longer(total, of_field, place + 1)
        return total

    def _hash_nodes(self) -> None:
        """Work out the hashes of new nodes, each from that of the node above."""
        low, high = self._hashed, len(self.parents)
        if low == high:
            return
        if high > len(self._node_hashes):
            self._node_hashes = np.resize(self._node_hashes, 2 * high)
        parents = np.frombuffer(self.parents, np.int32)[low:].copy()
        lasts = np.frombuffer(self.lasts, np.int32)[low:].copy()
        depths = np.frombuffer(self._depths, np.int32)[low:].copy()
        parts = np.array(self._parts[self._at].hashes, np.uint64)
        hashes = self._node_hashes
        for depth in np.unique(depths).tolist():
            places = np.flatnonzero(depths == depth)
            if depth == 0:
                hashes[low + places] = self._hasher.start_of("tuple")
            else:
                above = hashes[parents[places]]
                hashes[low + places] = _longer(above, parts[lasts[places]], depth)
        self._hashed = high

    def _root(self, frame: tuple[int, ...]) -> int:
        root = self._roots.get(frame)
        if root is None:
            self._frame_of_head.append(frame)
            head = len(self._frame_of_head) - 1
            root = self._roots[frame] = self._add(NO_NODE, 0, 0, head)
        return root

    def _new_head(self, of_root: int) -> int:
        self._frame_of_head.append(self._frame_of_head[of_root])
        return len(self._frame_of_head) - 1

    def _add(self, parent: int, last: int, depth: int, head: int) -> int:
        self.parents.append(parent)
        self.lasts.append(last)
        self.heads.append(head)
        self.numbers.append(NO_VALUE)
        self._depths.append(depth)
        return len(self.parents) - 1


class SequenceValues(Sequence[Any]):
    """The values of a tree by their numbers, each made when it is asked for."""

    def __init__(self, tree: SequenceTree) -> None:
        self._tree = tree

    def __len__(self) -> int:
        return len(self._tree.nodes)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        numbers = range(len(self))[index]
        if isinstance(numbers, int):
            return self._tree.value(numbers)
        return [self._tree.value(number) for number in numbers]

    def __iter__(self) -> Iterator[Any]:
        return (self._tree.value(number) for number in range(len(self)))


def _longer(total: U64Array, of_element: U64Array, length: int) -> U64Array:
    """The hashes of sequences that have got so long: `Hasher.longer` of many."""
    word = (total ^ of_element) + np.uint64(GOLDEN * length & (1 << 64) - 1)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(FIRST_MULTIPLIER)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(SECOND_MULTIPLIER)
    return word ^ (word >> np.uint64(31))
