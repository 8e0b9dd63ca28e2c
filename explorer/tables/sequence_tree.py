"""Sequences as paths of a tree: a queue is the queue before its last element, and it.

A class of values that names a field as its ``SEQUENCE`` promises how operations at the
ends change it (see `queue_laws`). So a value is a **node**: a root for what is in its
other fields, and an edge for each element. A node takes a few numbers, and an object of
Python is made of it only where one is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self, overload

import attrs
import numpy as np
import numpy.typing as npt

from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.arrays import (
    MOST_LENGTH,
    Indices,
    Numbers,
    U64Array,
)
from replicheck.explorer.native.kernels.sequence_arrays import (
    COUNTS,
    HEADS,
    LENGTH,
    NO_NODE,
    NO_VALUE,
    NODES,
    VALUES,
    TreeArrays,
)
from replicheck.explorer.native.library import append_all, place_nodes, replace_heads
from replicheck.explorer.native.packing import pack
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

FIRST_ROOM = 1 << 10
SLOTS_PER_NODE = 2


class SequenceTree:
    """The values of one class: nodes, and which of them are numbered values."""

    def __init__(self, kind: Any, names: tuple[str, ...], at: int, hasher: Hasher):
        self.kind, self.sequence = kind, names[at]
        self._names, self._at, self._hasher = names, at, hasher
        self._aliases = [field.alias or field.name for field in attrs.fields(kind)]
        # Of each field by itself, so that 0 in one and False in another are no clash.
        self._parts = tuple(PartNumbers(hasher) for _ in names)
        self._roots: dict[tuple[int, ...], int] = {}
        self._frames: list[tuple[int, ...]] = []
        """The numbers of what is in each field, 0 for the sequence."""
        self._node_hashes: U64Array = np.zeros(FIRST_ROOM, np.uint64)
        self._hashed = 0
        self._arrays = _tree_arrays(FIRST_ROOM, np.zeros(COUNTS, np.int64))
        self._packed = pack(self._arrays)

    def __len__(self) -> int:
        """The number of values."""
        return int(self._arrays.counts[VALUES])

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
        root = self._root(tuple(frame))
        element_number = self._parts[self._at].unmistakable
        numbers = [element_number(element) for element in elements]
        return int(self.append(np.array([root], np.int32), numbers)[0])

    def nodes_of(self, values: Indices) -> Numbers:
        """The nodes of some values, by their numbers."""
        return self._arrays.nodes[values]

    def are_empty(self, nodes: Numbers) -> Any:
        """Tell of each node whether it has no element: a root."""
        return self._arrays.parents[nodes] == NO_NODE

    def append(self, nodes: Numbers, elements: Sequence[int]) -> Numbers:
        """The numbers of what some nodes become with more elements at the end."""
        numbers, added = np.empty(len(nodes), np.int32), np.array(elements, np.int32)
        done = 0
        while done < len(nodes):
            self._require_room(len(added))
            done = append_all(self._packed, nodes, added, done, numbers)
        return numbers

    def replace_heads(
        self, nodes: Numbers, after_heads: Numbers, known: Numbers
    ) -> Numbers:
        """The numbers of what some nodes, which are no roots, become with other heads.

        Args:
            after_heads: for each node the one that its head becomes.
            known: the number of what a value becomes, negative where that is not known.
        """
        numbers, done = np.empty(len(nodes), np.int32), 0
        path = np.empty(longest := int(self._arrays.counts[LENGTH]), np.int32)
        while done < len(nodes):
            self._require_room(longest)
            done = replace_heads(
                self._packed, nodes, after_heads, known, path, done, numbers
            )
        return numbers

    def elements(self, node: int, above: int = NO_NODE) -> list[int]:
        """The numbers of the elements of a node, or of those below a node above it."""
        parents, lasts = self._arrays.parents, self._arrays.lasts
        found: list[int] = []
        while node != above and (parent := parents.item(node)) != NO_NODE:
            found.append(lasts.item(node))
            node = parent
        return found[::-1]

    def node_of(self, value: int) -> int:
        """The node of a value."""
        return self._arrays.nodes.item(value)

    def without_last(self, node: int) -> tuple[int, int]:
        """The node without the last element, or `NO_NODE`, and that element."""
        return self._arrays.parents.item(node), self._arrays.lasts.item(node)

    def value(self, number: int) -> Any:
        """The value that has a number, made anew."""
        node = self._arrays.nodes.item(number)
        frame = self._frames[self._arrays.frames[self._arrays.heads[node]]]
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
        return self._arrays.heads[self._arrays.nodes[values]]

    def lengths_of(self, values: Indices) -> Numbers | None:
        """Numbers of the frames and lengths of values; None if some are too long."""
        nodes = self._arrays.nodes[values]
        depths = self._arrays.depths[nodes]
        if int(depths.max()) >= MOST_LENGTH:
            return None
        frames = self._arrays.frames[self._arrays.heads[nodes]]
        return frames * MOST_LENGTH + depths

    def hashes(self, low: int) -> U64Array:
        """The stable hashes of the values from a number on: those of `Hasher`."""
        self._hash_nodes()
        arrays = self._arrays
        nodes = arrays.nodes[low : len(self)]
        frames = np.array(self._frames, np.int64)[arrays.frames[arrays.heads[nodes]]]
        start = self._hasher.start_of(self.kind.__qualname__)
        total = np.full(len(nodes), start, np.uint64)
        for place, parts in enumerate(self._parts):
            if place == self._at:
                of_field = self._node_hashes[nodes]
            else:
                of_field = np.array(parts.hashes, np.uint64)[frames[:, place]]
            total = _longer(total, of_field, place + 1)
        return total

    def _hash_nodes(self) -> None:
        """Work out the hashes of new nodes, each from that of the node above."""
        low, high = self._hashed, int(self._arrays.counts[NODES])
        if low == high:
            return
        if high > len(self._node_hashes):
            self._node_hashes = np.resize(self._node_hashes, 2 * high)
        parents = self._arrays.parents[low:high]
        lasts = self._arrays.lasts[low:high]
        depths = self._arrays.depths[low:high]
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
            self._require_room(1)
            arrays, counts = self._arrays, self._arrays.counts
            root = self._roots[frame] = int(counts[NODES])
            head = int(counts[HEADS])
            arrays.frames[head] = len(self._frames)
            self._frames.append(frame)
            arrays.parents[root], arrays.heads[root] = NO_NODE, head
            arrays.lasts[root] = arrays.depths[root] = 0
            arrays.numbers[root] = NO_VALUE
            counts[NODES] += 1
            counts[HEADS] += 1
        return root

    def _require_room(self, more: int) -> None:
        """Have room for so many more nodes, and a place for each of them."""
        room, count = len(self._arrays.parents), int(self._arrays.counts[NODES])
        if count + more <= room:
            return
        while count + more > room:
            room *= 2
        before, self._arrays = self._arrays, _tree_arrays(room, self._arrays.counts)
        for old, new in zip(before[:-2], self._arrays[:-2], strict=True):
            new[: len(old)] = old
        self._packed = pack(self._arrays)
        place_nodes(self._packed)


def _tree_arrays(room: int, counts: npt.NDArray[np.int64]) -> TreeArrays:
    """Arrays with room for so many nodes."""
    columns = [np.zeros(room, np.int32) for _ in TreeArrays._fields[:-2]]
    slots = np.zeros(SLOTS_PER_NODE * room, np.int32)
    return TreeArrays._make([*columns, slots, counts])


class SequenceValues(Sequence[Any]):
    """The values of a tree by their numbers, each made when it is asked for."""

    def __init__(self, tree: SequenceTree) -> None:
        self._tree = tree

    def __len__(self) -> int:
        return len(self._tree)

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
